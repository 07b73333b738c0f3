// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segmentation/MaskMatching.h"

#include <ATen/ATen.h>

#include "core/training/segmentation/CheapestPairs.h"
#include "core/training/segmentation/MaskPoints.h"

namespace headlight {
namespace {

/// [Q, M] of logits [Q, P] and truth [M, P]: the mean over the points of BCE(σ(z), t), which is
/// linear in t.
at::Tensor crossEntropies(const at::Tensor& logits, const at::Tensor& truth) {
  const at::Tensor ofNone = at::softplus(logits).mean(1, /*keepdim=*/true);
  return ofNone - at::matmul(logits, truth.t()) / static_cast<double>(logits.size(1));
}

at::Tensor diceCosts(const at::Tensor& logits, const at::Tensor& truth) {
  const at::Tensor found = logits.sigmoid();
  const at::Tensor shared = at::matmul(found, truth.t());
  const at::Tensor both = found.sum(1, /*keepdim=*/true) + truth.sum(1).unsqueeze(0);
  return 1 - (2 * shared + 1) / (both + 1);
}

}  // namespace

at::Tensor matchingCosts(const MaskLogits& said, const TrueMasks& truth, const at::Tensor& points) {
  const at::NoGradGuard noGrad;
  const at::Tensor labels =
      at::tensor(at::ArrayRef<std::int64_t>(truth.labels), at::kLong).to(said.classes.device());
  const at::Tensor likely = said.classes.softmax(1).index_select(1, labels);
  const at::Tensor logits = atSharedPoints(said.masks, points);
  const at::Tensor wanted = atSharedPoints(truth.masks, points);
  return kMaskWeight * crossEntropies(logits, wanted) + kDiceWeight * diceCosts(logits, wanted) -
         kClassWeight * likely;
}

std::vector<std::int64_t> matchedQueries(const at::Tensor& costs) {
  const at::Tensor byMask = costs.detach().t().to(at::kCPU, at::kDouble).contiguous();
  const std::span<const double> numbers(byMask.data_ptr<double>(),
                                        static_cast<std::size_t>(byMask.numel()));
  const std::vector<int> queries =
      cheapestPairs(numbers, static_cast<int>(byMask.size(0)), static_cast<int>(byMask.size(1)));
  return {queries.begin(), queries.end()};
}

}  // namespace headlight
