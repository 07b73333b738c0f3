// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/RunsWindow.h"

#include <QDragEnterEvent>
#include <QMimeData>
#include <QSplitter>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/base/files/Files.h"
#include "core/workbench/figures/RunFigure.h"
#include "ui/bridge/RunsBridge.h"
#include "ui/plots/PlotCommands.h"
#include "ui/runs/RunPlaces.h"
#include "ui/runs/RunPlacesBar.h"
#include "ui/runs/RunsButtons.h"
#include "ui/runs/RunsComparison.h"
#include "ui/runs/RunsTable.h"
#include "ui/runs/RunsTableModel.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

QStringList droppedPaths(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

}  // namespace

RunsWindow::RunsWindow(RunPlaces* places, QWidget* parent)
    : QDialog(parent),
      m_places(places),
      m_bridge(new RunsBridge(this)),
      m_table(new RunsTable(this)),
      m_comparison(new RunsComparison(this)),
      m_progress(new ProgressLine(tr("Reading the runs"), this)),
      m_status(new MessageLabel(this)),
      m_buttons(new RunsButtons(this)) {
  setObjectName(QStringLiteral("runsWindow"));
  setWindowTitle(tr("Runs"));
  setAcceptDrops(true);
  resize(1120, 720);
  layOut();
  connectParts();
  choose();
  lookInPlaces();
}

RunsWindow::~RunsWindow() = default;

void RunsWindow::layOut() {
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  parts->addWidget(m_table);
  parts->addWidget(m_comparison);
  parts->setSizes({280, 380});
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(new RunPlacesBar(m_places, this));
  layout->addWidget(parts, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(m_buttons);
}

void RunsWindow::connectParts() {
  connect(m_places, &RunPlaces::changed, this, &RunsWindow::lookInPlaces);
  connect(m_bridge, &RunsBridge::reported, this,
          [this](const std::shared_ptr<const RunListUpdate>& news) { take(*news); });
  connect(m_bridge, &RunsBridge::roundDone, this, &RunsWindow::finishRound);
  connect(m_table, &RunsTable::choiceChanged, this, &RunsWindow::choose);
  connect(m_table, &RunsTable::removeRequested, this, &RunsWindow::removeChosen);
  connect(m_table, &QTableView::doubleClicked, m_buttons, &RunsButtons::openBest);
  connect(m_buttons, &RunsButtons::openRequested, this, &RunsWindow::openRequested);
  connect(m_buttons, &RunsButtons::followRequested, this, &RunsWindow::followRequested);
  connect(m_buttons, &RunsButtons::removeRequested, this, &RunsWindow::removeChosen);
  connect(m_buttons, &RunsButtons::exportRequested, this, &RunsWindow::askWhereToExport);
  connect(m_buttons, &RunsButtons::nothingKept, this,
          [this] { notify(tr("This run has no checkpoint yet."), true); });
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  const auto* plots = m_comparison->plotCommands();
  connect(plots, &PlotCommands::reported, this, [this](const QString& text) { notify(text); });
  connect(plots, &PlotCommands::failed, this, [this](const QString& title, const QString& text) {
    notify(title + QStringLiteral(". ") + text, true);
  });
}

void RunsWindow::lookInPlaces() {
  if (m_table->rows()->rowCount() == 0) showProgress({});
  m_bridge->setFolders(m_places->paths(), m_places->removedPaths());
}

void RunsWindow::showProgress(const Progress& progress) {
  if (progress.total > 0)
    m_progress->setProgress(progress);
  else
    m_progress->setBusy();
  m_progress->show();
}

void RunsWindow::take(const RunListUpdate& news) {
  m_table->apply(news);
  m_leftOut = news.leftOut;
  const std::int64_t all = m_table->rows()->rowCount();
  const auto waiting = static_cast<std::int64_t>(news.waiting);
  const bool reading = std::any_of(m_table->rows()->runs().begin(), m_table->rows()->runs().end(),
                                   [](const ListedRun& run) { return !run.looked; });
  if (reading) showProgress({tr("reading runs").toStdString(), all - waiting, all, -1});
  m_comparison->takeHistories(news.histories);
  m_buttons->setListed(all > 0);
  reportCompared();
}

void RunsWindow::finishRound() {
  m_progress->hide();
  const QString said = std::exchange(m_said, summary());
  // A message about a saved file stays until the summary changes.
  if (m_said != said) m_status->setMessage(m_said, MessageLabel::Tone::Plain);
  Q_EMIT listed();
}

QString RunsWindow::summary() const {
  const int runs = m_table->rows()->rowCount();
  if (runs == 0) return tr("No runs were found in these folders, up to two folders deep.");
  if (m_leftOut == 0) return tr("Runs: %1. Select some to see their curves in one plot.").arg(runs);
  return tr("Runs: %1; %2 more are omitted because a folder has too many. Add its subfolders one "
            "by one.")
      .arg(runs)
      .arg(m_leftOut);
}

void RunsWindow::choose() {
  const auto chosen = m_table->chosen(kMostCompared);
  const QString one =
      chosen.size() == 1 ? QString::fromStdString(chosen.front().folder.string()) : QString();
  m_buttons->setChoice(one, !chosen.empty());
  m_buttons->setListed(m_table->rows()->rowCount() > 0);
  m_comparison->setRuns(chosen);
  std::vector<std::uint64_t> ids;
  for (const ListedRun& run : chosen)
    ids.push_back(run.id);
  m_telling = true;
  if (std::exchange(m_compared, ids) != ids) m_bridge->setCompared(ids);
  reportCompared();
}

void RunsWindow::reportCompared() {
  if (!m_telling || !m_comparison->isComplete()) return;
  m_telling = false;
  Q_EMIT compared();
}

void RunsWindow::removeChosen() {
  QStringList folders;
  for (const ListedRun& run : m_table->chosen(SIZE_MAX))
    folders << QString::fromStdString(run.folder.string());
  m_places->removeRuns(folders);
}

void RunsWindow::askWhereToExport() {
  askWhereToSave(this, tr("Export the table of runs"), QStringLiteral("runs.csv"),
                 tr("Tables (*.csv)"), [this](const QString& path) { exportTable(path); });
}

void RunsWindow::exportTable(const QString& path) {
  m_status->reportSaved(path,
                        writeFileAtomically(path.toStdString(), runsCsv(m_table->rows()->runs())));
}

void RunsWindow::notify(const QString& text, bool problem) {
  m_status->setMessage(text, problem ? MessageLabel::Tone::Problem : MessageLabel::Tone::Quiet);
}

void RunsWindow::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  m_bridge->setPolling(true);
}

void RunsWindow::hideEvent(QHideEvent* event) {
  m_bridge->setPolling(false);
  QDialog::hideEvent(event);
}

void RunsWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!droppedPaths(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void RunsWindow::dropEvent(QDropEvent* event) {
  const QStringList paths = droppedPaths(event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  m_places->add(paths);
}

}  // namespace headlight
