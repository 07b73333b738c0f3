// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/AveragesDialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/bridge/ModelWorker.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {

AveragesDialog::AveragesDialog(const AveragesParts& parts, QWidget* parent)
    : QDialog(parent),
      m_document(parts.document),
      m_look(parts.look),
      m_pictures(new PictureChoice(parts.document, parts.gallery, this)),
      m_measure(new QPushButton(this)),
      m_progress(new ProgressLine(tr("Progress of the measurement"), this)),
      m_status(new MessageLabel(this)),
      m_body(new QVBoxLayout),
      m_task(m_progress, this) {
  m_measure->setObjectName(QStringLiteral("averageMeasure"));
  m_measure->setAutoDefault(false);
  auto* head = new QHBoxLayout;
  head->addWidget(m_pictures, 1);
  head->addWidget(m_measure, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(head);
  layout->addWidget(m_progress);
  layout->addLayout(m_body, 1);
  connect(m_measure, &QPushButton::clicked, this, &AveragesDialog::measureOrStop);
  connect(m_pictures, &PictureChoice::changed, this, [this] {
    if (hasResult() && !isBusy())
      m_status->setMessage(tr("What is shown was measured before: Measure shows what is chosen."));
    refresh();
  });
  connect(&m_task, &ProgressTask::busyChanged, this, &AveragesDialog::refresh);
  connect(m_document, &Document::modelChanged, this, &AveragesDialog::onModel);
  connect(m_document, &Document::imageChanged, m_pictures, &PictureChoice::refresh);
}

void AveragesDialog::finish() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_save = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
  m_save->setObjectName(QStringLiteral("averageSave"));
  m_save->setAutoDefault(false);
  layout()->addWidget(m_status);
  layout()->addWidget(buttons);
  connect(m_save, &QPushButton::clicked, this, [this] { save(); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  refresh();
}

void AveragesDialog::refresh() {
  if (!m_save) return;  // not finished yet
  m_measure->setText(isBusy() ? tr("S&top") : tr("&Measure"));
  m_measure->setEnabled(isBusy() || (m_document->hasModel() && m_pictures->offersAny()));
  m_save->setEnabled(hasResult());
  m_pictures->setEnabled(!isBusy());
}

void AveragesDialog::measureOrStop() {
  if (isBusy()) {
    m_task.cancel();
    m_status->setMessage(tr("Stopped."));
    return;
  }
  m_status->clear();
  measure();
}

std::function<std::shared_ptr<InferenceSession>()> AveragesDialog::session() const {
  return m_look->session();
}

void AveragesDialog::tellError(const Error& error) {
  if (error.code != ErrorCode::Canceled)
    m_status->setMessage(QString::fromStdString(error.text()), MessageLabel::Tone::Problem);
}

/// What was measured is of another model, or other weights.
void AveragesDialog::onModel() {
  m_task.cancel();
  m_status->clear();
  forget();
  m_pictures->refresh();
  refresh();
}

}  // namespace headlight
