// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sweep: the settings that vary, the number of runs and their time, the table of results, and a
// plot over the varied setting. Not modal: it trains for hours.

#include <QDialog>
#include <QTimer>

#include <optional>

#include "core/workbench/sweeps/SweepEstimate.h"
#include "ui/base/BackgroundTask.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace headlight {

class MessageLabel;
class PathRow;
class PlotCommands;
class ProgressLine;
class ProgressTask;
class SweepJob;
class SweepPlot;
class SweepSettings;
class SweepTable;

class SweepDialog : public QDialog {
  Q_OBJECT
 public:
  /// `present`: the window's experiment, with the settings of Train….
  explicit SweepDialog(const Experiment& present, QWidget* parent = nullptr);
  ~SweepDialog() override;

  SweepSettings* settings() const { return m_settings; }
  SweepTable* table() const { return m_table; }
  SweepPlot* plot() const { return m_plot; }
  QString folder() const;
  void setFolder(const QString& path);
  /// The plan of the fields; null until it is read, and if that failed.
  const SweepPlan* plan() const { return m_plan ? &*m_plan : nullptr; }
  const std::optional<SweepEstimate>& estimate() const { return m_estimate; }
  bool isSweeping() const;
  void start();
  void stop();  ///< after the current step; the same folder continues later
  void saveFile(const QString& path);

 Q_SIGNALS:
  void planned();    ///< plan and table match the fields
  void estimated();  ///< or it could not be measured
  void ended();
  void runsRequested(const QString& folder);  ///< to compare them

 protected:
  void reject() override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Planned;
  QWidget* makeResults();
  QWidget* makeButtons();
  void connectParts();
  void onChanged();
  void read();
  void showPlan(Planned found);
  void measure();
  void showTime();
  void showReport();
  void fillAxes();
  void draw();
  void refresh();
  void take(const SweepReport& report);
  void finish(const Result<SweepReport>& report);
  void chooseSweepFile();

  std::optional<SweepPlan> m_plan;
  SweepReport m_report;
  std::optional<SweepEstimate> m_estimate;
  bool m_folderChosen = false;  ///< by the user: it does not follow the name
  QString m_chosenAxis;         ///< likewise; empty: the first
  SweepSettings* m_settings;
  PathRow* m_folder;
  QLabel* m_time;
  SweepTable* m_table;
  QComboBox* m_axis;
  SweepPlot* m_plot;
  QWidget* m_curves = nullptr;  ///< the plot and its choice
  PlotCommands* m_plotCommands = nullptr;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_start = nullptr, *m_stop = nullptr, *m_save = nullptr, *m_runs = nullptr;
  QTimer m_settle;
  BackgroundTask m_reading;
  ProgressTask* m_measuring;
  SweepJob* m_job;
};

}  // namespace headlight
