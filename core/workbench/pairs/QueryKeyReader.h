// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries and keys of one head for one image, token by token, whatever windows or pooling the
// layer has. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/masks/Grid.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// Queries or keys.
struct TokenRows {
  Grid grid;                         ///< where the tokens lie: the layer's, or a pooled one
  at::Tensor values;                 ///< [N, d] double, on the host
  std::vector<std::int64_t> tokens;  ///< [N], on `grid`
  /// [N]: the window that a token compares within; −1: it is compared within all.
  std::vector<std::int64_t> groups;

  std::int64_t count() const { return static_cast<std::int64_t>(tokens.size()); }
  /// Those of these rows alone.
  TokenRows only(const std::vector<std::int64_t>& rows) const;
};

struct QueryKeyRows {
  TokenRows queries, keys;
  at::Tensor weights;  ///< [T, T] double, the head's map; undefined where tokens are pooled
};

/// Runs blocks 0 … `layer` of an image [1, 3, H, W]. Throws Failure(InvalidArgument): a head that
/// there is not, a layer that compares no queries with keys (AFT) or whose tokens are not those of a
/// grid (class attention).
QueryKeyRows readQueryKeys(Model& model, const at::Tensor& image, int layer, int head);

}  // namespace headlight
