// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// k-NN on features, as DINO evaluates with (Caron et al. 2021). Torch types: core only.

#include <ATen/core/Tensor.h>

#include <stop_token>

namespace headlight {

struct NeighborOptions {
  std::int64_t neighbors = 20;
  double temperature = 0.07;
};

/// Shares of the votes, [Q, C], double: of each of `queries` [Q, D] the k of `features` [N, D] with
/// the greatest cosine vote for their class with exp(cosine / T). With fewer than k all vote.
/// Throws Failure(Canceled).
at::Tensor neighborVotes(const at::Tensor& features, const at::Tensor& labels,
                         const at::Tensor& queries, std::int64_t classes,
                         const NeighborOptions& options, const std::stop_token& stop = {});

}  // namespace headlight
