// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A search for a mask scheme: its settings, every decision with its reason, and the scheme found.
// Not modal: rounds of training take long.

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
  /// `loadedWeights`: the open model's file, which all methods but MaiT's evaluate; empty if it has
  /// none.
  SearchDialog(const Experiment& experiment, const std::string& loadedWeights,
               QWidget* parent = nullptr);
  ~SearchDialog() override;

  SearchPlan plan() const;
  QString folder() const;
  void setFolder(const QString& path);
  ParameterForm* form() const { return m_form; }
  QString timeText() const;  ///< how long the search takes; empty: not known yet
  bool isSearching() const;
  void start();
  void stop();  ///< after the current step; the same folder continues later

 Q_SIGNALS:
  void estimated();                                   ///< the time, or that it cannot be measured
  void found(const headlight::SearchReport& report);  ///< the user wants its scheme applied
  void ended();

 protected:
  void reject() override;

 private:
  struct Reported;
  struct Planned;
  QWidget* makeLog();
  QWidget* makeButtons();
  void onChanged();
  void takeFolder(const QString& path);
  void measure();
  void refresh();
  QString problem() const;
  void collect();
  void addLine(const QStringList& cells);
  void finish(const Result<SearchReport>& report);

  Experiment m_experiment;
  std::string m_loaded;
  std::shared_ptr<Reported> m_reported;  ///< filled in the search's thread
  std::stop_source m_stopping;           ///< of the search in progress
  std::optional<SearchReport> m_found;
  bool m_folderChosen = false;  ///< by the user: it does not follow the settings
  BackgroundTask *m_task, *m_measuring;
  QTimer *m_poll, *m_settle;
  ParameterForm* m_form;
  PathRow* m_folder;
  QLabel *m_about, *m_time;
  QTableWidget* m_log;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_start = nullptr, *m_stop = nullptr, *m_use = nullptr;
};

}  // namespace headlight
