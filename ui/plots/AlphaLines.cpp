// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/AlphaLines.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr double kNotSoft = std::numeric_limits<double>::quiet_NaN();

double alphaOf(const HeadPoint& point, std::size_t layer, std::size_t head) {
  const bool known = layer < point.alpha.size() && head < point.alpha[layer].size();
  return known ? point.alpha[layer][head] : kNotSoft;
}

/// Over the heads that are soft.
double meanAlpha(const HeadPoint& point, std::size_t layer) {
  double sum = 0;
  int heads = 0;
  for (std::size_t head = 0; layer < point.alpha.size() && head < point.alpha[layer].size(); ++head)
    if (const double alpha = alphaOf(point, layer, head); std::isfinite(alpha)) {
      sum += alpha;
      ++heads;
    }
  return heads > 0 ? sum / heads : kNotSoft;
}

template <typename ValueAt>
ReadingLine lineThrough(const HeadHistory& history, const QString& name, ValueAt&& valueAt) {
  ReadingLine line{name, {}, {}};
  for (const HeadHistory::Point& point : history.points()) {
    line.keys.append(static_cast<double>(point->step));
    line.values.append(valueAt(*point));
  }
  return line;
}

bool hasValue(const ReadingLine& line) {
  return std::any_of(line.values.begin(), line.values.end(),
                     [](double value) { return std::isfinite(value); });
}

std::size_t headsIn(const HeadHistory& history, std::size_t layer) {
  std::size_t heads = 0;
  for (const HeadHistory::Point& point : history.points())
    if (layer < point->alpha.size()) heads = std::max(heads, point->alpha[layer].size());
  return heads;
}

}  // namespace

std::vector<int> softLayers(const HeadHistory& history) {
  std::size_t layers = 0;
  for (const HeadHistory::Point& point : history.points())
    layers = std::max(layers, point->alpha.size());
  std::vector<int> soft;
  for (std::size_t layer = 0; layer < layers; ++layer)
    if (std::any_of(history.points().begin(), history.points().end(),
                    [&](const auto& point) { return std::isfinite(meanAlpha(*point, layer)); }))
      soft.push_back(static_cast<int>(layer));
  return soft;
}

std::vector<ReadingLine> alphaLines(const HeadHistory& history, int layer) {
  std::vector<ReadingLine> lines;
  if (layer < 0) {
    for (const int soft : softLayers(history))
      lines.push_back(lineThrough(history, QObject::tr("L%1").arg(soft), [&](const auto& point) {
        return meanAlpha(point, static_cast<std::size_t>(soft));
      }));
    return lines;
  }
  const auto at = static_cast<std::size_t>(layer);
  for (std::size_t head = 0; head < headsIn(history, at); ++head) {
    ReadingLine line = lineThrough(history, QObject::tr("head %1").arg(head),
                                   [&](const auto& point) { return alphaOf(point, at, head); });
    if (hasValue(line)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace headlight
