// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PanelsPlot.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/Colors.h"
#include "ui/base/CoreText.h"
#include "ui/plots/PlotNavigation.h"
#include "ui/plots/PlotReading.h"
#include "ui/plots/PlotTheme.h"
#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr int kBandAlpha = 36;
constexpr int kLegendWidth = 190;  ///< pixels: curves of all panels begin and end alike

/// The least and the greatest of what is drawn, with a margin.
QCPRange rangeOfPanel(const AnglePanel& panel) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const PlottedCurve& curve : panel.curves)
    for (const double value : curve.values)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (low > high) return {0, 1};
  const double margin = std::max(0.06 * (high - low), 1e-6);
  return {low - margin, high + margin};
}

}  // namespace

PanelsPlot::PanelsPlot(const QString& axis, double lower, double upper, QWidget* parent)
    : QWidget(parent), m_plot(new QCustomPlot(this)), m_axis(axis), m_lower(lower), m_upper(upper) {
  setToolTip(
      tr("The wheel zooms, dragging moves, a double click shows everything. By keys: Left "
         "and Right read values, + and − zoom, 0 shows everything."));
  m_plot->setMinimumSize(320, 120);
  m_plot->setAutoAddPlottableToLegend(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  build(1);
  applyTheme();
}

PanelsPlot::Room PanelsPlot::addRoom(int row) {
  Room room;
  room.rect = new QCPAxisRect(m_plot, true);
  m_plot->plotLayout()->addElement(row, 0, room.rect);
  room.rect->setMinimumMargins(QMargins(4, 6, 8, 2));
  room.rect->axis(QCPAxis::atBottom)->setLabel(m_axis);
  room.rect->axis(QCPAxis::atBottom)->setNumberFormat(QStringLiteral("g"));
  room.rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(4);
  if (m_logarithmic) {
    room.rect->axis(QCPAxis::atBottom)->setScaleType(QCPAxis::stLogarithmic);
    room.rect->axis(QCPAxis::atBottom)->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
  }
  for (QCPAxis* axis : room.rect->axes()) {
    axis->setLayer(QStringLiteral("axes"));
    axis->grid()->setLayer(QStringLiteral("grid"));
  }
  room.legend = new QCPLegend;
  auto* column = new QCPLayoutGrid;
  m_plot->plotLayout()->addElement(row, 1, column);
  column->addElement(0, 0, room.legend);
  column->addElement(1, 0, new QCPLayoutElement(m_plot));  // takes the rest of the height
  column->setRowStretchFactor(0, 0.001);
  column->setMinimumSize(kLegendWidth, 0);
  column->setMaximumSize(kLegendWidth, QWIDGETSIZE_MAX);
  room.legend->setLayer(QStringLiteral("legend"));
  return room;
}

void PanelsPlot::build(std::size_t panels) {
  delete m_navigation;
  m_plot->clearPlottables();
  m_plot->clearItems();
  m_rooms.clear();
  m_plot->plotLayout()->clear();
  m_plot->plotLayout()->setRowSpacing(2);
  m_plot->plotLayout()->setColumnSpacing(0);
  auto* margins = new QCPMarginGroup(m_plot);
  QList<QCPAxisRect*> rects;
  for (std::size_t i = 0; i < panels; ++i) {
    m_rooms.push_back(addRoom(static_cast<int>(i)));
    m_rooms.back().rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rects << m_rooms.back().rect;
  }
  m_plot->plotLayout()->setColumnStretchFactor(1, 0.001);
  m_navigation = new PlotNavigation(m_plot, rects);
  m_navigation->setFullRange(m_lower, m_upper);
}

void PanelsPlot::setPanels(const std::vector<AnglePanel>& panels) {
  m_panels = panels;
  const std::size_t wanted = std::max<std::size_t>(1, panels.size());
  if (wanted != m_rooms.size()) build(wanted);
  applyTheme();
}

void PanelsPlot::setAxisRange(double lower, double upper) {
  m_lower = lower;
  m_upper = upper;
  m_navigation->setFullRange(lower, upper);
}

void PanelsPlot::setLogarithmic() {
  m_logarithmic = true;
  build(m_rooms.size());
  applyTheme();
}

void PanelsPlot::draw() {
  m_plot->clearPlottables();
  for (const Room& room : m_rooms)
    room.legend->clearItems();
  for (std::size_t i = 0; i < m_panels.size(); ++i)
    drawPanel(m_rooms[i], m_panels[i]);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PanelsPlot::drawPanel(const Room& room, const AnglePanel& panel) {
  QCPAxis *x = room.rect->axis(QCPAxis::atBottom), *y = room.rect->axis(QCPAxis::atLeft);
  y->setLabel(coreText(panel.quantity));
  y->setRange(rangeOfPanel(panel));
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const PlottedCurve& curve = panel.curves[c];
    QCPGraph* line = m_plot->addGraph(x, y);
    line->setName(coreText(curve.name));
    line->setPen(QPen(seriesColor(static_cast<int>(c), palette()), 1.8));
    line->setData(QVector<double>(curve.keys.begin(), curve.keys.end()),
                  QVector<double>(curve.values.begin(), curve.values.end()), true);
    line->addToLegend(room.legend);
    if (!curve.deviations.empty()) drawBand(line, curve);
  }
}

void PanelsPlot::drawBand(QCPGraph* line, const PlottedCurve& curve) {
  QCPGraph* edges[2];
  for (const int side : {0, 1}) {
    QCPGraph* edge = m_plot->addGraph(line->keyAxis(), line->valueAxis());
    leaveOut(edge);
    edge->setPen(Qt::NoPen);
    QVector<double> values;
    for (std::size_t i = 0; i < curve.values.size(); ++i)
      values << curve.values[i] + (side == 0 ? -1 : 1) * curve.deviations[i];
    edge->setData(QVector<double>(curve.keys.begin(), curve.keys.end()), values, true);
    edges[side] = edge;
  }
  QColor color = line->pen().color();
  color.setAlpha(kBandAlpha);
  edges[0]->setBrush(color);
  edges[0]->setChannelFillGraph(edges[1]);
}

void PanelsPlot::applyTheme() {
  applyPlotTheme(m_plot, palette(), font());
  m_navigation->applyTheme(palette());
  draw();
}

void PanelsPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyTheme();
}

}  // namespace headlight
