// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// AFT-local (Zhai et al. 2021, Eq. 4) on a grid in O(T · window · columns · D) in place of O(T² ·
// D): outside a window every bias is 0, so that one sum over all patches stands for them.

#include <ATen/core/Tensor.h>

#include "core/attention/kernels/BandSums.h"
#include "core/masks/Grid.h"

namespace headlight {

/// The position biases that AFT-local learns on a grid of P prefix tokens and N patches, those
/// between patches in bands of rows.
struct AftBandBiases {
  at::Tensor ofPrefix;  ///< [P, P + N]: of prefix tokens' queries
  at::Tensor toPrefix;  ///< [N, P]
  at::Tensor near;      ///< [N, columns]: patches in rows less than the window apart
};

class AftBand {
 public:
  /// `window` s as in aftWindow(), at least 1; off, `global` leaves patches outside the window out.
  AftBand(const Grid& grid, int window, bool global);

  /// Whether context() is faster than aftContext() on two cores, by measurement.
  static bool isFaster(const Grid& grid, int window);
  /// Pairs of tokens that it multiplies by; aftContext() has (P + N)².
  static std::int64_t pairs(const Grid& grid, int window);

  /// For w = u vᵀ, [P + N, d'] each; and of w [P + N, P + N] as a whole.
  AftBandBiases biases(const at::Tensor& u, const at::Tensor& v) const;
  AftBandBiases biases(const at::Tensor& whole) const;

  /// Eq. 4 without the query gate, as aftContext() has it. keys, values [B, P + N, D].
  /// What fusedKernelsTake(), as all here.
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values, const AftBandBiases& biases);

 private:
  at::Tensor beyond(const at::Tensor& patches) const;
  at::Tensor patchSums(const at::Tensor& sums, const AftBandBiases& biases);

  Grid m_grid;
  GridBand m_band;
  bool m_global;
  at::Tensor m_outside;  ///< [N, columns] bool: which columns are no patches within the window
};

}  // namespace headlight
