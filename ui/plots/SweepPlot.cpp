// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/SweepPlot.h"

#include <QEvent>
#include <QVBoxLayout>

#include <cmath>
#include <limits>

#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

QVector<double> scaled(const std::vector<SweepStatistic>& values, double scale,
                       double SweepStatistic::*member) {
  QVector<double> result;
  for (const SweepStatistic& value : values)
    result << scale * (value.*member);
  return result;
}

}  // namespace

SweepPlot::SweepPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this)) {
  setObjectName(QStringLiteral("sweepPlot"));
  setAccessibleName(tr("The sweep over a setting"));
  setToolTip(
      tr("The mean over seeds of each variant's best validation, with the sample deviation. The "
         "axis begins at 0, or has chance as a dashed line.\n"
         "The wheel zooms, dragging moves, a double click shows everything."));
  m_plot->setAccessibleName(accessibleName());
  m_plot->setMinimumSize(240, 140);
  m_plot->setAutoAddPlottableToLegend(false);
  QCPAxisRect* rect = m_plot->axisRect();
  rect->setMinimumMargins(QMargins(4, 6, 8, 4));
  m_legend = addLegendColumn(m_plot);
  m_chance.emplace(rect);
  m_navigation = new PlotNavigation(m_plot, {rect});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  applyTheme();
}

void SweepPlot::setCurves(const SweepCurves& curves, const QString& valueTitle, double scale) {
  m_curves = curves;
  m_scale = scale;
  QStringList names;
  for (const SweepSeries& series : curves.series)
    names << QString::fromStdString(series.name);
  m_plot->clearPlottables();
  makeLines(m_plot, m_legend, names, /*ordered=*/false, palette());
  for (int i = 0; i < names.size(); ++i) {
    const SweepSeries& series = curves.series[static_cast<std::size_t>(i)];
    QVector<double> keys;
    for (const double key : series.keys)
      keys << curves.drawnKey(static_cast<std::size_t>(i), key);
    setLine(m_plot->graph(i), keys, scaled(series.values, scale, &SweepStatistic::mean));
    m_plot->graph(i)->setLineStyle(curves.ofNames() ? QCPGraph::lsNone : QCPGraph::lsLine);
    m_plot->graph(i)->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 7));
    addDeviations(i, series);
  }
  m_plot->yAxis->setLabel(valueTitle);
  m_plot->xAxis->setLabel(QString::fromStdString(curves.axis));
  showKeys();
  showReference();
  showRange();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// One seed has no deviation, and no bar.
void SweepPlot::addDeviations(int line, const SweepSeries& series) {
  auto* bars = new QCPErrorBars(m_plot->xAxis, m_plot->yAxis);
  bars->setDataPlottable(m_plot->graph(line));
  QVector<double> deviations = scaled(series.values, m_scale, &SweepStatistic::deviation);
  for (double& deviation : deviations)
    if (!std::isfinite(deviation)) deviation = 0;
  bars->setData(deviations);
  bars->setPen(m_plot->graph(line)->pen());
  bars->setSelectable(QCP::stNone);
}

void SweepPlot::showKeys() {
  if (m_curves.labels.empty()) {
    m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    m_plot->xAxis->setNumberFormat(QStringLiteral("g"));
    return;
  }
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  for (std::size_t i = 0; i < m_curves.labels.size(); ++i)
    ticker->addTick(static_cast<double>(i), QString::fromStdString(m_curves.labels[i]));
  m_plot->xAxis->setTicker(ticker);
}

void SweepPlot::showReference() {
  const SweepReference& reference = m_curves.reference;
  m_chance->set(reference.isChance ? std::optional(m_scale * reference.value) : std::nullopt,
                tr("chance"));
}

/// With the reference in sight: 0 is the axis' end.
void SweepPlot::showRange() {
  double low = std::numeric_limits<double>::infinity(), high = -low, first = low, last = -low;
  for (const SweepSeries& series : m_curves.series)
    for (std::size_t i = 0; i < series.keys.size(); ++i) {
      const SweepStatistic& value = series.values[i];
      const double around = std::isfinite(value.deviation) ? value.deviation : 0;
      low = std::min(low, m_scale * (value.mean - around));
      high = std::max(high, m_scale * (value.mean + around));
      first = std::min(first, series.keys[i]);
      last = std::max(last, series.keys[i]);
    }
  if (low > high) low = 0, high = 1, first = 0, last = 1;
  low = std::min(low, m_scale * m_curves.reference.value);
  if (m_curves.ofNames()) first = 0, last = static_cast<double>(m_curves.labels.size()) - 1;
  const double margin = std::max(0.06 * (high - low), 1e-6 + 0.002 * std::abs(high));
  const double side = m_curves.ofNames() || last <= first ? 0.5 : 0.05 * (last - first);
  m_plot->yAxis->setRange(low == 0 ? 0 : low - margin, high + margin);
  m_navigation->setFullRange(first - side, last + side);
}

void SweepPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_chance->applyTheme(palette(), font());
  m_navigation->applyTheme(palette());
}

void SweepPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  setCurves(SweepCurves(m_curves), m_plot->yAxis->label(), m_scale);
}

}  // namespace headlight
