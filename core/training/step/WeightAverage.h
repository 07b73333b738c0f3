// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The exponential moving average of the weights (timm's ModelEma): e ← δ e + (1 − δ) p after every
// step, beginning at the weights themselves. The running statistics of batch norms are averaged
// with the weights that made them; other buffers (counters, masks) are the model's own.

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

class WeightAverage {
 public:
  /// `decay` δ in [0, 1); 0: there is no average and everything here does nothing.
  explicit WeightAverage(double decay) : m_decay(decay) {}
  bool enabled() const { return m_decay > 0; }

  /// The parameters from now on, and the model's whole state, of which running statistics are
  /// taken. Those known by name keep their average; new ones begin at their value.
  void setParameters(const NamedTensors& parameters, const NamedTensors& state = {});
  void update();

  /// Runs `body` while the model holds the averages; its own weights are back afterwards, bit for
  /// bit, whatever happens.
  void withAverages(const std::function<void()>& body);

  NamedTensors state() const;  ///< by the model's names; shares storage
  /// Throws Failure(InvalidFile) unless every parameter is there in its shape.
  void load(const NamedTensors& state, const std::string& where);

 private:
  double m_decay;
  std::vector<std::string> m_names;
  std::vector<at::Tensor> m_parameters, m_averages;
};

}  // namespace headlight
