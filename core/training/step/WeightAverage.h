// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The exponential moving average of the weights (timm's ModelEma): e ← δ e + (1 − δ) p after every
// step, beginning at the weights themselves. The running statistics of batch norms are averaged
// with the weights that made them; other buffers (counters, masks) are the model's own.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

class WeightAverage {
 public:
  /// `decay` δ in [0, 1); 0: there is no average and everything here does nothing.
  /// `warmsUp`: in step t δ is at most (1 + t) / (10 + t). `cycle`: steps after which begin() begins
  /// anew, and with it t; 0: never.
  explicit WeightAverage(double decay, bool warmsUp = false, std::int64_t cycle = 0)
      : m_decay(decay), m_warmsUp(warmsUp), m_cycle(cycle) {}
  bool enabled() const { return m_decay > 0; }

  /// The parameters from now on, and the model's whole state, of which running statistics are
  /// taken. Those known by name keep their average; new ones begin at their value.
  void setParameters(const NamedTensors& parameters, const NamedTensors& state = {});
  /// Before optimizer step `step`, from 0: where a cycle begins, the averages are the parameters.
  /// It follows from the step alone, so that a resumed run begins where an uninterrupted one does.
  void begin(std::int64_t step);
  /// After optimizer step `step`, from 0, which only a warm-up asks for.
  void update(std::int64_t step = 0);

  /// Runs `body` while the model holds the averages; its own weights are back afterwards, bit for
  /// bit, whatever happens.
  void withAverages(const std::function<void()>& body);

  NamedTensors state() const;  ///< by the model's names; shares storage
  /// Throws Failure(InvalidFile) unless every parameter is there in its shape.
  void load(const NamedTensors& state, const std::string& where);

 private:
  double m_decay;
  bool m_warmsUp;
  std::int64_t m_cycle;
  std::vector<std::string> m_names;
  std::vector<at::Tensor> m_parameters, m_averages;
};

}  // namespace headlight
