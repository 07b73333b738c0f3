#include "ui/plots/RunCurvesPlot.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "ui/plots/Lines.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {

RunCurvesPlot::RunCurvesPlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this)) {
  setObjectName(QStringLiteral("runCurves"));
  setAccessibleName(tr("Runs beside each other"));
  setToolTip(tr(
      "A line a run of those that are selected.\nThe wheel zooms, dragging moves, a double click "
      "shows everything. By keys: Left and Right read values, + and − zoom, 0 shows everything."));
  m_plot->setAccessibleName(accessibleName());
  m_plot->setMinimumSize(240, 120);
  m_plot->setAutoAddPlottableToLegend(false);
  QCPAxisRect* rect = m_plot->axisRect();
  rect->setMinimumMargins(QMargins(4, 6, 8, 4));
  rect->axis(QCPAxis::atBottom)->setNumberFormat(QStringLiteral("g"));
  m_legend = addLegendColumn(m_plot);
  m_navigation = new PlotNavigation(m_plot, {rect});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  applyTheme();
}

void RunCurvesPlot::setLines(const std::vector<Line>& lines, const QString& quantity,
                             const QString& axis) {
  m_lines = lines;
  QStringList names;
  for (const Line& line : lines)
    names << line.name;
  makeLines(m_plot, m_legend, names, /*ordered=*/false, palette());
  double low = std::numeric_limits<double>::infinity(), high = -low, last = 1;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const RunCurve& curve = lines[i].curve;
    setLine(m_plot->graph(static_cast<int>(i)),
            QVector<double>(curve.keys.begin(), curve.keys.end()),
            QVector<double>(curve.values.begin(), curve.values.end()));
    for (const double value : curve.values)
      low = std::min(low, value), high = std::max(high, value);
    if (!curve.keys.empty()) last = std::max(last, curve.keys.back());
  }
  if (low > high) low = 0, high = 1;
  const double margin = std::max(0.05 * (high - low), 1e-6);
  m_plot->yAxis->setRange(low - margin, high + margin);
  m_plot->yAxis->setLabel(quantity);
  m_plot->xAxis->setLabel(axis);
  m_navigation->setFullRange(0, 1.02 * last);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void RunCurvesPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_navigation->applyTheme(palette());
}

void RunCurvesPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  setLines(std::vector<Line>(m_lines), m_plot->yAxis->label(), m_plot->xAxis->label());
}

}  // namespace headlight
