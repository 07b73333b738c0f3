// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/PlotReading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/plots/Plotting.h"

namespace headlight {
namespace {

constexpr const char *kLeftOut = "leftOutOfHover", *kMarks = "plotMarks";
constexpr double kMarkReach = 4;  ///< pixels

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

/// A step is a whole number; a setting may be none, or have a name.
QString keyText(const QCPAxis* axis, double key) {
  const double whole = std::round(key);
  if (const auto names = axis->ticker().dynamicCast<QCPAxisTickerText>())
    return names->ticks().value(whole);
  const bool isWhole = std::abs(key - whole) < 1e-9 || axis->range().size() > 50;
  return isWhole ? QString::number(std::llround(key)) : QString::number(key, 'g', 4);
}

/// The marks within a few pixels of `key`.
void addMarks(QCPAxisRect* rect, double key, PlotReading& reading) {
  const QCPAxis* axis = rect->axis(QCPAxis::atBottom);
  for (const PlotMark& mark : rect->property(kMarks).value<QList<PlotMark>>())
    if (std::abs(axis->coordToPixel(mark.key) - axis->coordToPixel(key)) <= kMarkReach)
      reading.lines.push_back(
          {{}, QStringLiteral("%1 %2: %3").arg(axis->label(), keyText(axis, mark.key), mark.text)});
}

}  // namespace

void leaveOut(QCPGraph* graph) {
  graph->setProperty(kLeftOut, true);
}

bool isLeftOut(const QCPGraph* graph) {
  return graph->property(kLeftOut).toBool();
}

void setPlotMarks(QCPAxisRect* rect, const QList<PlotMark>& marks) {
  rect->setProperty(kMarks, QVariant::fromValue(marks));
}

std::vector<const QCPGraph*> spokenGraphs(QCPAxisRect* rect) {
  std::vector<const QCPGraph*> spoken;
  for (const QCPGraph* graph : rect->graphs())
    if (graph->visible() && !isLeftOut(graph)) spoken.push_back(graph);
  return spoken;
}

PlotReading readGraphs(QCPAxisRect* rect, double wanted) {
  PlotReading reading;
  double nearest = std::numeric_limits<double>::infinity();
  std::vector<std::pair<const QCPGraph*, const QCPGraphData*>> samples;
  for (const QCPGraph* graph : spokenGraphs(rect)) {
    const QCPGraphData* sample = nearestSample(graph, wanted);
    if (!sample || !std::isfinite(sample->value)) continue;
    samples.emplace_back(graph, sample);
    if (std::abs(sample->key - wanted) >= nearest) continue;
    nearest = std::abs(sample->key - wanted);
    reading.key = sample->key;
  }
  if (samples.empty()) return reading;
  reading.marked = true;
  const QCPAxis* axis = rect->axis(QCPAxis::atBottom);
  const QString unit = axis->label(), key = keyText(axis, reading.key);
  reading.lines.push_back({{}, unit + QLatin1Char(' ') + key});
  for (const auto& [graph, sample] : samples) {
    QString text = QStringLiteral("%1  %2").arg(graph->name()).arg(sample->value, 0, 'g', 4);
    // Measured less often, as the validation is: where the value is from.
    if (const QString at = keyText(axis, sample->key); at != key)
      text += QStringLiteral(" (%1 %2)").arg(unit, at);
    QColor color = graph->pen().color();
    color.setAlpha(255);
    reading.lines.push_back({color, text});
  }
  addMarks(rect, wanted, reading);
  return reading;
}

PlotReading readCell(QCPAxisRect* rect, QCPColorMap* map, int column, int row) {
  PlotReading reading;
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

QCPColorMap* findColorMap(QCPAxisRect* rect) {
  for (QCPAbstractPlottable* plottable : rect->plottables())
    if (auto* map = qobject_cast<QCPColorMap*>(plottable)) return map;
  return nullptr;
}

QString readingText(const PlotReading& reading) {
  QStringList lines;
  for (const PlotReading::Line& line : reading.lines)
    lines << line.text;
  return lines.join(QLatin1Char('\n'));
}

}  // namespace headlight
