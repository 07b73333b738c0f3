// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Castling-ViT's synthetic experiment (You et al. 2023, Fig. 7): a network of two layers learns the
// angular kernel of q·k, low frequencies before high ones (the frequency principle, Xu et al.
// 2019). Frequencies are those of the angle: over a whole turn 1 − θ/π is a triangle wave, 0.5 and
// 4/(πn)² cos nθ for odd n, of which the linear terms have n = 0 and n = 1 alone. Small, of a seed,
// on one thread. No torch type here.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"

namespace headlight {

enum class AngularTarget {
  Kernel,    ///< the network learns all of 1 − θ/π
  Residual,  ///< it learns what the linear terms leave; the fit is their sum
};

struct AngularFitOptions {
  AngularTarget target = AngularTarget::Kernel;
  int hidden = 40;      ///< tanh units, 1 to 1024
  int steps = 6000;     ///< of Adam on all samples, 1 to 100 000
  double rate = 0.003;  ///< its learning rate, above 0, at most 1
  std::uint64_t seed = 0;
  bool operator==(const AngularFitOptions&) const = default;
};

/// "kernel" or "residual".
const std::string& angularTargetName(AngularTarget target);
Result<AngularTarget> angularTargetFromName(const std::string& name);

struct AngularFit {
  AngularFitOptions options;
  std::vector<double> angles;               ///< 256 samples, evenly over (0, π), as what follows
  std::vector<double> kernel, linear, fit;  ///< 1 − θ/π, ½ + cos θ/π, and the fit at the end
  /// After which was recorded: 120 from 1 to the last, evenly in the logarithm (the first ones
  /// several times).
  std::vector<int> steps;
  std::vector<double> losses;    ///< mean squared error of the fit, after each of them
  std::vector<int> frequencies;  ///< in periods of a turn: 1, 3, 5, …; of the others there is none
  /// [frequencies × steps]: |F(fit) − F(kernel)| / |F(kernel)|, F the Fourier transform over a
  /// turn.
  std::vector<double> errors;

  double error(std::size_t frequency, std::size_t recorded) const {
    return errors[frequency * steps.size() + recorded];
  }
};

/// Blocks its caller's thread, for a second or two. Errors: options out of range, Canceled.
Result<AngularFit> fitAngularKernel(const AngularFitOptions& options,
                                    const ProgressCallback& progress = {},
                                    std::stop_token stop = {});

}  // namespace headlight
