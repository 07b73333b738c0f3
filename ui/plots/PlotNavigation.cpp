// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotNavigation.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr double kClosest = 1;  ///< steps, or heads: nothing lies between two of them
constexpr const char* kLeftOut = "leftOutOfHover";

/// Nothing where the graph is empty.
const QCPGraphData* nearestSample(const QCPGraph* graph, double key) {
  const auto data = graph->data();
  if (data->isEmpty()) return nullptr;
  auto above = std::lower_bound(
      data->constBegin(), data->constEnd(), key,
      [](const QCPGraphData& sample, double wanted) { return sample.key < wanted; });
  if (above == data->constEnd()) return &*(above - 1);
  if (above == data->constBegin() || above->key - key < key - (above - 1)->key) return &*above;
  return &*(above - 1);
}

QString whole(double value) {
  return QString::number(std::llround(value));
}

}  // namespace

PlotNavigation::PlotNavigation(QCustomPlot* plot, const QList<QCPAxisRect*>& rects)
    : QObject(plot),
      m_plot(plot),
      m_rects(rects),
      m_cursor(rects, QStringLiteral("overlay")),
      m_focus(new QCPItemRect(plot)) {
  m_focus->setLayer(QStringLiteral("overlay"));
  m_focus->setClipToAxisRect(false);
  for (QCPItemPosition* corner : {m_focus->topLeft, m_focus->bottomRight})
    corner->setType(QCPItemPosition::ptViewportRatio);
  m_focus->bottomRight->setCoords(1, 1);
  m_focus->setVisible(false);
  plot->setFocusPolicy(Qt::StrongFocus);
  plot->setInteraction(QCP::iRangeDrag);
  plot->setInteraction(QCP::iRangeZoom);
  for (QCPAxisRect* rect : rects) {
    rect->setRangeDrag(Qt::Horizontal);
    rect->setRangeZoom(Qt::Horizontal);
    connect(rect->axis(QCPAxis::atBottom), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
            &PlotNavigation::onRangeChanged);
  }
  connect(plot, &QCustomPlot::mouseDoubleClick, this, &PlotNavigation::showEverything);
  connect(plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton)
      onMouseMove(event->position(), event->globalPosition().toPoint());
    else
      hideReading();
  });
  plot->setMouseTracking(true);
  plot->installEventFilter(this);
}

// --- Along the x axis --------------------------------------------------------------------------

void PlotNavigation::setFullRange(double lower, double upper) {
  m_lower = lower;
  m_upper = upper;
  if (!m_closer) setRanges(lower, upper);
}

void PlotNavigation::showEverything() {
  m_closer = false;
  setRanges(m_lower, m_upper);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotNavigation::setRanges(double lower, double upper) {
  m_setting = true;
  for (QCPAxisRect* rect : m_rects)
    rect->axis(QCPAxis::atBottom)->setRange(lower, upper);
  m_setting = false;
}

void PlotNavigation::onRangeChanged(const QCPRange& range) {
  if (m_setting) return;
  const double everything = m_upper - m_lower;
  const double size = std::clamp(range.size(), std::min(kClosest, everything), everything);
  const double lower = std::clamp(range.center() - size / 2, m_lower, m_upper - size);
  m_closer = size < 0.999 * everything;
  if (m_closer)
    setRanges(lower, lower + size);
  else
    setRanges(m_lower, m_upper);
}

// --- At the cursor -----------------------------------------------------------------------------

void PlotNavigation::leaveOut(QCPGraph* graph) {
  graph->setProperty(kLeftOut, true);
}

bool PlotNavigation::isLeftOut(const QCPGraph* graph) {
  return graph->property(kLeftOut).toBool();
}

void PlotNavigation::applyTheme(const QPalette& palette) {
  QColor quiet = palette.color(QPalette::Text);
  quiet.setAlpha(110);
  m_cursor.setPen(QPen(quiet, 1));
  m_focus->setPen(QPen(palette.color(QPalette::Highlight), 3));  // its outer half is cut off
}

std::vector<const QCPGraph*> PlotNavigation::spokenGraphs(QCPAxisRect* rect) {
  std::vector<const QCPGraph*> spoken;
  for (const QCPGraph* graph : rect->graphs())
    if (graph->visible() && !isLeftOut(graph)) spoken.push_back(graph);
  return spoken;
}

PlotNavigation::Reading PlotNavigation::readGraphs(QCPAxisRect* rect, double key) {
  Reading reading;
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<std::pair<const QCPGraph*, const QCPGraphData*>> samples;
  for (const QCPGraph* graph : spokenGraphs(rect)) {
    const QCPGraphData* sample = nearestSample(graph, key);
    if (!sample || !std::isfinite(sample->value)) continue;
    samples.emplace_back(graph, sample);
    if (std::abs(sample->key - key) >= nearest) continue;
    nearest = std::abs(sample->key - key);
    reading.key = sample->key;
  }
  if (samples.empty()) return reading;
  reading.marked = true;
  const QString unit = rect->axis(QCPAxis::atBottom)->label();
  reading.lines.push_back({{}, unit + QLatin1Char(' ') + whole(reading.key)});
  for (const auto& [graph, sample] : samples) {
    QString text = QStringLiteral("%1  %2").arg(graph->name()).arg(sample->value, 0, 'g', 4);
    // Measured less often, as the validation is: where the value is from.
    if (whole(sample->key) != whole(reading.key))
      text += QStringLiteral(" (%1 %2)").arg(unit, whole(sample->key));
    QColor color = graph->pen().color();
    color.setAlpha(255);
    reading.lines.push_back({color, text});
  }
  return reading;
}

PlotNavigation::Reading PlotNavigation::readCell(QCPAxisRect* rect, QCPColorMap* map, int column,
                                                 int row) {
  Reading reading;
  if (column < 0 || row < 0 || column >= map->data()->keySize() || row >= map->data()->valueSize())
    return reading;
  const double value = map->data()->cell(column, row);
  if (!std::isfinite(value)) return reading;
  const QCPAxis *x = rect->axis(QCPAxis::atBottom), *y = rect->axis(QCPAxis::atLeft);
  reading.lines.push_back(
      {{}, QStringLiteral("%1 %2 · %3 %4").arg(y->label()).arg(row).arg(x->label()).arg(column)});
  reading.lines.push_back({{}, QStringLiteral("%1  %2").arg(map->name()).arg(value, 0, 'g', 4)});
  return reading;
}

QCPColorMap* PlotNavigation::mapOf(QCPAxisRect* rect) {
  for (QCPAbstractPlottable* plottable : rect->plottables())
    if (auto* map = qobject_cast<QCPColorMap*>(plottable)) return map;
  return nullptr;
}

PlotNavigation::Reading PlotNavigation::readingAt(const QPointF& position) const {
  for (QCPAxisRect* rect : m_rects) {
    if (!rect->rect().contains(position.toPoint())) continue;
    const double key = rect->axis(QCPAxis::atBottom)->pixelToCoord(position.x());
    QCPColorMap* map = mapOf(rect);
    if (!map) return readGraphs(rect, key);
    int column = 0, row = 0;
    map->data()->coordToCell(key, rect->axis(QCPAxis::atLeft)->pixelToCoord(position.y()), &column,
                             &row);
    return readCell(rect, map, column, row);
  }
  return {};
}

QString PlotNavigation::textOf(const Reading& reading) {
  QStringList lines;
  for (const Line& line : reading.lines)
    lines << line.text;
  return lines.join(QLatin1Char('\n'));
}

QString PlotNavigation::textAt(const QPointF& position) const {
  return textOf(readingAt(position));
}

void PlotNavigation::onMouseMove(const QPointF& position, const QPoint& globalPosition) {
  say(readingAt(position), globalPosition);
}

void PlotNavigation::say(const Reading& reading, const QPoint& globalPosition) {
  if (reading.lines.empty()) return hideReading();
  QStringList lines;
  for (const Line& line : reading.lines)
    lines << (line.color.isValid() ? QStringLiteral("<span style='color:%1'>■</span> %2")
                                         .arg(line.color.name(), line.text.toHtmlEscaped())
                                   : QStringLiteral("<b>%1</b>").arg(line.text.toHtmlEscaped()));
  QToolTip::showText(globalPosition,
                     QStringLiteral("<div style='white-space:pre'>%1</div>")
                         .arg(lines.join(QStringLiteral("<br>"))),
                     m_plot);
  m_saying = true;
  m_cursor.setStep(reading.marked ? std::optional(reading.key) : std::nullopt);
  m_plot->layer(QStringLiteral("overlay"))->replot();
}

void PlotNavigation::hideReading() {
  if (!std::exchange(m_saying, false)) return;
  QToolTip::hideText();
  m_cursor.setStep(std::nullopt);
  m_plot->layer(QStringLiteral("overlay"))->replot();
}

bool PlotNavigation::eventFilter(QObject* watched, QEvent* event) {
  // A plot that is being destroyed loses the focus when it is a bare widget already.
  if (!qobject_cast<QCustomPlot*>(watched)) return false;
  switch (event->type()) {
    case QEvent::Leave:
      hideReading();
      break;
    case QEvent::FocusIn:
    case QEvent::FocusOut:
      setFocused(event->type() == QEvent::FocusIn);
      break;
    case QEvent::ToolTip:
      // Over values they are said at once; what the plot is, everywhere else.
      return !textAt(static_cast<QHelpEvent*>(event)->pos()).isEmpty();
    case QEvent::ShortcutOverride:
      if (!claimsKey(*static_cast<QKeyEvent*>(event))) break;
      event->accept();
      return true;
    case QEvent::KeyPress:
      if (!claimsKey(*static_cast<QKeyEvent*>(event))) break;
      handleKey(*static_cast<QKeyEvent*>(event));
      return true;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace headlight
