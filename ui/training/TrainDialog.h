// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training needs to know: a few questions, and every setting under Advanced.

#include <QDialog>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/config/Experiment.h"
#include "core/config/Tasks.h"
#include "ui/training/DatasetSummary.h"
#include "ui/training/RunFolders.h"
#include "ui/training/TrainDialogParts.h"

class QLabel;
class QTabWidget;
class QTimer;
class QToolButton;

namespace headlight {

class BackgroundTask;
class Document;
class MessageLabel;
class ParameterForm;
class RecipeRow;
struct Recipe;

class TrainDialog : public QDialog {
  Q_OBJECT
 public:
  /// `experiment`: the initial settings, usually makeTrainingExperiment(document) with the settings
  /// used last. If it names no weights, the run starts from the open model's, if they are in a
  /// file: random weights must be chosen explicitly.
  TrainDialog(Document* document, const Experiment& experiment, QWidget* parent = nullptr);

  /// The experiment to train; its model has as many classes as the data.
  Experiment experiment() const;
  std::filesystem::path folder() const;
  /// Every setting is valid, the data was read, and the folder contains no run.
  bool isValid() const { return m_valid; }

  /// A data folder: its kind is detected; an unknown one is reported beside the field.
  void setDataFolder(const QString& path);
  void setRunFolder(const QString& path);

 Q_SIGNALS:
  /// The experiment, to be trained elsewhere; the dialog stays open.
  void exportRequested(const Experiment& experiment);

 private:
  struct FolderState {
    std::filesystem::path folder;
    bool holdsRun = false;
  };

  QLabel* makeSubject(const Experiment& experiment);
  QWidget* makeAdvanced();
  void askInQuestions();
  void showAdvanced(bool shown);
  void countAdvanced();
  void connectParts();
  ParameterForm* addForm(const std::string& key);
  void addTab(QWidget* page, const std::string& key, const QString& title);
  void onChanged();
  void onNameChanged();
  void check();
  void updateFieldVisibility();
  QString firstProblem(Experiment& experiment);
  void markTabs();
  void probe();
  void showSummary();
  void checkFolder();
  void chooseDataFolder();
  void chooseRunFolder();
  void takeStart();
  void showStart();
  void estimate();
  void showTime();
  void takeRecipe(const Recipe* recipe);
  void fill(const Json& experiment);
  Json sectionsAsJson() const;

  Document* m_document;
  Experiment m_initial;
  Task m_task;              ///< what the model learns
  Experiment m_experiment;  ///< the newest without an error
  QTabWidget* m_tabs = nullptr;
  std::map<std::string, ParameterForm*> m_forms;
  std::map<std::string, int> m_tabOf;
  std::map<std::string, QString> m_tabTitles;
  RecipeRow* m_recipe = nullptr;
  Json m_own;  ///< the settings before a recipe was chosen; null: none was
  TrainQuestions m_questions;
  QToolButton* m_advancedButton = nullptr;
  QWidget* m_advanced = nullptr;
  MessageLabel* m_error = nullptr;
  TrainButtons m_buttons;
  QTimer* m_probeTimer = nullptr;
  BackgroundTask* m_probe = nullptr;
  BackgroundTask* m_folderCheck = nullptr;
  BackgroundTask* m_detect = nullptr;
  QTimer* m_estimateTimer = nullptr;
  BackgroundTask* m_estimate = nullptr;
  std::string m_estimatedFor;  ///< the settings of the newest estimate, or of the one in progress
  std::optional<Result<double>> m_seconds;  ///< empty: being measured
  DatasetSummary m_summary;
  FolderState m_folderState;
  std::string m_asked;          ///< the settings of the newest probe
  bool m_folderChosen = false;  ///< by the person; else it follows the name
  bool m_valid = false;
};

/// The document's Experiment with the current masks.
Experiment makeTrainingExperiment(const Document& document);

}  // namespace headlight
