// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Trains a sequence model in the window: settings, run folder, and bits per byte during training.
// If the folder contains a run, its settings are shown and it can be resumed.

#include <QWidget>

#include <filesystem>
#include <memory>
#include <optional>

#include "core/config/SequenceExperiment.h"
#include "core/workbench/sequences/SequenceTraining.h"

class QPushButton;

namespace headlight {

class BackgroundTask;
class MessageLabel;
class PathRow;
class SequenceForms;
class SequenceRunPanel;
class SequenceTrainingBridge;

class SequenceTrainPage : public QWidget {
  Q_OBJECT
 public:
  explicit SequenceTrainPage(SequenceTrainingBridge* bridge, QWidget* parent = nullptr);

  /// The settings if all are valid; else the last valid ones.
  const SequenceExperiment& experiment() const { return m_experiment; }
  void setExperiment(const SequenceExperiment& experiment);
  std::filesystem::path folder() const;
  void setRunFolder(const QString& path);
  void offerRun(const QString& path);  ///< setRunFolder, if the folder contains a run
  /// Whether the settings can be changed: no training is running, and they do not belong to a run.
  bool takesSettings() const;
  void setImages(const QString& folder);  ///< a dataset on disk; its kind is detected
  void setTextFile(const QString& path);
  void start();
  void resume();

 Q_SIGNALS:
  /// The user wants to use the model of the run in this folder.
  void useRequested(const QString& folder);

 private:
  struct FolderState {
    std::filesystem::path folder;
    bool holdsRun = false;
    std::optional<SequenceExperiment> experiment;  ///< of the run
    QString error;                                 ///< the reason it cannot be resumed
  };

  QWidget* makeSettings();
  QWidget* makeFolderRow();
  QWidget* makeButtonRow();
  void connectForms();
  void chooseRunFolder();
  void chooseImages();
  void chooseStartWeights();
  void chooseTextFile();

  Json settingsAsJson() const;
  void showSettings(const Json& json);
  void onSettingsChanged();
  void proposeFolder();
  void newRun();
  void checkFolder();
  void takeFolderState(FolderState state);
  QString firstProblem();
  void check();
  bool folderIsKnown() const;

  void onFinished(const std::shared_ptr<const SequenceOutcome>& outcome);

  SequenceTrainingBridge* m_bridge;
  BackgroundTask *m_folderCheck, *m_detect, *m_offer;
  SequenceExperiment m_experiment;
  SequenceForms* m_forms = nullptr;
  PathRow* m_folder = nullptr;
  QPushButton *m_start = nullptr, *m_resume = nullptr, *m_newRun = nullptr, *m_stop = nullptr;
  MessageLabel* m_error = nullptr;
  SequenceRunPanel* m_run = nullptr;

  FolderState m_folderState;
  bool m_folderChosen = false;  ///< by the user; else it follows the name
  std::optional<Json> m_own;    ///< the user's settings, while those of a run are shown
};

}  // namespace headlight
