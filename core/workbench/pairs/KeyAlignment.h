// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries and keys moved and scaled so that they share one space, as AttentionViz does (Yeh et al.
// 2023, §4): q' = c·q and k' = (k + t)/c. Then q'·k' = q·k + q·t, and the last term is the same for
// all keys of a query, so that a softmax over the keys stays as it is. t = c²·mean(q) − mean(k)
// puts both centers in one place. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

/// A query and a key of one image, by their rows.
struct ComparedPair {
  std::int64_t query = 0, key = 0;
  double product = 0;  ///< q·k, as they are
  double weight = 0;   ///< of the attention map; NaN: not known
};

struct KeyAlignment {
  double scale = 1;        ///< c > 0
  at::Tensor translation;  ///< t, [d] double

  at::Tensor queries(const at::Tensor& given) const;  ///< [N, d] → q'
  at::Tensor keys(const at::Tensor& given) const;     ///< [N, d] → k'
};

/// For queries [N, d] and keys [M, d] in double.
KeyAlignment alignKeys(const at::Tensor& queries, const at::Tensor& keys, double scale);

/// c = (s_k / s_q)^¼ of the mean squared distances s from the centers: both are then equal, and
/// the mean squared distance between queries and keys is least. 1 where one of them has no spread.
double spreadScale(const at::Tensor& queries, const at::Tensor& keys);

/// AttentionViz's choice: of its candidates the c whose weighted correlation of distance and q·k is
/// closest to −1, of the pairs below the 0.5th percentile d of distances (of at least 10 pairs),
/// weighted by (d − distance)². spreadScale() where none has a correlation.
double correlationScale(const at::Tensor& queries, const at::Tensor& keys,
                        const std::vector<ComparedPair>& pairs);

/// Squared distances of pairs, of rows of `queries` and `keys` in one space.
std::vector<double> squaredDistances(const at::Tensor& queries, const at::Tensor& keys,
                                     const std::vector<ComparedPair>& pairs);

}  // namespace headlight
