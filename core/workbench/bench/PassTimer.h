// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How long the forward and the backward pass of a computation take, each by a clock of its own.

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace headlight {

class PassTimer {
 public:
  using Run = std::function<at::Tensor(const at::Tensor&)>;

  /// Times `run` on `input` without gradients, then once more with them: of that pass the backward
  /// part alone, so that it is never less than nothing, however busy the machine is.
  void measure(const Run& run, const at::Tensor& input);

  /// Medians of what was measured, in milliseconds; once measured at least once. Backward 0 where
  /// gradients reach nothing, as in a model without classes.
  double forwardMs() const;
  double backwardMs() const;

 private:
  std::vector<double> m_forward, m_backward;
};

/// Forward and backward, from a leaf that gradients reach.
void runBothPasses(const PassTimer::Run& run, const at::Tensor& input);

double median(std::vector<double> values);

}  // namespace headlight
