// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/RankCorrelation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headlight {
namespace {

constexpr double kNoCorrelation = std::numeric_limits<double>::quiet_NaN();

std::vector<std::size_t> risingOrder(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

std::vector<double> meanRanks(const std::vector<double>& values) {
  const std::vector<std::size_t> order = risingOrder(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, next = 0; first < order.size(); first = next) {
    while (next < order.size() && values[order[next]] == values[order[first]])
      ++next;
    for (std::size_t i = first; i < next; ++i)
      ranks[order[i]] = 0.5 * static_cast<double>(first + next - 1);
  }
  return ranks;
}

bool hasNaN(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

double weightedMean(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0, whole = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += weights[i] * values[i], whole += weights[i];
  return sum / whole;
}

}  // namespace

double weightedCorrelation(const std::vector<double>& first, const std::vector<double>& second,
                           const std::vector<double>& weights) {
  const double meanX = weightedMean(first, weights), meanY = weightedMean(second, weights);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double x = first[i] - meanX, y = second[i] - meanY;
    xy += weights[i] * x * y;
    xx += weights[i] * x * x;
    yy += weights[i] * y * y;
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0)
                          : kNoCorrelation;
}

double rankCorrelation(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.size() < 2 || hasNaN(first) || hasNaN(second)) return kNoCorrelation;
  return weightedCorrelation(meanRanks(first), meanRanks(second),
                             std::vector<double>(first.size(), 1.0));
}

}  // namespace headlight
