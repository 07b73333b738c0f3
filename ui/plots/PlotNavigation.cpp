#include "ui/plots/PlotNavigation.h"

#include <QHelpEvent>
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
    : QObject(plot), m_plot(plot), m_rects(rects), m_cursor(rects, QStringLiteral("overlay")) {
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

void PlotNavigation::applyTheme(const QPalette& palette) {
  QColor quiet = palette.color(QPalette::Text);
  quiet.setAlpha(110);
  m_cursor.setPen(QPen(quiet, 1));
}

PlotNavigation::Reading PlotNavigation::readGraphs(QCPAxisRect* rect, double key) {
  Reading reading;
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<std::pair<const QCPGraph*, const QCPGraphData*>> samples;
  for (const QCPGraph* graph : rect->graphs()) {
    if (!graph->visible() || graph->property(kLeftOut).toBool()) continue;
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

PlotNavigation::Reading PlotNavigation::readMap(QCPAxisRect* rect, QCPColorMap* map,
                                                const QPointF& position) {
  const QCPAxis *x = rect->axis(QCPAxis::atBottom), *y = rect->axis(QCPAxis::atLeft);
  int column = 0, row = 0;
  map->data()->coordToCell(x->pixelToCoord(position.x()), y->pixelToCoord(position.y()), &column,
                           &row);
  Reading reading;
  if (column < 0 || row < 0 || column >= map->data()->keySize() || row >= map->data()->valueSize())
    return reading;
  const double value = map->data()->cell(column, row);
  if (!std::isfinite(value)) return reading;
  reading.lines.push_back(
      {{}, QStringLiteral("%1 %2 · %3 %4").arg(y->label()).arg(row).arg(x->label()).arg(column)});
  reading.lines.push_back({{}, QStringLiteral("%1  %2").arg(map->name()).arg(value, 0, 'g', 4)});
  return reading;
}

PlotNavigation::Reading PlotNavigation::readingAt(const QPointF& position) const {
  for (QCPAxisRect* rect : m_rects) {
    if (!rect->rect().contains(position.toPoint())) continue;
    for (QCPAbstractPlottable* plottable : rect->plottables())
      if (auto* map = qobject_cast<QCPColorMap*>(plottable)) return readMap(rect, map, position);
    return readGraphs(rect, rect->axis(QCPAxis::atBottom)->pixelToCoord(position.x()));
  }
  return {};
}

QString PlotNavigation::textAt(const QPointF& position) const {
  QStringList lines;
  for (const Line& line : readingAt(position).lines)
    lines << line.text;
  return lines.join(QLatin1Char('\n'));
}

void PlotNavigation::onMouseMove(const QPointF& position, const QPoint& globalPosition) {
  const Reading reading = readingAt(position);
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
  if (event->type() == QEvent::Leave) hideReading();
  // Over values they are said at once; what the plot is, everywhere else.
  if (event->type() == QEvent::ToolTip)
    return !textAt(static_cast<QHelpEvent*>(event)->pos()).isEmpty();
  return QObject::eventFilter(watched, event);
}

}  // namespace headlight
