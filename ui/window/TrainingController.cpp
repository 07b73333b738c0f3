// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/TrainingController.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QUrl>
#include <QWidget>

#include <utility>

#include "core/models/Registry.h"
#include "core/workbench/adapt/LinearHead.h"
#include "ui/base/Actions.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/bridge/RunsBridge.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/opening/Opener.h"
#include "ui/runs/RunPlaces.h"
#include "ui/runs/RunsWindow.h"
#include "ui/runs/SweepDialog.h"
#include "ui/sequences/SequenceWindow.h"
#include "ui/teaching/TeachBridge.h"
#include "ui/teaching/TeachDialog.h"
#include "ui/training/ExportClusterDialog.h"
#include "ui/training/ExportConfigDialog.h"
#include "ui/training/ReplayDialog.h"
#include "ui/training/RunFolders.h"
#include "ui/training/SearchDialog.h"
#include "ui/training/TaskSettings.h"
#include "ui/training/TrainDialog.h"
#include "ui/training/TrainingDock.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

const QString kEditsTopic = QStringLiteral("run-edits");

void bringUp(QWidget* window) {
  window->show();
  window->raise();
  window->activateWindow();
}

}  // namespace

TrainingController::TrainingController(Document* document, TrainingBridge* bridge,
                                       ModelWorker* inference, Opener* opener, TrainingDock* dock,
                                       QWidget* window)
    : QObject(window),
      m_document(document),
      m_bridge(bridge),
      m_inference(inference),
      m_opener(opener),
      m_dock(dock),
      m_window(window) {
  makeCommands();
  connectDock();
  connectBridge();
  connectOpener();
}

void TrainingController::makeCommands() {
  m_export =
      makeCommand(this,
                  {"file.exportConfig", tr("Export &config…"),
                   tr("Save model, masks, data and training settings for headlight-cli train"),
                   "Ctrl+Shift+E", "export"},
                  [this] { exportConfig(presentExperiment(), m_window); });
  m_cluster = makeCommand(
      this,
      {"file.exportCluster", tr("Export for a c&luster…"),
       tr("Write a folder with the config, the weights and scripts for torchrun, mpirun and Slurm"),
       "Ctrl+Alt+N", "export"},
      [this] { exportForCluster(presentExperiment(), m_window); });
  m_fileCommands << m_export << m_cluster;
  m_maskCommands << makeCommand(this,
                                {"masks.search", tr("Searc&h for a scheme…"),
                                 tr("Find which heads to mask: MaiT's quick search, by importance, "
                                    "at random; or make soft heads hard"),
                                 "Ctrl+K, F", "search"},
                                [this] { showSearch(); });
  QAction* teach = makeCommand(
      this,
      {"train.teach",
       tr("Teach c&lasses…"),
       tr("Teach the open model your own classes in seconds: a linear probe and k-NN on "
          "its features"),
       "Ctrl+W, L",
       {}},
      [this] { showTeaching(); });
  m_trainCommands << teach;
  m_trainCommands << makeCommand(
      this,
      {"train.runs", tr("R&uns…"),
       tr("Compare the runs of a folder: metrics, curves and settings that differ"), "Ctrl+Alt+U",
       "folder"},
      [this] { showRuns(); });
  m_trainCommands << makeCommand(this,
                                 {"train.sweep", tr("S&weep…"),
                                  tr("Train variants of the present or a published experiment from "
                                     "several seeds and compare them"),
                                  "Ctrl+Alt+V", "compare"},
                                 [this] { showSweep(); });
  m_trainCommands << makeCommand(
      this,
      {"train.replay",
       tr("Repla&y a run…"),
       tr("Train a finished run again with its mask edits, and see whether the weights are the "
          "same"),
       "Ctrl+Alt+Y",
       {}},
      [this] { showReplay(); });
  for (QAction* action : m_fileCommands + m_maskCommands + QList<QAction*>{teach}) {
    action->setEnabled(false);
    action->setStatusTip(action->toolTip());
    connect(&m_document->inputs(), &InferenceInputs::modelChanged, action, [this, action] {
      action->setEnabled(m_document->inputs().canCompute());
      action->setToolTip(m_document->inputs().canCompute() ? action->statusTip()
                                                           : m_document->inputs().whyNotComputed());
    });
  }
  m_modelCommands << makeCommand(
      this,
      {"model.sequences",
       tr("Se&quence models…"),
       tr("Train a causal AFT on images or text; complete images, continue text"),
       "Ctrl+Alt+S",
       {}},
      [this] { showSequences(); });
}

// --- Who hears of what -------------------------------------------------------------------------

void TrainingController::connectDock() {
  connect(m_dock, &TrainingDock::startRequested, this, &TrainingController::choose);
  connect(m_dock, &TrainingDock::resumeRequested, this, &TrainingController::chooseRunToResume);
  connect(m_dock, &TrainingDock::editsUndecided, this, &TrainingController::askWhereEditsGo);
  connect(m_dock, &TrainingDock::exportRequested, this,
          [this](const Experiment& experiment) { exportConfig(experiment, m_window); });
  connect(m_dock, &TrainingDock::openCheckpointRequested, this, [this](const QString& path) {
    ModelSource source;
    source.weights = path.toStdString();
    m_inference->openModel(source);
  });
  connect(m_dock, &TrainingDock::saveWeightsRequested, this,
          &TrainingController::chooseWhereToSaveWeights);
  connect(m_dock, &TrainingDock::openFolderRequested, this,
          [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
}

/// Once a run; closing the notice leaves the edits in the window.
void TrainingController::askWhereEditsGo() {
  const QString run = displayName(QFileInfo(m_bridge->folder()).fileName());
  Notice question{
      Notice::Level::Info,
      tr("Masks were edited while run “%1” trains").arg(run),
      tr("The edit is in the open model only. Should this and later edits go to the run "
         "too?"),
      tr("Also to the Run"),
      [this] { m_dock->followEditsAction()->setChecked(true); },
      kEditsTopic};
  question.other = tr("Open Model Only");
  question.runOther = [this] { m_dock->keepEditsInWindow(); };
  Q_EMIT notice(question);
}

void TrainingController::connectBridge() {
  connect(m_inference, &ModelWorker::saved, this, [this](const QString& path) {
    if (m_savingTaught.isEmpty() || std::exchange(m_savingTaught, {}) != path) return;
    ModelSource source;
    source.weights = path.toStdString();
    m_teaching->expectSaved(source.weights);
    m_inference->openModel(source);
  });
  connect(m_bridge, &TrainingBridge::stateChanged, this, &TrainingController::settingsChanged);
  connect(m_bridge, &TrainingBridge::snapshotsWantedChanged, this, [this](bool wanted) {
    if (!wanted) m_inference->releaseTraining();
  });
  connect(m_bridge, &TrainingBridge::snapshotReady, this, &TrainingController::onSnapshot);
  connect(m_bridge, &TrainingBridge::weightsSaved, this,
          [this](const QString& path, const QString& error) {
            if (error.isEmpty())
              Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
            else
              Q_EMIT failed(tr("%1 was not saved").arg(QFileInfo(path).fileName()), error);
          });
  connect(m_bridge, &TrainingBridge::finished, this,
          [this](std::shared_ptr<const TrainingOutcome>, const QString& error) {
            if (!error.isEmpty()) Q_EMIT failed(tr("The training ended"), error);
            Notice answered;  // nobody can answer any more
            answered.topic = kEditsTopic;
            Q_EMIT notice(answered);
            if (m_runs) m_runs->bridge()->poll();  // it is not training any more, from now on
            Q_EMIT ended();
          });
}

void TrainingController::connectOpener() {
  connect(m_opener, &Opener::settingsFound, this, &TrainingController::setSettings);
  connect(m_opener, &Opener::dataFound, this, &TrainingController::takeData);
  connect(m_opener, &Opener::runsFound, this, [this](const QString& folder) {
    showRuns();
    m_places->add({folder});
  });
  connect(m_opener, &Opener::sequenceFound, this,
          [this](const QString& path) { showSequences()->openPath(path); });
}

void TrainingController::onSnapshot(std::shared_ptr<const ModelSnapshot> snapshot) {
  auto experiment = m_bridge->experiment();
  if (experiment)  // captions call the run what the line below the window calls it
    experiment->name = QFileInfo(m_bridge->folder()).fileName().toStdString();
  // Once is enough: the next one would be refused as well.
  if (experiment && !m_inference->adopt(*experiment, std::move(snapshot)))
    m_bridge->setSnapshotsWanted(false);
}

// --- Settings ----------------------------------------------------------------------------------

Experiment TrainingController::experiment() const {
  Experiment experiment = makeTrainingExperiment(*m_document);
  applySettings(experiment);
  return fittedToTask(std::move(experiment));
}

void TrainingController::applySettings(Experiment& experiment) const {
  if (!m_settings) return;
  experiment.data = m_settings->data;
  experiment.training = m_settings->training;
  experiment.telemetry = m_settings->telemetry;
}

/// Why the open model cannot be trained on a kind of dataset; empty: it can, or there is none.
QString TrainingController::dataProblem(const QString& kind) const {
  if (!m_document->inputs().canCompute()) return {};
  return taskProblem(taskOf(m_document->inputs().model().experiment.model), kind.toStdString());
}

void TrainingController::remember(const Experiment& experiment) {
  m_settings = experiment;
  m_settings->training.weights.clear();  // where one run began is not where the next one must
  Q_EMIT settingsChanged();
}

void TrainingController::takeData(const QString& kind, const QString& folder) {
  m_settings = experiment();
  m_settings->data.dataset = kind.toStdString();
  m_settings->data.path = folder.toStdString();
  const QString name = QFileInfo(folder).fileName();
  Notice found{Notice::Level::Info,
               {},
               tr("%1 can be trained on (%2).").arg(name, kind),
               tr("Train…"),
               [this] { choose(); }};
  if (const QString problem = dataProblem(kind); !problem.isEmpty())
    found = {Notice::Level::Warning, {}, tr("%1: %2").arg(name, problem), {}, {}};
  const InferenceInputs& inputs = m_document->inputs();
  if (inputs.canCompute() && isTeachable(inputs.model()) && !hasBoxes(kind.toStdString()) &&
      !hasSegments(kind.toStdString())) {
    found.other = tr("Teach…");
    found.runOther = [this, folder] { showTeaching(folder); };
  }
  found.about = Notice::File | Notice::Run;
  Q_EMIT notice(found);
}

Experiment TrainingController::presentExperiment() const {
  const auto run = m_bridge->isRunning() ? m_bridge->exported() : std::nullopt;
  return run ? *run : experiment();
}

void TrainingController::exportForCluster(const Experiment& experiment, QWidget* parent) {
  auto* dialog =
      new ExportClusterDialog(experiment, m_document->inputs().model().weights.string(), parent);
  connect(dialog, &ExportClusterDialog::exported, this, [this](const QString& folder) {
    Q_EMIT m_document->message(tr("Exported to %1").arg(QDir::toNativeSeparators(folder)));
  });
  dialogs().show(dialog, {});
}

void TrainingController::showRuns() {
  if (!m_places)
    m_places = new RunPlaces(m_placesFile, QString::fromStdString(runsFolder().string()), this);
  if (!m_runs) {
    m_runs = new RunsWindow(m_places, m_window);  // stays: what it has read is not read again
    connect(m_runs, &RunsWindow::followRequested, this, &TrainingController::followRequested);
    connect(m_runs, &RunsWindow::openRequested, this, [this](const QString& path) {
      ModelSource source;
      source.weights = path.toStdString();
      m_inference->openModel(source);
    });
  }
  bringUp(m_runs);
}

void TrainingController::showSweep() {
  if (!m_sweep) {
    m_sweep = new SweepDialog(presentExperiment(), m_window);
    m_sweep->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_sweep, &SweepDialog::ended, this, &TrainingController::ended);
    connect(m_sweep, &SweepDialog::runsRequested, this, [this](const QString& folder) {
      showRuns();
      m_places->add({folder});
    });
  }
  bringUp(m_sweep);
}

void TrainingController::showReplay() {
  if (!m_replay) {
    m_replay = new ReplayDialog(m_bridge->isRunning() ? QString() : runFolder(), m_window);
    m_replay->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_replay, &ReplayDialog::ended, this, &TrainingController::ended);
  }
  bringUp(m_replay);
}

void TrainingController::showSearch() {
  if (!m_search) {
    m_search = new SearchDialog(presentExperiment(), m_document->inputs().model().weights.string(),
                                m_window);
    m_search->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_search, &SearchDialog::found, this, &TrainingController::useFound);
    connect(m_search, &SearchDialog::ended, this, &TrainingController::ended);
  }
  bringUp(m_search);
}

TeachDialog* TrainingController::showTeaching(const QString& folder) {
  if (!m_teaching) m_teaching = new TeachBridge(m_document, m_inference, this);
  if (!m_teach) {
    // Closed it is hidden: classes made by hand are there again.
    m_teach = new TeachDialog(m_document, m_teaching, experiment().data, m_window);
    connect(m_teach, &TeachDialog::saveRequested, this, &TrainingController::saveTaught);
    connect(m_teach, &TeachDialog::opened, this, [this](const Image& image, const QString& name) {
      m_document->setImage(image, name, {});
    });
  }
  m_teach->setData(experiment().data);
  if (!folder.isEmpty()) m_teach->setFolder(folder);
  bringUp(m_teach);
  return m_teach;
}

/// Opened from the file afterwards, so that sessions find it again.
void TrainingController::saveTaught() {
  const QString name = QString::fromStdString(m_document->inputs().model().experiment.model.name);
  askWhereToSave(m_window, tr("Save the taught model"),
                 QDir(documentsFolder()).filePath(name + QStringLiteral("-taught.safetensors")),
                 tr("safetensors (*.safetensors)"), [this](const QString& path) {
                   m_savingTaught = path;
                   m_inference->saveModel(path);
                 });
}

namespace {

/// By head: what was decided of a whole layer is said of each of its heads, and what came last
/// counts.
std::map<HeadPlace, QString> reasonsByHead(const SearchReport& report) {
  std::map<HeadPlace, QString> reasons;
  for (const SearchDecision& decision : report.decisions) {
    const QString text = QStringLiteral("%1, %2: %3")
                             .arg(QString::fromStdString(decision.round), coreText(decision.action),
                                  coreText(decision.reason));
    const bool whole = decision.head < 0;
    const int first = whole ? 0 : decision.head;
    const int last = whole ? report.scheme.heads(decision.layer) - 1 : decision.head;
    for (int head = first; head <= last; ++head)
      reasons[{decision.layer, head}] = text;
  }
  return reasons;
}

}  // namespace

void TrainingController::useFound(const SearchReport& report) {
  const auto edit =
      makeMaskEdit(m_document->inputs().masks(), report.scheme, tr("found masks").toStdString());
  if (!edit) {
    Q_EMIT failed(tr("The masks were not used"),
                  tr("They belong to a model other than the open one."));
    return;
  }
  m_document->inputs().setMaskReasons(reasonsByHead(report), report.scheme);
  m_document->inputs().pushEdit(*edit);
}

void TrainingController::exportConfig(const Experiment& experiment, QWidget* parent) {
  auto* dialog = new ExportConfigDialog(experiment, parent);
  connect(dialog, &ExportConfigDialog::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  connect(dialog, &ExportConfigDialog::clusterRequested, this,
          [this, dialog](const Experiment& wanted) { exportForCluster(wanted, dialog); });
  dialogs().show(dialog, {});
}

// --- Runs --------------------------------------------------------------------------------------

void TrainingController::choose() {
  if (!m_document->inputs().canCompute() || m_bridge->isRunning()) return;
  auto* dialog = new TrainDialog(m_document, experiment(), m_window);
  connect(dialog, &TrainDialog::exportRequested, this,
          [this, dialog](const Experiment& experiment) {
            remember(experiment);
            exportConfig(experiment, dialog);
          });
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    Q_EMIT showRequested();
    start(dialog->experiment(), QString::fromStdString(dialog->folder().string()));
  });
}

void TrainingController::start(const Experiment& experiment, const QString& folder) {
  remember(experiment);
  Q_EMIT runOpened(folder);
  m_bridge->start(experiment, folder);
}

QString TrainingController::runFolder() const {
  const QString folder = m_bridge->folder();
  return folder.isEmpty() ? folder : QFileInfo(folder).absoluteFilePath();
}

void TrainingController::showRecorded(const QString& folder) {
  m_bridge->readRecorded(folder);
}

void TrainingController::chooseRunToResume() {
  askForFolder(m_window, tr("Resume a training run"), QString::fromStdString(runsFolder().string()),
               [this](const QString& folder) { resume(folder); });
}

void TrainingController::resume(const QString& folder) {
  Q_EMIT runOpened(folder);
  m_bridge->resume(folder);
}

void TrainingController::chooseWhereToSaveWeights() {
  askWhereToSave(
      m_window, tr("Save weights"),
      QDir(documentsFolder())
          .filePath(QFileInfo(m_bridge->folder()).fileName() + QStringLiteral(".safetensors")),
      tr("safetensors (*.safetensors)"),
      [this](const QString& path) { m_bridge->saveNewestWeights(path); });
}

void TrainingController::offerToResume(const QString& folder) {
  dialogs().confirm(m_window, tr("Resume this training run?"), QDir::toNativeSeparators(folder),
                    tr("Resume"), [this, folder](bool yes) {
                      if (yes) resume(folder);
                    });
}

bool TrainingController::isRunning() const {
  return m_bridge->isRunning() || (m_sequences && m_sequences->isTraining()) ||
         (m_search && m_search->isSearching()) || (m_replay && m_replay->isReplaying()) ||
         (m_sweep && m_sweep->isSweeping());
}

void TrainingController::stop() {
  m_bridge->stop();
  if (m_sequences) m_sequences->stopTraining();
  if (m_search) m_search->stop();
  if (m_replay) m_replay->stop();
  if (m_sweep) m_sweep->stop();
}

SequenceWindow* TrainingController::showSequences() {
  if (!m_sequences) {
    m_sequences = new SequenceWindow(m_document, m_window);
    connect(m_sequences, &SequenceWindow::reported, this, &TrainingController::sequencesReported);
    connect(m_sequences, &SequenceWindow::trainingEnded, this, &TrainingController::ended);
    connect(m_sequences, &SequenceWindow::helpRequested, this,
            [this] { Q_EMIT helpRequested(QStringLiteral("sequences")); });
  }
  bringUp(m_sequences);
  return m_sequences;
}

}  // namespace headlight
