// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exports an experiment as a folder for a cluster: number of machines, preview of the scripts, and
// the folder. The preview shows exactly what is written.

#include <QDialog>

#include <string>
#include <vector>

#include "core/workbench/export/ClusterExport.h"

class QCheckBox;
class QPushButton;
class QTabWidget;

namespace headlight {

class BackgroundTask;
class MessageLabel;
class ParameterForm;
class PathRow;

class ExportClusterDialog : public QDialog {
  Q_OBJECT
 public:
  /// `loadedWeights`: the open model's file; empty if it has none.
  ExportClusterDialog(const Experiment& experiment, const std::string& loadedWeights,
                      QWidget* parent = nullptr);

  /// The experiment as it would be written, with the data and weights chosen here.
  Experiment experiment() const;
  ClusterPlan plan() const;
  QString folder() const;
  void setFolder(const QString& path);
  /// "cd FOLDER && ./torchrun.sh", for the script shown; quoted for a shell.
  QString command() const;
  void exportNow();

 Q_SIGNALS:
  void exported(const QString& folder);
  void failed(const QString& text);

 private:
  QWidget* makeSettings(const std::string& loadedWeights);
  QWidget* makeButtons();
  void addPage(const QString& name);
  void refresh();
  void chooseFolder();
  void onExported(const Result<ClusterExport>& outcome);

  Experiment m_experiment;
  std::string m_loaded;
  std::vector<LauncherScript> m_launchers;
  BackgroundTask* m_files;
  PathRow* m_folder;
  ParameterForm* m_form;
  QCheckBox* m_fromLoaded;
  QTabWidget* m_pages;
  MessageLabel* m_status;
  QPushButton* m_export = nullptr;
};

}  // namespace headlight
