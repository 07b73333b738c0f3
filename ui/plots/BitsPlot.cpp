// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/BitsPlot.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kBitsSmoothing = 0.9;  ///< share of the past in the running mean

}  // namespace

BitsPlot::BitsPlot(QWidget* parent)
    : QWidget(parent), m_plot(new QCustomPlot(this)), m_average(kBitsSmoothing) {
  setObjectName(QStringLiteral("bitsPlot"));
  setAccessibleName(tr("Bits over steps"));
  setToolTip(
      tr("Bits per byte in training (smoothed over about 10 readings; thin: as measured) and in "
         "validation. Uniform guessing takes 8.\n"
         "The wheel zooms, dragging moves, a double click shows everything. By keys: Left and "
         "Right read values, + and − zoom, 0 shows everything."));
  m_plot->setAccessibleName(accessibleName());
  m_plot->setMinimumSize(240, 120);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  build();
  clear();
}

void BitsPlot::build() {
  m_plot->setAutoAddPlottableToLegend(false);
  m_rect = m_plot->axisRect();
  m_rect->setMinimumMargins(QMargins(4, 6, 8, 4));
  m_rect->axis(QCPAxis::atBottom)->setLabel(tr("step"));
  m_rect->axis(QCPAxis::atBottom)->setNumberFormat(QStringLiteral("g"));
  m_rect->axis(QCPAxis::atBottom)->ticker()->setTickCount(4);
  m_rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(4);
  const auto add = [this](const QString& name) {
    QCPGraph* graph = m_plot->addGraph();
    graph->setName(name);
    return graph;
  };
  m_rawGraph = add(tr("train, as measured"));
  m_smoothGraph = add(tr("train"));
  m_validationGraph = add(tr("validation"));
  m_plot->plotLayout()->insertRow(0);
  QCPLegend* legend = addLegendAbove(m_plot, 0);
  m_smoothGraph->addToLegend(legend);
  m_validationGraph->addToLegend(legend);
  m_navigation = new PlotNavigation(m_plot, {m_rect});
  setUnit(tr("bits"));
  applyTheme();
}

void BitsPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_navigation->applyTheme(palette());
  applyTrainingPens(m_rawGraph, m_smoothGraph, m_validationGraph, palette());
}

void BitsPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void BitsPlot::clear() {
  for (BoundedSeries* series : {&m_raw, &m_smooth, &m_validation})
    series->clear();
  m_average.clear();
  m_navigation->showEverything();
  replot();
}

void BitsPlot::setUnit(const QString& unit) {
  m_rect->axis(QCPAxis::atLeft)->setLabel(unit);
}

void BitsPlot::addStep(std::int64_t step, double bits) {
  if (!std::isfinite(bits)) return;
  m_raw.add(static_cast<double>(step), bits);
  m_smooth.add(static_cast<double>(step), m_average.add(static_cast<double>(step), bits));
}

void BitsPlot::addValidation(std::int64_t step, double bits) {
  m_validation.add(static_cast<double>(step), bits);
}

void BitsPlot::replot() {
  m_rawGraph->setData(m_raw.keys(), m_raw.values(), true);
  m_smoothGraph->setData(m_smooth.keys(), m_smooth.values(), true);
  m_validationGraph->setData(m_validation.keys(), m_validation.values(), true);
  double low = std::numeric_limits<double>::infinity(), high = -low, last = 1;
  for (const BoundedSeries* series : {&m_raw, &m_validation}) {
    if (series->isEmpty()) continue;
    const QVector<double> values = series->values();
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    low = std::min(low, *least);
    high = std::max(high, *most);
    last = std::max(last, series->keys().last());
  }
  if (low > high) low = 0, high = 8;
  const double margin = std::max(0.05 * (high - low), 0.01);
  m_rect->axis(QCPAxis::atLeft)->setRange(std::max(0.0, low - margin), high + margin);
  m_navigation->setFullRange(0, 1.02 * last);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace headlight
