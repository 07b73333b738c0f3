// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/SweepDialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "core/workbench/sweeps/SweepDesign.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/forms/PathRow.h"
#include "ui/plots/PlotCommands.h"
#include "ui/plots/SweepPlot.h"
#include "ui/runs/SweepJob.h"
#include "ui/runs/SweepSettings.h"
#include "ui/runs/SweepTable.h"
#include "ui/training/RunFolders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"
#include "ui/widgets/Questions.h"

namespace headlight {
namespace {

constexpr int kSettleMs = 300;

std::string sweepFolder(const std::string& name) {
  return (runsFolder().parent_path() / "sweeps" / folderName(name)).string();
}

}  // namespace

/// The plan and state of the sweep, read outside the window's thread.
struct SweepDialog::Planned {
  Result<SweepPlan> plan;
  Result<SweepReport> report;
};

SweepDialog::SweepDialog(const Experiment& present, QWidget* parent)
    : QDialog(parent),
      m_settings(new SweepSettings(present, this)),
      m_folder(
          new PathRow({"sweepFolder",
                       tr("F&older"),
                       tr("Folder of the sweep"),
                       tr("If the folder contains part of this sweep, only the rest is trained"),
                       {},
                       "browseSweep",
                       tr("Browse…"),
                       {}},
                      this)),
      m_time(new QLabel(this)),
      m_table(new SweepTable(this)),
      m_axis(new QComboBox(this)),
      m_plot(new SweepPlot(this)),
      m_progress(new ProgressLine(tr("Progress of the sweep"), this)),
      m_status(new MessageLabel(this)),
      m_measuring(new ProgressTask(m_progress, this)),
      m_job(new SweepJob(m_progress, this)) {
  setObjectName(QStringLiteral("sweepDialog"));
  setWindowTitle(tr("Sweep"));
  setAcceptDrops(true);
  resize(1160, 700);
  auto* settings = new QScrollArea(this);
  settings->setFrameShape(QFrame::NoFrame);
  settings->setWidgetResizable(true);
  settings->setWidget(m_settings);
  auto* sides = new QSplitter(Qt::Horizontal, this);
  sides->setChildrenCollapsible(false);
  sides->addWidget(settings);
  sides->addWidget(makeResults());
  sides->setSizes({400, 760});
  m_time->setObjectName(QStringLiteral("sweepTime"));
  m_status->setObjectName(QStringLiteral("sweepStatus"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(sides, 1);
  layout->addWidget(m_folder);
  layout->addWidget(m_time);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  m_folder->setPath(QString::fromStdString(sweepFolder(m_settings->wish().name)));
  m_settle.setSingleShot(true);
  m_settle.setInterval(kSettleMs);
  m_plotCommands = new PlotCommands(this, /*keys=*/false);
  connectParts();
  // Enter in a field only completes it.
  for (QPushButton* button : findChildren<QPushButton*>())
    button->setAutoDefault(false);
  m_settings->setFocus();
  onChanged();
}

SweepDialog::~SweepDialog() = default;

void SweepDialog::connectParts() {
  connect(m_settings, &SweepSettings::changed, this, &SweepDialog::onChanged);
  connect(m_settings, &SweepSettings::failed, this,
          [this](const QString& text) { m_status->setMessage(text, MessageLabel::Tone::Problem); });
  connect(m_folder, &PathRow::edited, this, [this] {
    m_folderChosen = true;
    onChanged();
  });
  connect(m_folder, &PathRow::browseRequested, this, [this] {
    askForFolder(this, tr("Folder of the sweep"), folder(),
                 [this](const QString& path) { setFolder(path); });
  });
  connect(&m_settle, &QTimer::timeout, this, &SweepDialog::read);
  connect(m_job, &SweepJob::reported, this, &SweepDialog::take);
  connect(m_job, &SweepJob::ended, this, &SweepDialog::finish);
  connect(m_job, &SweepJob::runFailed, this,
          [this](const QString& text) { m_status->setMessage(text, MessageLabel::Tone::Problem); });
  connect(m_axis, &QComboBox::currentIndexChanged, this, &SweepDialog::draw);
  connect(m_axis, &QComboBox::activated, this,
          [this] { m_chosenAxis = m_axis->currentData().toString(); });
  connect(m_plotCommands, &PlotCommands::reported, this,
          [this](const QString& text) { m_status->setMessage(text); });
  connect(m_plotCommands, &PlotCommands::failed, this,
          [this](const QString& title, const QString& text) {
            m_status->setMessage(title + QStringLiteral(". ") + text, MessageLabel::Tone::Problem);
          });
}

QWidget* SweepDialog::makeResults() {
  m_axis->setObjectName(QStringLiteral("sweepAxis"));
  m_axis->setAccessibleName(tr("Setting on the horizontal axis"));
  m_curves = new QWidget(this);  // visible once there is a point to draw
  m_curves->hide();
  auto* column = new QVBoxLayout(m_curves);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_axis, 0, Qt::AlignLeft);
  column->addWidget(m_plot, 1);
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(m_table);
  parts->addWidget(m_curves);
  parts->setSizes({300, 300});
  return parts;
}

QWidget* SweepDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  const auto add = [&](const QString& text, const char* name, const char* icon) {
    auto* button = addDialogButton(buttons, text, name);
    button->setIcon(lineIcon(QString::fromLatin1(icon)));
    return button;
  };
  m_start = add(tr("Train All"), "startSweep", "play");
  m_stop = add(tr("Stop"), "stopSweep", "stop");
  m_save = add(tr("Save Sweep File…"), "saveSweep", "save");
  m_runs = add(tr("Show Runs…"), "sweepRuns", "folder");
  m_save->setToolTip(tr("Save the sweep for headlight-cli sweep, here or on a cluster"));
  m_runs->setToolTip(tr("Compare curves and settings of the runs"));
  connect(m_start, &QPushButton::clicked, this, &SweepDialog::start);
  connect(m_stop, &QPushButton::clicked, this, &SweepDialog::stop);
  connect(m_save, &QPushButton::clicked, this, &SweepDialog::chooseSweepFile);
  connect(m_runs, &QPushButton::clicked, this, [this] { Q_EMIT runsRequested(folder()); });
  connect(buttons, &QDialogButtonBox::rejected, this, &SweepDialog::reject);
  return buttons;
}

QString SweepDialog::folder() const {
  return QString::fromStdString(typedFolder(m_folder->path()).string());
}

/// If the folder contains a sweep, that sweep is opened.
void SweepDialog::setFolder(const QString& path) {
  m_folderChosen = true;
  m_folder->setPath(path);
  if (QFile::exists(QDir(path).filePath(QLatin1String(kSweepFile)))) m_settings->openFile(path);
  onChanged();
}

bool SweepDialog::isSweeping() const {
  return m_job->isRunning();
}

// --- Plan --------------------------------------------------------------------------------------

void SweepDialog::onChanged() {
  if (isSweeping()) return;
  m_measuring->cancel();
  m_reading.cancel();
  m_plan.reset();
  m_estimate.reset();
  if (!m_folderChosen)
    m_folder->setPath(QString::fromStdString(sweepFolder(m_settings->wish().name)));
  m_settle.start();
  refresh();
}

void SweepDialog::read() {
  if (m_settings->isEmpty()) {
    m_status->setMessage(tr("Choose a setting and its values."));
    return Q_EMIT planned();
  }
  m_reading.run<Planned>(
      [wish = m_settings->wish(), folder = folder().toStdString()](std::stop_token) -> Planned {
        auto plan = makeSweepPlan(wish);
        if (!plan) return {plan, SweepReport()};
        auto report = sweepReport(*plan, folder);
        return {std::move(plan), std::move(report)};
      },
      [this](Planned planned) { showPlan(std::move(planned)); });
}

void SweepDialog::showPlan(Planned found) {
  m_status->clear();
  const bool good = found.plan && found.report;
  if (good) {
    m_plan = std::move(*found.plan);
    if (!m_plan->about.empty()) m_settings->setAbout(QString::fromStdString(m_plan->about));
    fillAxes();
    m_report = std::move(*found.report);
    showReport();
    measure();
  } else {
    const Error& error = found.plan ? found.report.error() : found.plan.error();
    m_table->clearPlan();
    m_status->setMessage(QString::fromStdString(error.text()), MessageLabel::Tone::Problem);
  }
  refresh();
  Q_EMIT planned();
}

void SweepDialog::measure() {
  m_measuring->run<Result<SweepEstimate>>(
      [plan = *m_plan, folder = folder().toStdString()](const ProgressCallback& progress,
                                                        std::stop_token stop) {
        return estimateSweep(plan, folder, progress, stop);
      },
      [this](const Result<SweepEstimate>& estimate) {
        if (estimate)
          m_estimate = *estimate;
        else
          m_status->setMessage(QString::fromStdString(estimate.error().text()),
                               MessageLabel::Tone::Problem);
        if (m_plan) showReport();
        refresh();
        Q_EMIT estimated();
      });
}

void SweepDialog::showTime() {
  if (!m_plan) return m_time->setText(tr("Nothing to train yet"));
  const auto runs = static_cast<std::int64_t>(m_plan->variants.size() * m_plan->seeds.size());
  QString text = tr("Variants: %1 · seeds: %2 · runs: %3, finished: %4")
                     .arg(m_plan->variants.size())
                     .arg(m_plan->seeds.size())
                     .arg(runs)
                     .arg(m_report.finished);
  if (isSweeping())
    text += tr(" · training");
  else if (m_estimate && m_estimate->left > 0)
    text += tr(" · the rest takes about %1 on this machine (estimated from a few steps of each "
               "variant)")
                .arg(QString::fromStdString(formatDuration(m_estimate->seconds)));
  else if (m_measuring->isBusy())
    text += tr(" · estimating the remaining time…");
  m_time->setText(text);
}

// --- Results ----------------------------------------------------------------------------------

void SweepDialog::showReport() {
  m_table->showSweep(*m_plan, m_report,
                     m_estimate ? m_estimate->secondsOfRun : std::vector<double>());
  draw();
}

void SweepDialog::fillAxes() {
  const QSignalBlocker quiet(m_axis);
  m_axis->clear();
  for (const SweepAxis& axis : sweepAxes(*m_plan))
    m_axis->addItem(tr("over %1").arg(QString::fromStdString(axis.path)),
                    QString::fromStdString(axis.path));
  m_axis->setCurrentIndex(std::max(0, m_axis->findData(m_chosenAxis)));
  m_axis->setEnabled(m_axis->count() > 1);
}

void SweepDialog::draw() {
  m_curves->setVisible(m_plan && !m_report.rows.empty() && m_axis->count() > 0);
  if (!m_plan || m_axis->currentIndex() < 0) return m_plot->setCurves({}, {}, 1);
  const auto curves =
      sweepCurves(*m_plan, m_report.rows, m_axis->currentData().toString().toStdString());
  if (curves)
    m_plot->setCurves(*curves, coreText(sweepQuantityTitle(*m_plan, *curves)),
                      sweepValueScale(*m_plan));
}

void SweepDialog::refresh() {
  const bool busy = isSweeping(), ready = m_plan.has_value();
  m_table->setEnabled(ready);
  m_settings->setEnabled(!busy);
  m_folder->setEnabled(!busy);
  m_start->setEnabled(!busy && ready);
  m_stop->setEnabled(busy && !m_job->isStopping());
  m_save->setEnabled(ready);
  m_runs->setEnabled(m_report.finished > 0 || busy);
  showTime();
}

// --- Training ----------------------------------------------------------------------------------

void SweepDialog::start() {
  if (isSweeping() || !m_plan) return;
  m_measuring->cancel();
  m_status->setMessage(tr("Training…"));
  m_job->start(*m_plan, folder().toStdString());
  refresh();
}

void SweepDialog::stop() {
  if (!isSweeping()) return;
  m_job->stop();
  m_status->setMessage(tr("Stopping after the current step…"));
  refresh();
}

void SweepDialog::take(const SweepReport& report) {
  m_report = report;
  showReport();
  refresh();
}

void SweepDialog::finish(const Result<SweepReport>& report) {
  withdrawQuestions(this);
  m_estimate.reset();
  if (report) m_report = *report;
  showReport();
  refresh();
  if (report && report->failures.empty())
    m_status->setMessage(
        tr("Finished. Tables and figure are in %1.").arg(QDir::toNativeSeparators(folder())),
        MessageLabel::Tone::Plain);
  else if (report)
    m_status->setMessage(tr("%1 of %2 runs failed. The first: %3")
                             .arg(report->failures.size())
                             .arg(report->total)
                             .arg(QString::fromStdString(report->failures.front().run + ": " +
                                                         report->failures.front().error.text())),
                         MessageLabel::Tone::Problem);
  else if (report.error().code == ErrorCode::Canceled)
    m_status->setMessage(tr("Stopped with a checkpoint. Press Train All to continue from it."),
                         MessageLabel::Tone::Plain);
  else
    m_status->setMessage(QString::fromStdString(report.error().text()),
                         MessageLabel::Tone::Problem);
  Q_EMIT ended();
}

void SweepDialog::chooseSweepFile() {
  askWhereToSave(this, tr("Save the sweep file"),
                 QString::fromStdString(folderName(m_plan->name) + ".json"), tr("Sweeps (*.json)"),
                 [this](const QString& path) { saveFile(path); });
}

void SweepDialog::saveFile(const QString& path) {
  if (m_plan) m_status->reportSaved(path, writeFileAtomically(path.toStdString(), m_plan->file));
}

void SweepDialog::reject() {
  if (!isSweeping()) return QDialog::reject();
  dialogs().confirm(this, tr("Stop the sweep?"),
                    tr("Results so far are kept. To continue later, choose the same folder."),
                    tr("Stop"), [this](bool yes) {
                      if (!yes) return;
                      if (!isSweeping()) return QDialog::reject();
                      connect(this, &SweepDialog::ended, this, [this] { QDialog::reject(); });
                      stop();
                    });
}

void SweepDialog::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls() && !isSweeping()) event->acceptProposedAction();
}

/// The folder of a sweep, or a sweep file.
void SweepDialog::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty() || !urls.front().isLocalFile()) return;
  const QString path = urls.front().toLocalFile();
  if (QFileInfo(path).isDir())
    setFolder(path);
  else
    m_settings->openFile(path);
}

}  // namespace headlight
