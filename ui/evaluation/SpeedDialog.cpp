// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/SpeedDialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/evaluation/BenchTableView.h"
#include "ui/evaluation/SpeedFields.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {
namespace {

template <typename Row>
using MeasuredRows = Result<std::vector<Row>>;

QString reportTitle(const PartReport& report) {
  return SpeedDialog::tr("%1, batch %2, %3")
      .arg(displayName(QString::fromStdString(report.name)))
      .arg(report.batch)
      .arg(QString::fromStdString(report.precision));
}

}  // namespace

SpeedDialog::SpeedDialog(const Document* document, QWidget* parent)
    : QDialog(parent),
      m_fields(new SpeedFields(document, this)),
      m_progress(new ProgressLine(tr("Progress of the measurement"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("speedDialog"));
  setWindowTitle(tr("Speed"));
  resize(1080, 680);
  auto* both = new QHBoxLayout;
  both->addWidget(m_fields, 1);
  both->addWidget(makeTables(), 3);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(both, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_task, &ProgressTask::busyChanged, this, &SpeedDialog::refresh);
  connect(m_fields, &SpeedFields::changed, m_status, &MessageLabel::clear);
  connect(m_pages, &QTabWidget::currentChanged, this, &SpeedDialog::refresh);
  refresh();
}

QWidget* SpeedDialog::makeTables() {
  m_pages = new QTabWidget(this);
  m_pages->setObjectName(QStringLiteral("speedPages"));
  m_speed = makeBenchTable("speedTable", tr("Throughput and memory"), m_pages);
  m_speed->setToolTip(
      tr("Medians of the forward pass without gradients and of the backward pass; "
         "the most memory that both add"));
  m_pages->addTab(m_speed, tr("&Throughput and memory"));
  m_pages->addTab(makeParts(), tr("Parts of a pas&s"));
  showBenchTable(m_speed, benchTable({}));
  return m_pages;
}

QWidget* SpeedDialog::makeParts() {
  auto* page = new QWidget(m_pages);
  m_report = new QComboBox(page);
  m_report->setObjectName(QStringLiteral("speedReport"));
  m_report->setAccessibleName(tr("Measured model"));
  m_share = new QLabel(page);
  m_share->setObjectName(QStringLiteral("speedShare"));
  m_share->setTextFormat(Qt::PlainText);
  m_share->setWordWrap(true);
  m_parts = makeBenchTable("speedParts", tr("Time of each part"), page);
  auto* layout = new QVBoxLayout(page);
  layout->addWidget(m_report);
  layout->addWidget(m_share);
  layout->addWidget(m_parts, 1);
  connect(m_report, &QComboBox::currentIndexChanged, this, &SpeedDialog::showReport);
  return page;
}

QWidget* SpeedDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_start = addDialogButton(buttons, tr("M&easure"), "speedStart",
                            tr("Measure the checked models for the page shown"));
  m_cancel =
      addDialogButton(buttons, tr("&Cancel"), "speedCancel", tr("Stop; the table stays as it is"));
  m_export = addDialogButton(buttons, tr("E&xport…"), "speedExport");
  // Enter accepts a typed value and does not close the dialog.
  buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
  connect(m_start, &QPushButton::clicked, this, &SpeedDialog::measure);
  connect(m_cancel, &QPushButton::clicked, this, &SpeedDialog::cancel);
  connect(m_export, &QPushButton::clicked, this, &SpeedDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

bool SpeedDialog::showsParts() const {
  return m_pages->currentIndex() == 1;
}

bool SpeedDialog::isMeasuring() const {
  return m_task->isBusy();
}

/// A closed dialog does not keep the processor busy.
void SpeedDialog::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) cancel();
}

void SpeedDialog::measure() {
  const auto options = m_fields->options();
  if (!options) return report(options.error());
  m_status->clear();
  showsParts() ? measureParts(*options) : measureSpeed(*options);
}

void SpeedDialog::cancel() {
  m_task->cancel();
}

void SpeedDialog::measureSpeed(const BenchOptions& options) {
  m_task->run<MeasuredRows<BenchRow>>(
      [options](const ProgressCallback& progress, std::stop_token stop) -> MeasuredRows<BenchRow> {
        std::vector<BenchRow> rows;
        const auto done = benchModels(
            options, [&](const BenchRow& row) { rows.push_back(row); }, stop, progress);
        if (!done) return done.error();
        return rows;
      },
      [this](const MeasuredRows<BenchRow>& measured) {
        if (!measured) return report(measured.error());
        m_rows = *measured;
        showBenchTable(m_speed, benchTable(m_rows));
        refresh();
      });
}

void SpeedDialog::measureParts(const BenchOptions& options) {
  m_task->run<MeasuredRows<PartReport>>(
      [options](const ProgressCallback& progress,
                std::stop_token stop) -> MeasuredRows<PartReport> {
        std::vector<PartReport> reports;
        const auto done = benchParts(
            options, [&](const PartReport& one) { reports.push_back(one); }, stop, progress);
        if (!done) return done.error();
        return reports;
      },
      [this](const MeasuredRows<PartReport>& measured) {
        if (!measured) return report(measured.error());
        m_reports = *measured;
        m_report->clear();
        for (const PartReport& one : m_reports)
          m_report->addItem(reportTitle(one));
        refresh();
      });
}

void SpeedDialog::report(const Error& error) {
  if (error.code != ErrorCode::Canceled)
    m_status->setMessage(QString::fromStdString(error.text()), MessageLabel::Tone::Problem);
}

void SpeedDialog::showReport() {
  const int index = m_report->currentIndex();
  if (index < 0 || index >= static_cast<int>(m_reports.size())) return;
  const PartReport& shown = m_reports[static_cast<std::size_t>(index)];
  m_share->setText(coreText(attentionText(shown)));
  showBenchTable(m_parts, partTable(shown));
  for (std::size_t row = 0; row < kModelParts.size(); ++row)
    m_parts->item(static_cast<int>(row), 0)
        ->setToolTip(plainToolTip(coreText(modelPartHelp(kModelParts[row]))));
}

void SpeedDialog::choosePath() {
  const QString name = showsParts() ? QStringLiteral("parts.csv") : QStringLiteral("speed.csv");
  askWhereToSave(this, tr("Export the table"), QDir(figureFolder()).filePath(name),
                 tr("Tables (*.csv)"), [this](const QString& path) { save(path); });
}

void SpeedDialog::save(const QString& path) {
  m_status->reportSaved(path,
                        writeFileAtomically(path.toStdString(),
                                            showsParts() ? partsCsv(m_reports) : benchCsv(m_rows)));
  rememberWritten(path);
}

void SpeedDialog::refresh() {
  const bool busy = isMeasuring();
  m_start->setEnabled(!busy);
  m_cancel->setEnabled(busy);
  m_fields->setEnabled(!busy);
  m_fields->setForParts(showsParts());
  const bool measured = showsParts() ? !m_reports.empty() : !m_rows.empty();
  setUsable(m_export, tr("Save the page shown as CSV"),
            measured ? QString() : tr("Nothing has been measured for this page yet"));
  m_report->setVisible(!m_reports.empty());
  if (m_reports.empty())
    m_share->setText(
        tr("Press Measure to see which share of inference and of a training step each "
           "part of the model takes."));
}

}  // namespace headlight
