// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// IBiT's Algorithm 1 (§3.3): where the two sub-masks of a learned mask start. They are trained, by
// gradient descent, until their product looks like a local filter.

#include <cstdint>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

enum class MaskFilter {
  Gaussian,  ///< exp(−‖p(n) − p(m)‖² / 2σ²) inside the window, 0 outside (§3.3, Fig. 2)
  Convolution,  ///< 1 inside the window, 0 outside (§3.1)
};

/// Where the descent ends.
enum class MaskFitBound {
  Relative,  ///< ‖𝒜ℬᵀ − R‖ / ‖R‖ (Frobenius) below 1 %
  /// Mean squared error below 1e-4, as the paper has it. Over all N² entries, of which a filter
  /// fills few, that is a relative error of 8 % on 14 × 14 patches and 27 % on 56 × 56.
  Absolute,
};

struct LearnedMaskFitOptions {
  Grid grid;         ///< prefix tokens have no part in it
  int fidelity = 3;  ///< f: the sub-masks have f² columns
  MaskFilter filter = MaskFilter::Gaussian;
  int window = 3;          ///< of the filter: odd
  double sigma = 1.0;      ///< of the Gaussian, in patches
  bool rolled = true;      ///< fit the filter with each row rolled back by its number (§3.2)
  std::uint64_t seed = 0;  ///< of the random start
  MaskFitBound bound = MaskFitBound::Relative;
  int maxSteps = 20000;  ///< it ends there in any case

  bool operator==(const LearnedMaskFitOptions&) const = default;
};

struct LearnedMaskFit {
  std::vector<double> a, b;   ///< 𝒜 and ℬ: [N, f²], row-major
  std::vector<double> curve;  ///< the mean squared error at the start and after every step
  double relativeError = 0;   ///< ‖𝒜ℬᵀ − R‖ / ‖R‖ at the end
  /// Whether it came below the bound. A filter whose (rolled) rank is above f² may not be within
  /// reach: the descent then ends where it no longer gets better.
  bool reached = false;
};

/// Gradient descent on the squared error from a start of N(0, 0.1²), the two sub-masks at once.
/// The same options give the same fit, whatever the number of threads. 𝒜ℬᵀ [N, N] is to become the
/// filter G; rolled R[n, k] = G[n, (n + k) mod N]. Neither is ever formed. Towards the relative
/// bound steps are taken in few rows where that is possible (MaskFitSubspace.h).
LearnedMaskFit fitLearnedMask(const LearnedMaskFitOptions& options);

/// The same, computed once in a process. Warns where the bound was not reached.
const LearnedMaskFit& rememberedLearnedMaskFit(const LearnedMaskFitOptions& options);

}  // namespace headlight
