// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Multinomial logistic regression with an L2 penalty, minimized by L-BFGS. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <stop_token>

namespace headlight {

class StepMemory;

/// A point: a row of weights for each class, its bias in the last column. [C, D + 1], double.
struct LogisticSlope {
  double value = 0;
  at::Tensor gradient;  ///< [C, D + 1]
};

struct LogisticOptions {
  double l2 = 1e-3;
  double tolerance = 1e-7;  ///< of the greatest element of the gradient
  int iterations = 500;     ///< at most
};

struct LogisticOptimum {
  at::Tensor point;  ///< [C, D + 1]
  double value = 0;
  int iterations = 0;
  bool converged = false;  ///< the gradient is within the tolerance
};

/// f(W, b) = 1/N Σ −ln softmax(W x + b)_y + λ/2 ‖W‖². Biases are not penalized. It is convex; the
/// minimum whose rows sum to nothing is the only one, and is what a start at nothing leads to.
class LogisticProblem {
 public:
  /// `features` [N, D], N > 0; `labels` [N], int64, below `classes`.
  LogisticProblem(const at::Tensor& features, const at::Tensor& labels, std::int64_t classes);

  LogisticSlope slope(const at::Tensor& point, double l2) const;
  /// From `start`, or where that is undefined from nothing. The metric of the first step is
  /// Böhning's bound of the Hessian (1992), ½ XᵀX/N + λ, which is one matrix for all classes. Far
  /// from the minimum products with all images are float32, which halves their time.
  /// Throws Failure(Canceled).
  LogisticOptimum minimize(const LogisticOptions& options, const at::Tensor& start = {},
                           const std::stop_token& stop = {}) const;

 private:
  struct Place;
  LogisticSlope slopeOn(const at::Tensor& inputs, const at::Tensor& point, double l2) const;
  bool step(Place& place, StepMemory& memory, double l2) const;
  at::Tensor inverseBound(double l2) const;

  at::Tensor m_inputs;  ///< [N, D + 1], the last column ones; double
  at::Tensor m_rough;   ///< the same in float32
  at::Tensor m_labels;  ///< [1, N]
  std::int64_t m_classes;
  at::Tensor m_gram;     ///< XᵀX/N
  at::Tensor m_penalty;  ///< [D + 1]: ones, and nothing for the bias
};

}  // namespace headlight
