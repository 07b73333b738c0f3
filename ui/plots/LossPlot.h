// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Loss (training smoothed, validation; of a run that has them the teacher's share and the
// mechanisms' own) and accuracy (top-1, top-5) over optimizer steps; the learning rate on request.
// add* is cheap; replot() draws.

#include <QWidget>

#include <optional>

#include "core/workbench/training/TrainingSession.h"
#include "ui/plots/BoundedSeries.h"
#include "ui/plots/StepAverage.h"
#include "ui/plots/StepMark.h"

class QCustomPlot;
class QCPAxis;
class QCPAxisRect;
class QCPGraph;
class QCPLegend;

namespace headlight {

class EditMarks;
class PlotNavigation;

class LossPlot : public QWidget {
  Q_OBJECT
 public:
  explicit LossPlot(QWidget* parent = nullptr);

  void clear();
  void addStep(const StepPoint& point);
  void addEpoch(const EpochPoint& point);
  /// The weights before the first step: where the curves of validation begin.
  void addStart(const EpochPoint& start) { addEpoch(start); }
  /// The chance accuracy, in percent; a line that the accuracy axis takes in. Nothing:
  /// unknown.
  void setChance(std::optional<double> percent) { m_chance = percent; }
  void setLearningRateVisible(bool visible);
  bool isLearningRateVisible() const;
  void setShownStep(std::optional<std::int64_t> step);  ///< marks it
  void replot();

  bool isEmpty() const { return m_rate.isEmpty() && m_validation.isEmpty(); }
  const BoundedSeries& trainLoss() const { return m_smooth; }
  const BoundedSeries& validationLoss() const { return m_validation; }
  const BoundedSeries& distillationLoss() const { return m_distillation; }
  const BoundedSeries& auxiliaryLoss() const { return m_auxiliary; }
  const BoundedSeries& top1() const { return m_top1; }
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigation* navigation() const { return m_navigation; }
  EditMarks* edits() const { return m_edits; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void applyTheme();
  void fitAccuracy(double lastStep);
  /// A curve that most runs do not have; named in the legend where there is one.
  void setOptionalCurve(QCPGraph* graph, const BoundedSeries& series);

  QCustomPlot* m_plot;
  QCPAxisRect* m_lossRect = nullptr;
  QCPAxisRect* m_accuracyRect = nullptr;
  QCPAxis* m_rateAxis = nullptr;
  QCPGraph *m_rawGraph = nullptr, *m_smoothGraph = nullptr, *m_validationGraph = nullptr,
           *m_rateGraph = nullptr, *m_top1Graph = nullptr, *m_top5Graph = nullptr,
           *m_distillationGraph = nullptr, *m_auxiliaryGraph = nullptr, *m_chanceGraph = nullptr;
  QCPLegend* m_lossLegend = nullptr;
  BoundedSeries m_raw, m_smooth, m_validation, m_rate, m_top1, m_top5, m_distillation, m_auxiliary;
  std::optional<double> m_chance;
  std::optional<StepMark> m_mark;
  PlotNavigation* m_navigation = nullptr;
  EditMarks* m_edits = nullptr;
  StepAverage m_average;
};

}  // namespace headlight
