// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Everything of the window that trains: asks for settings, begins and resumes runs of the open
// model, shows what they have learned so far, and keeps the window of sequence models.

#include <QList>
#include <QObject>
#include <QPointer>

#include <memory>
#include <optional>

#include "core/config/Experiment.h"
#include "ui/widgets/NoticeBar.h"

class QAction;

namespace headlight {

class Document;
class ModelWorker;
class ModelSnapshot;
class Opener;
class ReplayDialog;
class RunPlaces;
class RunsWindow;
class SearchDialog;
class SequenceWindow;
class SweepDialog;
class TeachBridge;
class TeachDialog;
struct SearchReport;
class TrainingBridge;
class TrainingDock;

class TrainingController : public QObject {
  Q_OBJECT
 public:
  TrainingController(Document* document, TrainingBridge* bridge, ModelWorker* inference,
                     Opener* opener, TrainingDock* dock, QWidget* window);

  /// The document's Experiment with the data and training settings that were used last.
  Experiment experiment() const;
  /// Replaces data, training and telemetry of `experiment` by those that were used last.
  void applySettings(Experiment& experiment) const;
  QString dataProblem(const QString& kind) const;
  void setSettings(const Experiment& experiment) { m_settings = experiment; }
  /// The file with the list of runs; empty: none.
  void setPlacesFile(const QString& path) { m_placesFile = path; }

  /// Begins a run, and remembers its settings.
  void start(const Experiment& experiment, const QString& folder);
  /// Goes on with a run, if the person wants to.
  void offerToResume(const QString& folder);
  /// The folder of the last run, also of an earlier session; empty: none.
  QString runFolder() const;
  /// The curves of an earlier run, unless its folder is gone.
  void showRecorded(const QString& folder);
  /// Whether a model of this window or a sequence model trains.
  bool isRunning() const;
  /// After the present step, with checkpoints; then `ended`.
  void stop();
  SequenceWindow* showSequences();
  /// The dialog that teaches the open model classes; `folder`: of these class folders, unless empty.
  TeachDialog* showTeaching(const QString& folder = {});

  const QList<QAction*>& fileCommands() const { return m_fileCommands; }
  const QList<QAction*>& modelCommands() const { return m_modelCommands; }
  const QList<QAction*>& maskCommands() const { return m_maskCommands; }
  const QList<QAction*>& trainCommands() const { return m_trainCommands; }

 Q_SIGNALS:
  void settingsChanged();
  void showRequested();                   ///< the workspace in which a run is watched
  void runOpened(const QString& folder);  ///< begun or resumed
  void notice(const headlight::Notice& notice);
  void failed(const QString& title, const QString& text);
  void sequencesReported(const QString& text, bool problem);  ///< the window of sequence models
  void ended();  ///< a run of either kind ended, with or without error
  void helpRequested(const QString& page);
  void followRequested(const QString& folder);  ///< of a run in the list of runs

 private:
  void makeCommands();
  void connectDock();
  void connectBridge();
  void connectOpener();
  void choose();
  void askWhereEditsGo();
  void chooseRunToResume();
  void resume(const QString& folder);
  void chooseWhereToSaveWeights();
  void takeData(const QString& kind, const QString& folder);
  void onSnapshot(std::shared_ptr<const ModelSnapshot> snapshot);
  /// The experiment of the running run, with its edits; else the one that would be trained now.
  Experiment presentExperiment() const;
  void exportConfig(const Experiment& experiment, QWidget* parent);
  void exportForCluster(const Experiment& experiment, QWidget* parent);
  void showRuns();
  void showSweep();
  void showReplay();
  void showSearch();
  void useFound(const SearchReport& report);
  void saveTaught();
  void remember(const Experiment& experiment);

  Document* m_document;
  TrainingBridge* m_bridge;
  ModelWorker* m_inference;
  Opener* m_opener;
  TrainingDock* m_dock;
  QWidget* m_window;
  QPointer<SequenceWindow> m_sequences;  ///< null until it is wanted
  std::optional<Experiment> m_settings;  ///< data, training and telemetry as used last
  QPointer<SearchDialog> m_search;       ///< null until it is wanted
  QPointer<RunsWindow> m_runs;           ///< likewise
  RunPlaces* m_places = nullptr;         ///< likewise
  QPointer<ReplayDialog> m_replay;       ///< likewise
  QPointer<SweepDialog> m_sweep;         ///< likewise
  TeachBridge* m_teaching = nullptr;     ///< likewise
  QPointer<TeachDialog> m_teach;         ///< likewise
  QString m_savingTaught;                ///< where the taught model is being saved; empty: nowhere
  QString m_placesFile;
  QList<QAction*> m_fileCommands, m_modelCommands, m_maskCommands, m_trainCommands;
  QAction *m_export = nullptr, *m_cluster = nullptr;
};

}  // namespace headlight
