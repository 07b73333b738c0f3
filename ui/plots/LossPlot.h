// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Loss (training smoothed, validation; of a run that has them the teacher's share, the mechanisms'
// own and those of a detector's boxes) and the scores of validation (top-1, top-5; of a detector
// AP, AP50, AP75) over optimizer steps; the learning rate on request. add* is cheap; replot() draws.

#include <QStringList>
#include <QWidget>

#include <array>
#include <optional>

#include "core/config/Tasks.h"
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
  /// What the run learns, which names the scores until the first validation does.
  void setTask(Task task);
  /// The chance accuracy, in percent; a line that the accuracy axis takes in. Nothing: unknown. A
  /// detector has none.
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
  /// Of a detector's boxes: of their classes, their overlap and their sides. Of a segmenter 0, 3
  /// and 4: of classes, masks and dice.
  const BoundedSeries& partLoss(std::size_t part) const { return m_partLosses.at(part); }
  /// What the best weights are chosen by, in percent: top-1, AP or mIoU.
  const BoundedSeries& quality() const { return m_scores[0]; }
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigation* navigation() const { return m_navigation; }
  EditMarks* edits() const { return m_edits; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void applyTheme();
  void fitAccuracy(double lastStep);
  void nameScores(const QStringList& names);
  void drawScores();
  void drawLosses();
  /// A curve that most runs do not have; named in the legend where there is one.
  void setOptionalCurve(QCPGraph* graph, const BoundedSeries& series, QCPLegend* legend);

  static constexpr std::size_t kScores = 3, kPartLosses = 5;

  QCustomPlot* m_plot;
  QCPAxisRect* m_lossRect = nullptr;
  QCPAxisRect* m_accuracyRect = nullptr;
  QCPAxis* m_rateAxis = nullptr;
  QCPGraph *m_rawGraph = nullptr, *m_smoothGraph = nullptr, *m_validationGraph = nullptr,
           *m_rateGraph = nullptr, *m_distillationGraph = nullptr, *m_auxiliaryGraph = nullptr,
           *m_chanceGraph = nullptr;
  std::array<QCPGraph*, kScores> m_scoreGraphs{};
  std::array<QCPGraph*, kPartLosses> m_partLossGraphs{};
  QCPLegend *m_lossLegend = nullptr, *m_scoreLegend = nullptr;
  BoundedSeries m_raw, m_smooth, m_validation, m_rate, m_distillation, m_auxiliary;
  std::array<BoundedSeries, kScores> m_scores;
  std::array<BoundedSeries, kPartLosses> m_partLosses;
  std::size_t m_scoreCount = 0;  ///< how many of m_scores the run measures
  bool m_classifies = true;      ///< the scores are accuracies
  std::optional<double> m_chance;
  std::optional<StepMark> m_mark;
  PlotNavigation* m_navigation = nullptr;
  EditMarks* m_edits = nullptr;
  StepAverage m_average;
};

}  // namespace headlight
