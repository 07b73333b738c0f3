// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/AttentionMass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kSumRounding = 1e-12;  ///< of sums, in shares of the whole

std::vector<std::size_t> byFallingWeight(const std::vector<double>& weights) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  return order;
}

double positiveSum(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights)
    sum += std::max(weight, 0.0);
  return sum;
}

void requireFiniteWeights(const std::vector<double>& weights) {
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }))
    return;
  throw Failure({ErrorCode::Internal,
                 tr("the attention of this image is not all numbers (NaN or infinite), so no mask "
                    "can be made of it"),
                 "attention"});
}

/// The kept patch with the greatest sum; −1: none is kept.
int seedOfMass(const std::vector<char>& mask, const std::vector<double>& sums) {
  int seed = -1;
  for (std::size_t p = 0; p < mask.size(); ++p)
    if (mask[p] && (seed < 0 || sums[p] > sums[static_cast<std::size_t>(seed)]))
      seed = static_cast<int>(p);
  return seed;
}

}  // namespace

std::vector<char> keptMass(const std::vector<double>& weights, double mass) {
  std::vector<char> mask(weights.size(), 0);
  const double enough = (mass - kSumRounding) * positiveSum(weights);
  double kept = 0;
  for (const std::size_t place : byFallingWeight(weights)) {
    if (!(weights[place] > 0) || kept >= enough) break;
    mask[place] = 1;
    kept += weights[place];
  }
  return mask;
}

PatchRegion joinedMass(const std::vector<std::vector<double>>& heads, double mass, int rows,
                       int cols) {
  const auto patches = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  std::vector<char> mask(patches, 0);
  std::vector<double> scores(patches, 0), sums(patches, 0);
  for (const std::vector<double>& weights : heads) {
    requireFiniteWeights(weights);
    const std::vector<char> kept = keptMass(weights, mass);
    for (std::size_t p = 0; p < patches; ++p) {
      if (kept[p]) mask[p] = 1;
      scores[p] += kept[p] / static_cast<double>(heads.size());
      sums[p] += weights[p];
    }
  }
  const int seed = seedOfMass(mask, sums);
  if (seed < 0)
    throw Failure({ErrorCode::NotFound, tr("attends to no patch in this layer; choose another"),
                   "attention"});
  return regionAround(seed, std::move(mask), std::move(scores), rows, cols);
}

}  // namespace headlight
