// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The selected runs: their curves in one plot, and the settings that differ.

#include <QSplitter>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/workbench/runs/FollowedRuns.h"

class QComboBox;
class QPushButton;
class QTableWidget;

namespace headlight {

class MessageLabel;
class PlotCommands;
class RunCurvesPlot;

class RunsComparison : public QSplitter {
  Q_OBJECT
 public:
  explicit RunsComparison(QWidget* parent = nullptr);

  void setRuns(const std::vector<ListedRun>& runs);
  /// Histories of some runs, as they arrive; those of other runs are dropped.
  void takeHistories(const std::map<std::uint64_t, std::shared_ptr<const RunHistory>>& histories);
  bool isComplete() const;  ///< all curves have arrived

  QTableWidget* differences() const { return m_differences; }
  RunCurvesPlot* curves() const { return m_curves; }
  PlotCommands* plotCommands() const { return m_commands; }
  /// Quantity and axis by key (core/workbench/runs/RunCurves.h).
  void choose(const QString& quantity, const QString& axis);
  QString quantity() const;
  /// Over about so many steps; 0: as measured.
  double smoothing() const;

 private:
  QWidget* makeCurves();
  QWidget* makeDifferences();
  void fillQuantities();
  void fillSmoothing();
  void draw();
  void showDifferences();

  std::vector<ListedRun> m_runs;
  std::map<std::uint64_t, std::shared_ptr<const RunHistory>> m_histories;
  std::vector<std::shared_ptr<const Experiment>>
      m_compared;  ///< the runs whose differences are shown
  QComboBox *m_quantity, *m_axis, *m_smoothing;
  bool m_quantityChosen = false;  ///< else the default
  QPushButton* m_export;
  RunCurvesPlot* m_curves;
  MessageLabel* m_missing;
  QTableWidget* m_differences;
  PlotCommands* m_commands = nullptr;
};

}  // namespace headlight
