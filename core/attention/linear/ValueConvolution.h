// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A depthwise convolution of the values over the patch grid, as recent linear attentions add it to
// their output against maps of low rank: DWC(V) of FLatten (Han et al. 2023, Eq. 7) and of agent
// attention (Han et al. 2024), LePE (Dong et al. 2022) of RALA and MALA.

#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "core/attention/base/Attention.h"
#include "core/attention/base/Cost.h"
#include "core/masks/Grid.h"

namespace headlight {

/// How many filters of which size.
struct ValueFilters {
  std::int64_t channels = 0;  ///< one a feature of all heads, or of one head, whose all heads share
  int side = 5;               ///< odd
};

/// `weight` [C, 1, side, side] and `bias` [C]. Patches outside the grid are 0; prefix tokens are
/// neither read nor given anything.
class ValueConvolution : public torch::nn::Module {
 public:
  ValueConvolution(const ValueFilters& filters, const Grid& grid);
  /// `width`: features of all heads together.
  static void count(CostCounter& counter, const std::string& name, const ValueFilters& filters,
                    std::int64_t width, const Grid& grid);
  /// [B, H, T, e] → [B, H, T, e].
  at::Tensor forward(const at::Tensor& values) const;
  void setGrid(const Grid& grid) { m_grid = grid; }

 private:
  Grid m_grid;
  at::Tensor m_weight, m_bias;
};

/// Throws Failure for a filter without a center. `option`: its name.
void requireOddFilter(int side, const std::string& option);

/// The options of a mechanism with such a convolution, whose side is `convolution`. Throws Failure
/// likewise.
template <typename Options>
Options convolvedOptions(const ParameterTable& table, const AttentionOptions& options) {
  auto own = optionsAs<Options>(table, options.options);
  requireOddFilter(own.convolution, "convolution");
  return own;
}

}  // namespace headlight
