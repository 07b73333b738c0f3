// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/SelfTestDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/ProgramFolder.h"
#include "core/base/files/Files.h"
#include "core/workbench/selftest/SelfTestTable.h"
#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/evaluation/BenchTableView.h"
#include "ui/forms/DeviceBox.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {
namespace {

constexpr int kArrivalMs = 200;

QString selfTestIntroduction() {
  return SelfTestDialog::tr(
      "Compares the kernels, every mechanism, the 16-bit precisions and two processes on a "
      "device with plain computation on the CPU, then measures speed and memory. This takes "
      "some minutes and does not change the open model.");
}

QLabel* makeMachineLabel(QWidget* parent) {
  auto* label = new QLabel(selfTestIntroduction(), parent);
  label->setObjectName(QStringLiteral("selfTestMachine"));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

/// Of the check of two processes; without the program that check is skipped and says so.
std::vector<std::string> secondProcess() {
  const std::filesystem::path program = commandLineProgram();
  if (program.empty()) return {};
  return {program.string(), "selftest", "--process", "--threads", "1"};
}

}  // namespace

SelfTestDialog::SelfTestDialog(const Document* document, QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_table(makeBenchTable("selfTestTable", tr("Checks"), this)),
      m_machine(makeMachineLabel(this)),
      m_progress(new ProgressLine(tr("Progress of the check"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("selfTestDialog"));
  setWindowTitle(tr("Check this machine"));
  resize(1080, 620);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_machine);
  layout->addWidget(makeFields());
  layout->addWidget(m_table, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  m_poll.setInterval(kArrivalMs);
  connect(&m_poll, &QTimer::timeout, this, &SelfTestDialog::showArrived);
  connect(m_task, &ProgressTask::busyChanged, this, &SelfTestDialog::refresh);
  showBenchTable(m_table, selfTestTable({}));
  refresh();
}

QWidget* SelfTestDialog::makeFields() {
  auto* part = new QWidget(this);
  auto* row = new QHBoxLayout(part);
  row->setContentsMargins(0, 0, 0, 0);
  m_device = makeDeviceBox(part);
  m_device->setObjectName(QStringLiteral("selfTestDevice"));
  m_device->setMinimumContentsLength(8);  // "cuda:10" is seen whole
  addLabeledField(row, tr("&Device"), m_device);
  m_quick = new QCheckBox(tr("&Quick"), part);
  m_quick->setObjectName(QStringLiteral("selfTestQuick"));
  m_quick->setToolTip(tr("Measure the speed of a very small model instead of DeiT-T's"));
  row->addWidget(m_quick);
  row->addStretch();
  return part;
}

QWidget* SelfTestDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_start = addDialogButton(buttons, tr("C&heck"), "selfTestStart", tr("Start all checks"));
  m_cancel = addDialogButton(buttons, tr("&Cancel"), "selfTestCancel",
                             tr("Stop; what was checked stays in the table"));
  m_export = addDialogButton(buttons, tr("E&xport…"), "selfTestExport");
  // Enter accepts a typed device and does not close the dialog.
  buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
  connect(m_start, &QPushButton::clicked, this, &SelfTestDialog::check);
  connect(m_cancel, &QPushButton::clicked, this, &SelfTestDialog::cancel);
  connect(m_export, &QPushButton::clicked, this, &SelfTestDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

SelfTestOptions SelfTestDialog::options() const {
  SelfTestOptions options;
  options.device = m_device->currentText().trimmed().toStdString();
  options.quick = m_quick->isChecked();
  // The number of threads is the program's: the open model goes on with its own.
  const InferenceInputs& inputs = m_document->inputs();
  if (inputs.canCompute()) options.threads = inputs.model().experiment.threads;
  options.process = secondProcess();
  return options;
}

bool SelfTestDialog::isChecking() const {
  return m_task->isBusy();
}

/// A closed dialog does not keep the processor busy.
void SelfTestDialog::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) cancel();
}

void SelfTestDialog::check() {
  m_status->clear();
  m_report = {};
  m_machine->setText(selfTestIntroduction());
  m_arrived = std::make_shared<Arrived>();
  m_table->setRowCount(0);
  m_poll.start();
  m_task->run<Result<SelfTestReport>>(
      [options = options(), arrived = m_arrived](const ProgressCallback& progress,
                                                 std::stop_token stop) {
        const SelfTestSink sink = [&](const SelfTestRow& row) {
          const std::lock_guard lock(arrived->mutex);
          arrived->rows.push_back(row);
        };
        return runSelfTest(options, sink, stop, progress);
      },
      [this](const Result<SelfTestReport>& finished) { showFinished(finished); });
}

void SelfTestDialog::cancel() {
  if (!isChecking()) return;
  m_task->cancel();
  showArrived();
  m_status->setMessage(tr("Canceled; rows that were measured: %1").arg(m_table->rowCount()));
}

/// What came since it was shown last: an empty poll must not take the selection away.
void SelfTestDialog::showArrived() {
  const std::lock_guard lock(m_arrived->mutex);
  if (static_cast<int>(m_arrived->rows.size()) == m_table->rowCount()) return;
  SelfTestReport so;
  so.rows = m_arrived->rows;
  showBenchTable(m_table, selfTestTable(so));
  m_table->scrollToBottom();
}

void SelfTestDialog::showFinished(const Result<SelfTestReport>& finished) {
  showArrived();
  if (!finished)
    return m_status->setMessage(QString::fromStdString(finished.error().text()),
                                MessageLabel::Tone::Problem);
  m_report = *finished;
  m_machine->setText(
      tr("%1 · measured on %2")
          .arg(QString::fromStdString(m_report.machine), QString::fromStdString(m_report.device)));
  m_status->setMessage(coreText(selfTestSummary(m_report)),
                       m_report.passed() ? MessageLabel::Tone::Plain : MessageLabel::Tone::Problem);
  selectFirstFailure();
  refresh();
}

void SelfTestDialog::selectFirstFailure() {
  for (std::size_t row = 0; row < m_report.rows.size(); ++row)
    if (!m_report.rows[row].passed) {
      m_table->selectRow(static_cast<int>(row));
      return m_table->scrollToItem(m_table->item(static_cast<int>(row), 0));
    }
}

void SelfTestDialog::choosePath() {
  askWhereToSave(this, tr("Export the report"),
                 QDir(figureFolder()).filePath(QStringLiteral("selftest.json")),
                 tr("Reports (*.json)"), [this](const QString& path) { save(path); });
}

void SelfTestDialog::save(const QString& path) {
  m_status->reportSaved(path, writeFileAtomically(path.toStdString(), selfTestFile(m_report)));
  rememberWritten(path);
}

void SelfTestDialog::refresh() {
  const bool busy = isChecking();
  if (!busy) m_poll.stop();
  m_start->setEnabled(!busy);
  m_cancel->setEnabled(busy);
  m_device->setEnabled(!busy);
  m_quick->setEnabled(!busy);
  setUsable(m_export, tr("Save all rows with the machine and its libraries as JSON"),
            m_report.rows.empty() ? tr("No check has come to its end yet") : QString());
}

}  // namespace headlight
