// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A search for a mask scheme beside the window: what it goes by, every decision with its reason as
// it is made, and the scheme that it ends with. Not modal: rounds of training take their time.

#include <QDialog>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/workbench/search/SchemeSearch.h"

class QLabel;
class QPushButton;
class QTableWidget;
class QTimer;

namespace headlight {

class BackgroundTask;
class MessageLabel;
class ParameterForm;
class PathRow;
class ProgressLine;

class SearchDialog : public QDialog {
  Q_OBJECT
 public:
  /// `loadedWeights`: the file of the model that is shown, which all methods but MaiT's look at;
  /// empty where it has none.
  SearchDialog(const Experiment& experiment, const std::string& loadedWeights,
               QWidget* parent = nullptr);
  ~SearchDialog() override;

  SearchPlan plan() const;
  QString folder() const;
  void setFolder(const QString& path);
  ParameterForm* form() const { return m_form; }
  bool isSearching() const;
  void start();
  void stop();  ///< after the present step; the folder goes on later

 Q_SIGNALS:
  void found(const headlight::SearchReport& report);  ///< and its scheme is to be used
  void ended();

 protected:
  void reject() override;

 private:
  struct Told;
  QWidget* makeLog();
  QWidget* makeButtons();
  void refresh();
  QString problem() const;
  void collect();
  void addLine(const QStringList& cells);
  void finish(const Result<SearchReport>& report);

  Experiment m_experiment;
  std::string m_loaded;
  std::shared_ptr<Told> m_told;  ///< by the search, in its thread
  std::stop_source m_stopping;   ///< of the search that goes on
  std::optional<SearchReport> m_found;
  BackgroundTask* m_task;
  QTimer* m_poll;
  ParameterForm* m_form;
  PathRow* m_folder;
  QLabel* m_about;
  QTableWidget* m_log;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_start = nullptr, *m_stop = nullptr, *m_use = nullptr;
};

}  // namespace headlight
