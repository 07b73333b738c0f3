// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/KeyAlignment.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/workbench/pairs/RankCorrelation.h"

namespace headlight {
namespace {

constexpr double kScaleCandidates[] = {0.2, 0.4, 0.8, 1, 1.25, 2.5, 5};
constexpr double kNearShare = 0.005;
constexpr std::size_t kFewestNear = 10;

/// The mean squared distance from the center.
double spreadOf(const at::Tensor& rows) {
  return (rows - rows.mean(0, /*keepdim=*/true)).square().sum(1).mean().item<double>();
}

/// The distance below which pairs count.
double nearDistance(std::vector<double> distances) {
  const auto share = static_cast<std::size_t>(kNearShare * static_cast<double>(distances.size()));
  const std::size_t place = std::min(distances.size() - 1, std::max(share, kFewestNear));
  std::nth_element(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(place),
                   distances.end());
  return distances[place];
}

/// NaN where too few pairs differ.
double nearCorrelation(const std::vector<double>& distances,
                       const std::vector<ComparedPair>& pairs) {
  const double bound = nearDistance(distances);
  std::vector<double> near, products, weights;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (!(distances[i] < bound)) continue;
    near.push_back(distances[i]);
    products.push_back(pairs[i].product);
    weights.push_back((bound - distances[i]) * (bound - distances[i]));
  }
  return weightedCorrelation(products, near, weights);
}

}  // namespace

at::Tensor KeyAlignment::queries(const at::Tensor& given) const {
  return given * scale;
}

at::Tensor KeyAlignment::keys(const at::Tensor& given) const {
  return (given + translation) / scale;
}

KeyAlignment alignKeys(const at::Tensor& queries, const at::Tensor& keys, double scale) {
  return {scale,
          queries.mean(0, /*keepdim=*/false) * (scale * scale) - keys.mean(0, /*keepdim=*/false)};
}

double spreadScale(const at::Tensor& queries, const at::Tensor& keys) {
  const double ofQueries = spreadOf(queries), ofKeys = spreadOf(keys);
  return ofQueries > 0 && ofKeys > 0 ? std::sqrt(std::sqrt(ofKeys / ofQueries)) : 1;
}

double correlationScale(const at::Tensor& queries, const at::Tensor& keys,
                        const std::vector<ComparedPair>& pairs) {
  double best = spreadScale(queries, keys), least = 1;
  if (pairs.empty()) return best;
  for (const double scale : kScaleCandidates) {
    const KeyAlignment aligned = alignKeys(queries, keys, scale);
    std::vector<double> distances =
        squaredDistances(aligned.queries(queries), aligned.keys(keys), pairs);
    for (double& distance : distances)
      distance = std::sqrt(distance);
    const double correlation = nearCorrelation(distances, pairs);
    if (!(correlation < least)) continue;
    least = correlation;
    best = scale;
  }
  return best;
}

std::vector<double> squaredDistances(const at::Tensor& queries, const at::Tensor& keys,
                                     const std::vector<ComparedPair>& pairs) {
  const at::Tensor q = queries.contiguous(), k = keys.contiguous();
  const std::int64_t width = q.size(1);
  const double *first = q.data_ptr<double>(), *second = k.data_ptr<double>();
  std::vector<double> distances;
  distances.reserve(pairs.size());
  for (const ComparedPair& pair : pairs) {
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) {
      const double apart = first[pair.query * width + i] - second[pair.key * width + i];
      sum += apart * apart;
    }
    distances.push_back(sum);
  }
  return distances;
}

}  // namespace headlight
