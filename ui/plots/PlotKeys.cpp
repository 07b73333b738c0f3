// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotKeys.h"

#include <QKeyEvent>

#include <algorithm>
#include <cmath>

#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kPlotZoomStep = 1.25;
constexpr double kStrides = 40;  ///< keys cross what is in sight in about as many

/// The key of the next sample of any graph after `key` in that direction.
std::optional<double> neighbor(const std::vector<const QCPGraph*>& graphs, double key,
                               int direction) {
  std::optional<double> next;
  for (const QCPGraph* graph : graphs)
    for (auto sample = graph->data()->constBegin(); sample != graph->data()->constEnd(); ++sample) {
      if (!std::isfinite(sample->value) || direction * (sample->key - key) <= 0) continue;
      if (!next || direction * (sample->key - *next) < 0) next = sample->key;
    }
  return next;
}

}  // namespace

PlotKeys::PlotKeys(QCustomPlot* plot, const QList<QCPAxisRect*>& rects, QObject* parent)
    : QObject(parent), m_plot(plot), m_rects(rects) {}

bool PlotKeys::claims(const QKeyEvent& event) const {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
    case Qt::Key_0:
    case Qt::Key_Home:
      return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
      return m_rects.size() > 1 || findColorMap(m_rects.front());
    case Qt::Key_Escape:
      return m_place.has_value();
    default:
      return false;
  }
}

void PlotKeys::press(const QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Left:
      return readAlong(-1);
    case Qt::Key_Right:
      return readAlong(1);
    case Qt::Key_Up:
      return readAcross(-1);
    case Qt::Key_Down:
      return readAcross(1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(1 / kPlotZoomStep);
    case Qt::Key_Minus:
      return zoomBy(kPlotZoomStep);
    case Qt::Key_0:
    case Qt::Key_Home:
      Q_EMIT everythingWanted();
      return readPlace();
    case Qt::Key_Escape:
      end();
      Q_EMIT ended();
      return;
    default:
      break;
  }
}

void PlotKeys::readAlong(int direction) {
  Place place = m_place.value_or(Place());
  QCPAxisRect* rect = m_rects[place.rect];
  const QCPRange range = rect->axis(QCPAxis::atBottom)->range();
  if (const QCPColorMap* map = findColorMap(rect)) {
    // The first key reads the first cell.
    const int last = std::max(map->data()->keySize() - 1, 0);
    if (m_place) place.key = std::clamp<double>(place.key + direction, 0, last);
  } else if (!m_place) {
    place.key = range.upper;  // the newest in sight
  } else if (const auto next = neighbor(spokenGraphs(rect), place.key, direction)) {
    // Sample by sample where they are far from one another, else so far that the way is not long.
    const double stride = place.key + direction * range.size() / kStrides;
    place.key = direction * (*next - stride) > 0 ? *next : stride;
  }
  m_place = place;
  readPlace();
}

void PlotKeys::readAcross(int direction) {
  Place place = m_place.value_or(Place());
  const QCPColorMap* map = findColorMap(m_rects[place.rect]);
  if (!m_place && !map) place.key = m_rects.front()->axis(QCPAxis::atBottom)->range().upper;
  if (m_place && map)
    place.row = std::clamp(place.row + direction, 0, std::max(map->data()->valueSize() - 1, 0));
  if (m_place && !map)
    place.rect = std::clamp(place.rect + direction, 0, static_cast<int>(m_rects.size()) - 1);
  m_place = place;
  readPlace();
}

void PlotKeys::readPlace() {
  if (!m_place) return;
  QCPAxisRect* rect = m_rects[m_place->rect];
  QCPColorMap* map = findColorMap(rect);
  const PlotReading reading =
      map ? readCell(rect, map, static_cast<int>(m_place->key), m_place->row)
          : readGraphs(rect, m_place->key);
  if (reading.marked) m_place->key = reading.key;
  bringIntoSight(m_place->key);
  m_plot->setAccessibleDescription(
      readingText(reading).replace(QLatin1Char('\n'), QLatin1String("; ")));
  const double y = map ? rect->axis(QCPAxis::atLeft)->coordToPixel(m_place->row)
                       : static_cast<double>(rect->center().y());
  const QPointF position(rect->axis(QCPAxis::atBottom)->coordToPixel(m_place->key), y);
  Q_EMIT read(reading, m_plot->mapToGlobal(position).toPoint());
}

void PlotKeys::bringIntoSight(double key) {
  QCPAxis* axis = m_rects.front()->axis(QCPAxis::atBottom);
  const QCPRange range = axis->range();
  if (range.contains(key)) return;
  const double shift = key < range.lower ? key - range.lower : key - range.upper;
  axis->setRange(range.lower + shift, range.upper + shift);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotKeys::zoomBy(double factor) {
  QCPAxis* axis = m_rects.front()->axis(QCPAxis::atBottom);
  const QCPRange range = axis->range();
  const double about = m_place && range.contains(m_place->key) ? m_place->key : range.center();
  axis->setRange(about - (about - range.lower) * factor, about + (range.upper - about) * factor);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
  readPlace();
}

void PlotKeys::end() {
  m_place.reset();
}

}  // namespace headlight
