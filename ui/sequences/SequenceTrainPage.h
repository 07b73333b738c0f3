// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Training a sequence model in the window: its settings, the folder that the run goes to, and how
// many bits it needs meanwhile. Where the folder holds a run, its settings are shown and it can be
// resumed.

#include <QWidget>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/SequenceExperiment.h"
#include "core/workbench/sequences/SequenceTraining.h"

class QLabel;
class QPushButton;

namespace headlight {

class BackgroundTask;
class BitsPlot;
class MessageLabel;
class ParameterForm;
class PathRow;
class ProgressLine;
class SequenceTrainingBridge;

class SequenceTrainPage : public QWidget {
  Q_OBJECT
 public:
  explicit SequenceTrainPage(SequenceTrainingBridge* bridge, QWidget* parent = nullptr);

  /// The settings, when all of them are right; else the newest that were.
  const SequenceExperiment& experiment() const { return m_experiment; }
  void setExperiment(const SequenceExperiment& experiment);
  std::filesystem::path folder() const;
  void setRunFolder(const QString& path);
  void offerRun(const QString& path);  ///< setRunFolder, if a run was begun there
  /// Whether the settings can be changed: no training goes on, and they are not those of a run.
  bool takesSettings() const;
  void setPictures(const QString& folder);  ///< a dataset on disk; its kind is detected
  void setTextFile(const QString& path);
  void start();
  void resume();

 Q_SIGNALS:
  /// What the run in this folder has learnt is to be used.
  void useRequested(const QString& folder);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct FolderState {
    std::filesystem::path folder;
    bool holdsRun = false;
    std::optional<SequenceExperiment> experiment;  ///< of the run
    QString error;                                 ///< why it cannot be resumed
  };

  // SequenceTrainPageParts.cpp
  QWidget* makeSettings();
  QWidget* makeDataTab();
  QWidget* makeTrainingTab();
  QWidget* makeFolderRow();
  QWidget* makeButtonRow();
  QWidget* makeProgress();
  ParameterForm* addForm(const std::string& key);
  void chooseRunFolder();
  void choosePictures();
  void chooseStartWeights();
  void chooseTextFile();
  void updateFieldVisibility();
  void lockSettings(bool locked);

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

  // SequenceTrainPageRun.cpp
  void begin();
  void onStateChanged();
  void onUpdated(const std::vector<SequenceReading>& readings);
  void onFinished(const std::shared_ptr<const SequenceOutcome>& outcome, const QString& error);

  SequenceTrainingBridge* m_bridge;
  BackgroundTask *m_folderCheck, *m_detect, *m_offer;
  SequenceExperiment m_experiment;
  std::map<std::string, ParameterForm*> m_forms;
  std::vector<QWidget*> m_dataButtons;
  PathRow* m_folder = nullptr;
  QPushButton *m_start = nullptr, *m_resume = nullptr, *m_newRun = nullptr, *m_stop = nullptr,
              *m_use = nullptr;
  MessageLabel *m_error = nullptr, *m_outcome = nullptr;
  BitsPlot* m_plot = nullptr;
  ProgressLine* m_progress = nullptr;
  QLabel *m_state = nullptr, *m_numbers = nullptr;

  FolderState m_folderState;
  bool m_folderChosen = false;  ///< by the person; else it follows the name
  std::optional<Json> m_own;    ///< the person's settings, while those of a run are shown
  std::optional<double> m_trainBits, m_validationBits;
  QString m_usable;  ///< the folder of the last run that has weights
};

}  // namespace headlight
