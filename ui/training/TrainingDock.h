// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The content of the Training dock: run controls, progress, live plots, and the target of mask
// edits during a run. Uses the run through TrainingBridge only; "Show the training weights" is
// TrainingBridge::setSnapshotsWanted, whose snapshots the shell passes to ModelWorker.

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <memory>
#include <optional>

#include "core/workbench/training/TrainingSession.h"
#include "ui/base/WarningLog.h"
#include "ui/training/TrainingControls.h"

namespace headlight {

class Document;
class EvolutionBar;
class EvolutionBridge;
class FollowBridge;
class LocalityPlot;
class LossPlot;
class PlotCommands;
class ReadingsPlot;
struct RecordedRun;
class RunEdits;
struct RunGrowth;
class TrainingBridge;
class TrainingFollower;
class TrainingOutcomeBar;
class TrainingPlots;

class TrainingDock : public QWidget {
  Q_OBJECT
 public:
  TrainingDock(Document* document, TrainingBridge* bridge, QWidget* parent = nullptr);

  /// The source of followed runs. Call once, after the constructor.
  void setFollower(FollowBridge* follower);

  QAction* startAction() const { return m_actions.start; }
  QAction* pauseAction() const { return m_actions.pause; }  ///< pauses or continues
  QAction* stopAction() const { return m_actions.stop; }
  QAction* followEditsAction() const { return m_actions.followEdits; }    ///< checkable
  QAction* lookThroughAction() const { return m_actions.lookThrough; }    ///< checkable
  QAction* learningRateAction() const { return m_actions.learningRate; }  ///< checkable
  EvolutionBar* evolution() const { return m_evolution; }
  EvolutionBridge* images() const { return m_images; }  ///< images of the evolution
  QList<QAction*> commands() const;  ///< these and the evolution's, for the Train menu
  /// Mask edits of this run change the open model only.
  void keepEditsInWindow();
  const WarningLog& warnings() const { return m_warnings; }

 Q_SIGNALS:
  void startRequested();   ///< open the training dialog
  void resumeRequested();  ///< ask for a run's folder
  void followRequested();  ///< ask for a run's folder
  void openCheckpointRequested(const QString& path);
  /// Compare the starting weights of a run with its trained ones.
  void compareRequested(const QString& start, const QString& trained);
  /// The first mask edit of a run: ask whether edits go to the run (RunEdits).
  void editsUndecided();
  void openFolderRequested(const QString& path);
  void saveWeightsRequested();  ///< the newest of a run that ended with an error
  void exportRequested(const Experiment& experiment);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void onStateChanged();
  void onUpdated(const std::shared_ptr<const TrainingUpdate>& update);
  void onFinished(const std::shared_ptr<const TrainingOutcome>& outcome, const QString& error);
  void begin();
  void clear();
  void onRecorded(const std::shared_ptr<const RecordedRun>& run);
  void addEdit(const AppliedEdit& edit);
  void onWentOn(const RunHistory& history);
  void onGrew(const RunGrowth& growth);
  void onLeft(const QString& folder);
  void showFollowedMasks();
  void requestRedraw();
  void redraw();
  void refreshControls();
  void refreshStatus();
  void refreshOutcomeCommands();
  void showOutcome(const QString& text, bool problem);
  QString startWeights() const;
  void onFolderRecreated(const QString& error);
  QString stateText() const;
  void connectActions();
  void connectSources();
  void showRecorded();
  void makePlots();
  void refreshPlots();
  void refreshShown();

  Document* m_document;
  TrainingBridge* m_bridge;
  TrainingActions m_actions;
  TrainingControlRow m_controls;
  TrainingOutcomeBar* m_outcomeBar = nullptr;
  TrainingPlots* m_plots = nullptr;
  QWidget* m_options = nullptr;
  QLabel* m_shownWeights = nullptr;  ///< the weights of the image, during a run
  LossPlot* m_loss = nullptr;
  LocalityPlot* m_locality = nullptr;
  ReadingsPlot* m_readings = nullptr;  ///< hidden if the run has none
  EvolutionBar* m_evolution = nullptr;
  EvolutionBridge* m_images;
  TrainingFollower* m_follower = nullptr;
  PlotCommands* m_plotCommands = nullptr;
  RunEdits* m_edits;
  QTimer m_redrawTimer;

  bool m_active = false;  ///< from the bridge's start until its finished
  bool m_seen = false;    ///< a run was shown since the window opened
  TrainingState m_runState = TrainingState::Preparing;
  Progress m_runProgress;
  std::int64_t m_epoch = 0, m_epochs = 0;
  double m_imagesPerSecond = 0;
  QString m_message;
  WarningLog m_warnings;
  std::optional<TrainingOutcome> m_outcome;
  std::optional<Experiment> m_recorded;  ///< of an earlier or followed run
  bool m_left = false;                   ///< the curves belong to a run that is no longer followed
};

}  // namespace headlight
