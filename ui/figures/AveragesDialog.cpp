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
      m_inference(parts.inference),
      m_images(new ImageChoice(parts.document, parts.gallery, this)),
      m_measure(new QPushButton(this)),
      m_progress(new ProgressLine(tr("Progress of the measurement"), this)),
      m_status(new MessageLabel(this)),
      m_body(new QVBoxLayout),
      m_task(m_progress, this) {
  m_measure->setObjectName(QStringLiteral("averageMeasure"));
  m_measure->setAutoDefault(false);
  auto* head = new QHBoxLayout;
  head->addWidget(m_images, 1);
  head->addWidget(m_measure, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(head);
  layout->addWidget(m_progress);
  layout->addLayout(m_body, 1);
  connect(m_measure, &QPushButton::clicked, this, &AveragesDialog::measureOrStop);
  connect(m_images, &ImageChoice::changed, this, [this] {
    if (hasResult() && !isBusy())
      m_status->setMessage(
          tr("The result shown was measured with other settings. Press Measure to update it."));
    refresh();
  });
  connect(&m_task, &ProgressTask::busyChanged, this, &AveragesDialog::refresh);
  connect(&m_document->inputs(), &InferenceInputs::modelChanged, this, &AveragesDialog::onModel);
  connect(&m_document->inputs(), &InferenceInputs::imageChanged, m_images, &ImageChoice::refresh);
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
  m_measure->setEnabled(isBusy() || (m_document->inputs().hasModel() && m_images->offersAny()));
  m_save->setEnabled(hasResult());
  m_images->setEnabled(!isBusy());
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
  return m_inference->session();
}

void AveragesDialog::reportError(const Error& error) {
  if (error.code != ErrorCode::Canceled)
    m_status->setMessage(QString::fromStdString(error.text()), MessageLabel::Tone::Problem);
}

/// Drops the result: the model or its weights changed.
void AveragesDialog::onModel() {
  m_task.cancel();
  m_status->clear();
  forget();
  m_images->refresh();
  refresh();
}

}  // namespace headlight
