// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/DropBranchDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/document/ModelText.h"
#include "ui/evaluation/DropBranchTables.h"
#include "ui/evaluation/SampleFields.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {

QString whyBranchStays(const Document& document) {
  if (!document.inputs().hasModel()) return DropBranchDialog::tr("Open a model first.");
  const auto can = canDropBranch(document.inputs().model().experiment.model);
  return can ? QString() : coreText(can.error().message);
}

DropBranchDialog::DropBranchDialog(const Document* document, ModelWorker* inference,
                                   std::shared_ptr<const ResultCache> cache,
                                   const ImageSample& proposed, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_inference(inference),
      m_cache(std::move(cache)),
      m_headline(new QLabel(this)),
      m_verdict(new QLabel(this)),
      m_fields(new SampleFields(QStringLiteral("castle"), proposed, this)),
      m_tables(new DropBranchTables(this)),
      m_progress(new ProgressLine(tr("Progress of the measurement"), this)),
      m_status(new MessageLabel(this)),
      m_task(new ProgressTask(m_progress, this)) {
  setObjectName(QStringLiteral("castleDialog"));
  setWindowTitle(tr("Drop auxiliary branch"));
  resize(720, 680);
  for (QLabel* label : {m_headline, m_verdict}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_verdict->setObjectName(QStringLiteral("castleVerdict"));
  m_status->setObjectName(QStringLiteral("castleStatus"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_headline);
  layout->addWidget(m_fields);
  layout->addWidget(m_tables, 1);
  layout->addWidget(m_verdict);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_fields, &SampleFields::changed, this, &DropBranchDialog::lookForKept);
  for (const auto signal : {&InferenceInputs::modelChanged, &InferenceInputs::masksChanged})
    connect(&document->inputs(), signal, this, &DropBranchDialog::lookForKept);
  connect(m_task, &ProgressTask::busyChanged, this, &DropBranchDialog::refresh);
  connect(&m_saving, &BackgroundTask::busyChanged, this, &DropBranchDialog::refresh);
  lookForKept();
}

QWidget* DropBranchDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_measure = addDialogButton(buttons, tr("Measure"), "castleMeasure",
                              tr("Evaluate the images with and without the branch"));
  m_cancel = addDialogButton(buttons, tr("Cancel"), "castleCancel", tr("Stop the measurement"));
  m_export =
      addDialogButton(buttons, tr("Export CSV…"), "castleExport", tr("Save both tables as CSV"));
  m_save = addDialogButton(buttons, tr("Save Without Branch…"), "castleSave",
                           tr("Save the same weights in a file whose inference skips the branch"));
  m_open = addDialogButton(buttons, tr("Open Saved Model"), "castleOpen",
                           tr("Open the model saved without the branch in this window"));
  m_measure->setDefault(true);
  connect(m_measure, &QPushButton::clicked, this, &DropBranchDialog::measure);
  connect(m_cancel, &QPushButton::clicked, this, &DropBranchDialog::cancel);
  connect(m_save, &QPushButton::clicked, this, &DropBranchDialog::askToSave);
  connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(m_saved); });
  connect(m_export, &QPushButton::clicked, this, [this] {
    askWhereToSave(this, tr("Export the branch report"), QStringLiteral("branch-report.csv"),
                   tr("Tables (*.csv)"), [this](const QString& path) { exportTable(path); });
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

bool DropBranchDialog::isMeasuring() const {
  return m_measuring && m_task->isBusy();
}

void DropBranchDialog::measure() {
  if (isMeasuring() || !whyBranchStays(*m_document).isEmpty()) return;
  m_status->clear();
  run(CachePolicy::Use::Measured);
}

void DropBranchDialog::cancel() {
  m_task->cancel();
  m_measuring = false;
  m_status->setMessage(tr("Canceled."), MessageLabel::Tone::Quiet);
  refresh();
}

/// Shows a cached result of this model.
void DropBranchDialog::lookForKept() {
  const bool measured = isMeasuring();
  m_task->cancel();
  m_measuring = false;
  m_report.reset();
  m_status->setMessage(measured ? tr("Canceled: the model or its masks changed.") : QString());
  fill();
  if (whyBranchStays(*m_document).isEmpty()) run(CachePolicy::Use::Kept);
  refresh();
}

void DropBranchDialog::run(CachePolicy::Use use) {
  m_measuring = use != CachePolicy::Use::Kept;
  // Weights in training change every second, so their result is not cached.
  const bool keeps = !m_inference->isLookingThroughTraining();
  m_task->run<Measured>(
      [session = m_inference->session(), sample = m_fields->sample(),
       masks = m_document->inputs().masks(), keeping = CachePolicy{keeps ? m_cache : nullptr, use}](
          const ProgressCallback& notify, std::stop_token stop) -> Measured {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return cachedBranchReport(keeping, {*open, sample, masks}, notify, stop);
      },
      [this, use](const Measured& measured) { take(measured, use); });
  refresh();
}

void DropBranchDialog::take(const Measured& measured, CachePolicy::Use use) {
  m_measuring = false;
  const bool quiet = use == CachePolicy::Use::Kept;  // an empty cache is not an error
  if (measured)
    m_report = *measured;
  else if (!quiet && measured.error().code != ErrorCode::Canceled)
    m_status->setMessage(QString::fromStdString(measured.error().text()),
                         MessageLabel::Tone::Problem);
  fill();
  refresh();
}

void DropBranchDialog::refresh() {
  const QString why = whyBranchStays(*m_document);
  const bool can = why.isEmpty(), measuring = isMeasuring();
  if (!can)
    m_headline->setText(why);
  else
    m_headline->setText(
        tr("%1, masks “%2”%3")
            .arg(modelTitle(m_document->inputs().model()),
                 displayName(schemeTitle(m_document->inputs().masks())),
                 m_report && !m_report->measured.empty()
                     ? QStringLiteral(", ") + coreText(measuredText(m_report->measured))
                     : QString()));
  m_fields->setEnabled(can && !measuring);
  m_measure->setEnabled(can && !measuring);
  m_measure->setText(m_report ? tr("Measure Again") : tr("Measure"));
  m_cancel->setEnabled(measuring);
  m_export->setEnabled(m_report.has_value());
  m_save->setEnabled(can && !m_saving.isBusy());
  m_open->setEnabled(!m_saved.isEmpty());
}

void DropBranchDialog::fill() {
  m_tables->setReport(m_report ? &*m_report : nullptr);
  m_verdict->setText(m_report ? QObject::tr("Dropping the branch is ") + coreText(m_report->verdict)
                              : QString());
}

void DropBranchDialog::exportTable(const QString& path) {
  if (!m_report) return;
  m_status->reportSaved(path, writeFileAtomically(path.toStdString(), branchReportCsv(*m_report)));
}

/// Like convert --drop-branch: if dropping is not free, or not measured, the user must confirm.
void DropBranchDialog::askToSave() {
  const auto isFree = m_report ? requireFree(*m_report, tr("Save").toStdString()) : Result<void>();
  if (m_report && isFree) return askForName();
  const QString text =
      m_report
          ? coreText(isFree.error().message)
          : tr("The effect of dropping the branch was not measured. Press Measure to measure it.");
  dialogs().confirm(this, tr("Save without the branch anyway?"), text, tr("Save"),
                    [this](bool yes) {
                      if (yes) askForName();
                    });
}

void DropBranchDialog::askForName() {
  askWhereToSave(
      this, tr("Save the model without the branch"),
      QDir(documentsFolder())
          .filePath(QString::fromStdString(m_document->inputs().model().experiment.model.name) +
                    QStringLiteral("-without-branch.safetensors")),
      tr("safetensors (*.safetensors)"), [this](const QString& path) { save(path); });
}

void DropBranchDialog::save(const QString& path) {
  m_saving.run<Result<void>>(
      [session = m_inference->session(), path,
       masks = m_document->inputs().masks()](std::stop_token) {
        const auto open = session();
        return open ? saveWithoutBranch(*open, path.toStdString(), masks)
                    : Result<void>(Error{ErrorCode::Canceled, "no model is open", ""});
      },
      [this, path](const Result<void>& written) {
        m_status->reportSaved(path, written);
        if (written) m_saved = path;
        refresh();
      });
  refresh();
}

}  // namespace headlight
