// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/training/TrainingOutcomeBar.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>

#include "ui/base/Icons.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kTextWidth = 320;  ///< what a text needs beside buttons

}  // namespace

TrainingOutcomeBar::TrainingOutcomeBar(QWidget* parent)
    : QFrame(parent), m_text(new MessageLabel(this)) {
  setObjectName(QStringLiteral("trainOutcome"));
  setFrameShape(QFrame::StyledPanel);
  setVisible(false);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 3, 4, 3);
  m_text->setObjectName(QStringLiteral("trainOutcomeText"));
  m_content = new QBoxLayout(QBoxLayout::LeftToRight);
  m_buttons = new QHBoxLayout;
  m_buttons->addStretch(1);
  m_content->addWidget(m_text, 1);
  m_content->addLayout(m_buttons);
  layout->addLayout(m_content, 1);
  m_resume = addButton(QStringLiteral("resumeRun"), tr("Resume"),
                       tr("Continue this run from its last checkpoint"));
  m_saveWeights = addButton(QStringLiteral("saveRunWeights"), tr("Save Weights As…"),
                            tr("Save the run's newest weights, which are only in memory"));
  m_recreate = addButton(QStringLiteral("recreateRunFolder"), tr("Make Folder Again"),
                         tr("Create the folder again, with a checkpoint of the last step to resume "
                            "from. Logs and best weights are lost"));
  m_openBest = addButton(QStringLiteral("openBest"), tr("Open Best"),
                         tr("Open the weights with the best validation accuracy in this window"));
  m_openLast = addButton(QStringLiteral("openLast"), tr("Open Last"),
                         tr("Open the weights of the run's last step, which are not its best"));
  m_compare = addButton(QStringLiteral("compareStart"), tr("Compare with Start"),
                        tr("Show the starting weights beside the best ones"));
  m_openFolder = addButton(QStringLiteral("openRunFolder"), tr("Open Run Folder"),
                           tr("Open the folder with the run's config, metrics and checkpoints"));
  m_export = addButton(QStringLiteral("exportRun"), tr("Export Config…"),
                       tr("Save the run with its mask edits as one config. Training it again "
                          "without a window gives the same weights"));
  auto* close = new QToolButton(this);
  close->setObjectName(QStringLiteral("closeOutcome"));
  close->setIcon(lineIcon(QStringLiteral("close")));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close this message"));
  close->setToolTip(close->accessibleName());
  layout->addWidget(close, 0, Qt::AlignTop);
  connect(m_resume, &QPushButton::clicked, this, &TrainingOutcomeBar::resume);
  connect(m_saveWeights, &QPushButton::clicked, this, &TrainingOutcomeBar::saveWeights);
  connect(m_recreate, &QPushButton::clicked, this, &TrainingOutcomeBar::recreateFolder);
  connect(m_openBest, &QPushButton::clicked, this, &TrainingOutcomeBar::openCheckpoint);
  connect(m_openLast, &QPushButton::clicked, this, &TrainingOutcomeBar::openLast);
  connect(m_compare, &QPushButton::clicked, this, &TrainingOutcomeBar::compare);
  connect(m_openFolder, &QPushButton::clicked, this, &TrainingOutcomeBar::openFolder);
  connect(m_export, &QPushButton::clicked, this, &TrainingOutcomeBar::exportConfig);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
}

QPushButton* TrainingOutcomeBar::addButton(const QString& name, const QString& text,
                                           const QString& tip) {
  auto* button = new QPushButton(text, this);
  button->setObjectName(name);
  button->setToolTip(tip);
  m_buttons->addWidget(button);
  return button;
}

void TrainingOutcomeBar::notify(const QString& text, bool problem, const Offers& offers) {
  m_text->setMessage(text, problem ? MessageLabel::Tone::Problem : MessageLabel::Tone::Plain);
  m_resume->setVisible(offers.resume);
  m_saveWeights->setVisible(offers.weights);
  m_recreate->setVisible(offers.recreate);
  m_openBest->setVisible(offers.checkpoint);
  m_openLast->setVisible(offers.last);
  m_compare->setVisible(offers.compare);
  m_openFolder->setVisible(offers.folder);
  m_export->setVisible(offers.config);
  show();
  arrange();
}

void TrainingOutcomeBar::arrange() {
  const bool beside = width() >= m_buttons->sizeHint().width() + kTextWidth;
  m_content->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void TrainingOutcomeBar::resizeEvent(QResizeEvent* event) {
  arrange();
  QFrame::resizeEvent(event);
}

}  // namespace headlight
