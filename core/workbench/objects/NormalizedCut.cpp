// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/NormalizedCut.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/workbench/objects/PatchProducts.h"

namespace headlight {
namespace {

/// Magnitudes that differ by less are equal: rounding must not choose between them.
constexpr double kEqualEntries = 1e-9;

/// E, [N × N].
std::vector<double> edgeWeights(const PatchProducts& cosines, double threshold, double epsilon) {
  std::vector<double> edges;
  edges.reserve(static_cast<std::size_t>(cosines.patches()) *
                static_cast<std::size_t>(cosines.patches()));
  for (int p = 0; p < cosines.patches(); ++p)
    for (int q = 0; q < cosines.patches(); ++q)
      edges.push_back(cosines.at(p, q) > threshold ? 1 : epsilon);
  return edges;
}

/// Of a patch with itself there is no edge to cut.
void requireDifferentEdges(const std::vector<double>& edges, int patches) {
  for (int p = 0; p < patches; ++p)
    for (int q = p + 1; q < patches; ++q)
      if (edges[static_cast<std::size_t>(p) * static_cast<std::size_t>(patches) +
                static_cast<std::size_t>(q)] != edges[1])
        return;
  throw Failure({ErrorCode::NotFound,
                 tr("all patches are equally alike, so TokenCut finds no cut between them; choose "
                    "another threshold, layer or feature"),
                 "threshold"});
}

/// y, [N]; its sign is arbitrary.
std::vector<double> secondEigenvector(const std::vector<double>& edges, int patches) {
  const at::NoGradGuard noGrad;
  const at::Tensor weights =
      at::from_blob(const_cast<double*>(edges.data()), {patches, patches}, at::kDouble);
  const at::Tensor degrees = weights.sum(1), root = degrees.rsqrt();
  const at::Tensor laplacian = (at::diag(degrees) - weights) * root.unsqueeze(1) * root;
  const auto [values, vectors] = at::linalg_eigh(laplacian, "L");
  const at::Tensor second = (vectors.select(1, 1) * root).contiguous();
  return {second.data_ptr<double>(), second.data_ptr<double>() + patches};
}

int largestEntry(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values)
    most = std::max(most, std::abs(value));
  const auto found = std::find_if(values.begin(), values.end(), [most](double value) {
    return std::abs(value) >= most * (1 - kEqualEntries);
  });
  return static_cast<int>(found - values.begin());
}

std::vector<char> aboveMean(const std::vector<double>& values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::vector<char> mask;
  for (const double value : values)
    mask.push_back(value > mean ? 1 : 0);
  return mask;
}

}  // namespace

PatchRegion normalizedCutRegion(const PatchFeatures& features, double threshold, double epsilon) {
  requireComparable(features);
  const int patches = features.patches();
  const auto edges = edgeWeights(PatchProducts(features, /*cosines=*/true), threshold, epsilon);
  requireDifferentEdges(edges, patches);
  std::vector<double> y = secondEigenvector(edges, patches);
  const int seed = largestEntry(y);
  if (y[static_cast<std::size_t>(seed)] < 0)
    for (double& value : y)
      value = -value;
  std::vector<char> mask = aboveMean(y);
  return regionAround(seed, std::move(mask), std::move(y), features.rows, features.cols);
}

}  // namespace headlight
