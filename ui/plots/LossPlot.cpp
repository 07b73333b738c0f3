// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/LossPlot.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/Colors.h"
#include "ui/base/CoreText.h"
#include "ui/plots/EditMarks.h"
#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotReading.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kSmoothing = 0.95;  ///< share of the past in the running mean, after a step

QCPAxisRect* addRect(QCustomPlot* plot, int column, const QString& yLabel, QCPLegend*& legend) {
  auto* rect = new QCPAxisRect(plot, true);
  plot->plotLayout()->addElement(1, column, rect);
  rect->setMinimumMargins(QMargins(4, 6, 8, 4));
  rect->axis(QCPAxis::atBottom)->setLabel(QObject::tr("step"));
  rect->axis(QCPAxis::atLeft)->setLabel(yLabel);
  rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(4);
  rect->axis(QCPAxis::atBottom)->ticker()->setTickCount(4);
  rect->axis(QCPAxis::atBottom)->setNumberFormat(QStringLiteral("g"));
  for (QCPAxis* axis : rect->axes()) {
    axis->setLayer(QStringLiteral("axes"));
    axis->grid()->setLayer(QStringLiteral("grid"));
  }
  legend = addLegendAbove(plot, column);
  return rect;
}

QCPGraph* addGraph(QCPAxisRect* rect, QCPLegend* legend, const QString& name) {
  QCPGraph* graph =
      rect->parentPlot()->addGraph(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
  graph->setName(name);
  if (legend) graph->addToLegend(legend);
  return graph;
}

void setSeries(QCPGraph* graph, const BoundedSeries& series) {
  graph->setData(series.keys(), series.values(), true);
}

/// For people, of NamedScore or ScoreName.
template <typename Score>
QStringList namesOf(const std::vector<Score>& scores) {
  QStringList names;
  for (const Score& score : scores)
    names << coreText(score.name);
  return names;
}

/// Grows [low, high] by the values.
void cover(const BoundedSeries& series, double& low, double& high) {
  for (const double value : series.values()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
}

}  // namespace

LossPlot::LossPlot(QWidget* parent)
    : QWidget(parent), m_plot(new QCustomPlot(this)), m_average(kSmoothing) {
  setObjectName(QStringLiteral("lossPlot"));
  setAccessibleName(tr("Loss and accuracy over steps"));
  setToolTip(
      tr("Left: the training loss (smoothed over about 20 steps; thin: as measured) and the "
         "validation loss; dashed, if the run has them, the loss against the teacher and the "
         "mechanism's auxiliary loss (the entropy penalty of AFT-conv); of a detector also the "
         "losses of classes, overlap and sides of its boxes, of a segmenter those of classes, "
         "masks and dice. Right: validation accuracy from before the first step, of a detector "
         "the average precision, of a segmenter the mean IoU; dashed: chance level. "
         "Dotted lines: mask edits.\n"
         "The wheel zooms, dragging moves, a double click shows everything. By keys: Left and "
         "Right read values, + and − zoom, 0 shows everything."));
  m_plot->setAccessibleName(accessibleName());
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  m_plot->setMinimumSize(240, 90);
  build();
  clear();
}

void LossPlot::build() {
  m_plot->setAutoAddPlottableToLegend(false);
  m_plot->plotLayout()->clear();
  m_plot->plotLayout()->setColumnSpacing(0);
  m_lossRect = addRect(m_plot, 0, tr("loss"), m_lossLegend);
  m_accuracyRect = addRect(m_plot, 1, tr("accuracy, %"), m_scoreLegend);
  m_rawGraph = addGraph(m_lossRect, nullptr, tr("train, as measured"));
  m_smoothGraph = addGraph(m_lossRect, m_lossLegend, tr("train"));
  m_validationGraph = addGraph(m_lossRect, m_lossLegend, tr("validation"));
  m_distillationGraph = addGraph(m_lossRect, nullptr, tr("from the teacher"));
  m_auxiliaryGraph = addGraph(m_lossRect, nullptr, tr("auxiliary"));
  const std::array<QString, kPartLosses> parts{tr("classes"), tr("overlap"), tr("sides"),
                                               tr("masks"), tr("dice")};
  for (std::size_t i = 0; i < kPartLosses; ++i)
    m_partLossGraphs[i] = addGraph(m_lossRect, nullptr, parts[i]);
  for (QCPGraph*& graph : m_scoreGraphs)
    graph = addGraph(m_accuracyRect, nullptr, {});
  m_chanceGraph = addGraph(m_accuracyRect, nullptr, tr("chance"));
  leaveOut(m_chanceGraph);
  m_rateAxis = m_lossRect->axis(QCPAxis::atRight);
  m_rateAxis->setLabel(tr("learning rate"));
  m_rateAxis->setNumberFormat(QStringLiteral("gb"));
  m_rateAxis->setNumberPrecision(2);
  m_rateAxis->ticker()->setTickCount(3);
  m_rateGraph = m_plot->addGraph(m_lossRect->axis(QCPAxis::atBottom), m_rateAxis);
  m_rateGraph->setName(tr("learning rate"));
  const QList<QCPAxisRect*> rects{m_lossRect, m_accuracyRect};
  m_mark.emplace(rects);
  m_edits = new EditMarks(m_plot, rects);
  m_navigation = new PlotNavigation(m_plot, rects);
  setLearningRateVisible(false);
  applyTheme();
}

void LossPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_mark->setPen(QPen(palette().color(QPalette::Highlight), 2));
  m_navigation->applyTheme(palette());
  applyTrainingPens(m_rawGraph, m_smoothGraph, m_validationGraph, palette());
  m_scoreGraphs[0]->setPen(QPen(seriesColor(2, palette()), 2));
  m_scoreGraphs[1]->setPen(QPen(seriesColor(3, palette()), 2, Qt::DashLine));
  m_scoreGraphs[2]->setPen(QPen(seriesColor(4, palette()), 2, Qt::DotLine));
  for (QCPGraph* graph : m_scoreGraphs)
    graph->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, graph->pen().color(), graph->pen().color(), 5));
  for (std::size_t i = 0; i < kPartLosses; ++i)
    m_partLossGraphs[i]->setPen(
        QPen(seriesColor(static_cast<int>(i) + 2, palette()), 1.5, Qt::DashLine));
  m_distillationGraph->setPen(QPen(seriesColor(4, palette()), 1.5, Qt::DashLine));
  m_auxiliaryGraph->setPen(QPen(seriesColor(5, palette()), 1.5, Qt::DashDotLine));
  QColor quiet = palette().color(QPalette::Text);
  quiet.setAlpha(110);
  m_rateGraph->setPen(QPen(quiet, 1, Qt::DashLine));
  m_edits->applyTheme(palette(), font());
  m_chanceGraph->setPen(QPen(quiet, 1, Qt::DashLine));
}

void LossPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void LossPlot::clear() {
  for (BoundedSeries* series :
       {&m_raw, &m_smooth, &m_validation, &m_rate, &m_distillation, &m_auxiliary})
    series->clear();
  for (BoundedSeries& series : m_scores)
    series.clear();
  for (BoundedSeries& series : m_partLosses)
    series.clear();
  setTask(Task::Classify);
  m_edits->clear();
  m_mark->setStep(std::nullopt);
  m_average.clear();
  m_navigation->showEverything();
  replot();
}

void LossPlot::addStep(const StepPoint& point) {
  const auto step = static_cast<double>(point.step);
  m_rate.add(step, point.learningRate);
  if (point.distillationLoss) m_distillation.add(step, *point.distillationLoss);
  if (point.auxiliaryLoss) m_auxiliary.add(step, *point.auxiliaryLoss);
  const std::array parts{point.classLoss, point.overlapLoss, point.sideLoss, point.maskLoss,
                         point.diceLoss};
  for (std::size_t i = 0; i < kPartLosses; ++i)
    if (parts[i]) m_partLosses[i].add(step, *parts[i]);
  if (!std::isfinite(point.loss)) return;
  m_raw.add(step, point.loss);
  m_smooth.add(step, m_average.add(step, point.loss));
}

void LossPlot::addEpoch(const EpochPoint& point) {
  const auto step = static_cast<double>(point.step);
  m_validation.add(step, point.validationLoss);
  const std::vector<NamedScore> scores = point.scores();
  nameScores(namesOf(scores));
  for (std::size_t i = 0; i < std::min(scores.size(), kScores); ++i)
    m_scores[i].add(step, 100 * scores[i].value);
}

void LossPlot::setTask(Task task) {
  if (m_scores[0].isEmpty()) nameScores(namesOf(scoreNames(task)));
}

void LossPlot::nameScores(const QStringList& names) {
  m_scoreCount = std::min(static_cast<std::size_t>(names.size()), kScores);
  for (std::size_t i = 0; i < m_scoreCount; ++i)
    m_scoreGraphs[i]->setName(names[static_cast<qsizetype>(i)]);
  m_classifies = names.front() == coreText(kAccuracyName);
  m_accuracyRect->axis(QCPAxis::atLeft)
      ->setLabel(m_classifies ? tr("accuracy, %") : QStringLiteral("%1, %").arg(names.front()));
}

void LossPlot::setShownStep(std::optional<std::int64_t> step) {
  m_mark->setStep(step ? std::optional(static_cast<double>(*step)) : std::nullopt);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void LossPlot::setLearningRateVisible(bool visible) {
  m_rateAxis->setVisible(visible);
  m_rateGraph->setVisible(visible);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

bool LossPlot::isLearningRateVisible() const {
  return m_rateGraph->visible();
}

void LossPlot::setOptionalCurve(QCPGraph* graph, const BoundedSeries& series, QCPLegend* legend) {
  setSeries(graph, series);
  graph->setVisible(!series.isEmpty());
  if (series.isEmpty())
    graph->removeFromLegend(legend);
  else
    graph->addToLegend(legend);
}

/// To what was measured and to chance, so that a gain of a few percent is seen.
void LossPlot::fitAccuracy(double lastStep) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const BoundedSeries& series : m_scores)
    cover(series, low, high);
  const bool line = m_chance && m_classifies && low <= high;
  m_chanceGraph->setData(line ? QVector<double>{0, lastStep} : QVector<double>(),
                         line ? QVector<double>{*m_chance, *m_chance} : QVector<double>(), true);
  if (low > high) low = 0, high = 100;
  if (line) low = std::min(low, *m_chance), high = std::max(high, *m_chance);
  const double margin = std::max(0.05 * (high - low), 1.0);
  m_accuracyRect->axis(QCPAxis::atLeft)
      ->setRange(std::max(0.0, low - margin), std::min(103.0, high + margin));
}

/// A classifier has two scores and chance, detectors and segmenters three, an autoencoder one.
void LossPlot::drawScores() {
  for (std::size_t i = 0; i < kScores; ++i) {
    const bool isMeasured = i < m_scoreCount;
    setSeries(m_scoreGraphs[i], m_scores[i]);
    m_scoreGraphs[i]->setVisible(isMeasured);
    if (isMeasured)
      m_scoreGraphs[i]->addToLegend(m_scoreLegend);
    else
      m_scoreGraphs[i]->removeFromLegend(m_scoreLegend);
  }
  if (m_classifies)
    m_chanceGraph->addToLegend(m_scoreLegend);
  else
    m_chanceGraph->removeFromLegend(m_scoreLegend);
}

void LossPlot::drawLosses() {
  setSeries(m_rawGraph, m_raw);
  setSeries(m_smoothGraph, m_smooth);
  setSeries(m_validationGraph, m_validation);
  // In one line, the names of so many curves would take the width of the scores.
  m_lossLegend->setWrap(m_partLosses[0].isEmpty() ? 0 : 3);
  setOptionalCurve(m_distillationGraph, m_distillation, m_lossLegend);
  setOptionalCurve(m_auxiliaryGraph, m_auxiliary, m_lossLegend);
  for (std::size_t i = 0; i < kPartLosses; ++i)
    setOptionalCurve(m_partLossGraphs[i], m_partLosses[i], m_lossLegend);
}

void LossPlot::replot() {
  drawLosses();
  drawScores();
  setSeries(m_rateGraph, m_rate);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const BoundedSeries* series :
       {&m_raw, &m_smooth, &m_validation, &m_distillation, &m_auxiliary})
    cover(*series, low, high);
  for (const BoundedSeries& series : m_partLosses)
    cover(series, low, high);
  if (low > high) low = 0, high = 1;
  const double margin = std::max(0.05 * (high - low), 1e-6 + 0.02 * std::abs(high));
  m_lossRect->axis(QCPAxis::atLeft)->setRange(std::max(0.0, low - margin), high + margin);
  double rateLow = 0, rateHigh = 0;
  cover(m_rate, rateLow, rateHigh);
  m_rateAxis->setRange(0, rateHigh > 0 ? 1.1 * rateHigh : 1);
  double lastStep = 1;
  for (const BoundedSeries* series : {&m_raw, &m_validation})
    if (!series->isEmpty()) lastStep = std::max(lastStep, series->keys().last());
  m_navigation->setFullRange(0, 1.02 * lastStep);
  fitAccuracy(1.02 * lastStep);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace headlight
