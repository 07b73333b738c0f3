// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs that were chosen, beside each other: their curves in one plot, and the settings in which
// they differ.

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
  /// Of some of them, as they came; those of runs that are not chosen are let go.
  void takeHistories(const std::map<std::uint64_t, std::shared_ptr<const RunHistory>>& histories);
  bool isComplete() const;  ///< the curves of all of them are there

  QTableWidget* differences() const { return m_differences; }
  RunCurvesPlot* curves() const { return m_curves; }
  PlotCommands* plotCommands() const { return m_commands; }
  /// By their keys (core/workbench/runs/RunCurves.h).
  void choose(const QString& quantity, const QString& axis);

 private:
  QWidget* makeCurves();
  QWidget* makeDifferences();
  void fillQuantities();
  void draw();
  void showDifferences();

  std::vector<ListedRun> m_runs;
  std::map<std::uint64_t, std::shared_ptr<const RunHistory>> m_histories;
  std::vector<std::shared_ptr<const Experiment>> m_compared;  ///< whose differences are shown
  QComboBox *m_quantity, *m_axis;
  QPushButton* m_export;
  RunCurvesPlot* m_curves;
  MessageLabel* m_missing;
  QTableWidget* m_differences;
  PlotCommands* m_commands = nullptr;
};

}  // namespace headlight
