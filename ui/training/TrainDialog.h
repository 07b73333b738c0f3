// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Data, training, telemetry and run settings of a training, and the folder that it goes to.

#include <QDialog>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/config/Experiment.h"
#include "ui/training/DatasetSummary.h"
#include "ui/training/RunFolders.h"
#include "ui/training/TrainDialogParts.h"

class QTabWidget;
class QTimer;

namespace headlight {

class BackgroundTask;
class Document;
class ParameterForm;
class RecipeRow;
struct Recipe;

class TrainDialog : public QDialog {
  Q_OBJECT
 public:
  /// `experiment`: what to begin with, usually trainingExperimentOf(document) with the settings
  /// used last. Where it names no weights, the run starts from the open model's, if they are a
  /// file: random weights are a choice of the person.
  TrainDialog(Document* document, const Experiment& experiment, QWidget* parent = nullptr);

  /// What to train; its model has as many classes as the data.
  Experiment experiment() const;
  std::filesystem::path folder() const;
  /// Every setting is right, the data was looked at, and the folder holds no run.
  bool isValid() const { return m_valid; }

  /// A folder of data: its kind is detected; one that fits nothing is said beside the field.
  void setDataFolder(const QString& path);
  void setRunFolder(const QString& path);

 Q_SIGNALS:
  /// What would be trained, to be trained elsewhere; the dialog stays open.
  void exportRequested(const Experiment& experiment);

 private:
  struct FolderState {
    std::filesystem::path folder;
    bool holdsRun = false;
  };

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
  Experiment m_experiment;  ///< the newest without an error
  QTabWidget* m_tabs = nullptr;
  std::map<std::string, ParameterForm*> m_forms;
  std::map<std::string, int> m_tabOf;
  std::map<std::string, QString> m_tabTitles;
  RecipeRow* m_recipe = nullptr;
  Json m_own;  ///< the settings before a recipe was chosen; null: none was
  TrainDataPage m_dataPage;
  TrainFooter m_footer;
  TrainButtons m_buttons;
  QTimer* m_probeTimer = nullptr;
  BackgroundTask* m_probe = nullptr;
  BackgroundTask* m_folderCheck = nullptr;
  BackgroundTask* m_detect = nullptr;
  QTimer* m_estimateTimer = nullptr;
  BackgroundTask* m_estimate = nullptr;
  std::string m_estimatedFor;  ///< the settings that the newest estimate is of, or was begun for
  std::optional<Result<double>> m_seconds;  ///< nothing: being measured
  DatasetSummary m_summary;
  FolderState m_folderState;
  std::string m_asked;          ///< the settings that the newest probe was begun for
  bool m_folderChosen = false;  ///< by the person; else it follows the name
  bool m_valid = false;
};

/// The document's Experiment with the masks that are shown now.
Experiment trainingExperimentOf(const Document& document);

}  // namespace headlight
