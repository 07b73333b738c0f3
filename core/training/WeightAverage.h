#pragma once
// The exponential moving average of the weights (timm's ModelEma): e ← δ e + (1 − δ) p after every
// step, beginning at the weights themselves.

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

  /// The parameters from now on. Those known by name keep their average; new ones begin at their
  /// value.
  void setParameters(const NamedTensors& parameters);
  void update();

  /// Runs `body` while the model holds the averages; its own weights are back afterwards, bit for
  /// bit, whatever happens.
  void withAverages(const std::function<void()>& body);

  NamedTensors state() const;  ///< by parameter name; shares storage
  /// Throws Failure(InvalidFile) unless every parameter is there in its shape.
  void load(const NamedTensors& state, const std::string& where);

 private:
  double m_decay;
  std::vector<std::string> m_names;
  std::vector<at::Tensor> m_parameters, m_averages;
};

}  // namespace headlight
