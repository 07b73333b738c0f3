// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every optimizer has: parameters by name with their state, so that a checkpoint is a list of
// named tensors; elements that stand still; the norm of the gradients.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/TrainingConfig.h"

namespace headlight {

class Optimizer {
 public:
  /// Whether a parameter decays, by its name (Model::decays).
  using DecayRule = std::function<bool(const std::string& name, const at::Tensor& parameter)>;

  /// The factor of a parameter's learning rate, by its name.
  using RateRule = std::function<double(const std::string& name)>;

  virtual ~Optimizer() = default;

  /// The parameters from now on. Those known by name keep their state; new ones begin fresh.
  /// Without `rates` all learn at the rate of step().
  void setParameters(const NamedTensors& parameters, const DecayRule& decays,
                     const RateRule& rates = {});

  /// Elements (bool, shaped as the parameter of that name) that no step moves from now on: their
  /// values and moments stand still. Those named before are free again.
  void freeze(const NamedTensors& elements);

  /// The l2 norm over all gradients together; a scalar on their device, 0 where there are none.
  at::Tensor gradientNorm() const;
  /// One step with every gradient multiplied by `gradientScale` first (clipping). A parameter
  /// without a gradient is left alone and its count of steps stands still.
  void step(double learningRate, double gradientScale = 1.0);
  /// Drops the gradients: the next backward pass need not add to zeros.
  void clearGradients();

  /// MOMENT.NAME (shaped as the parameter) and steps.NAME (int64 scalar) of every parameter that
  /// has taken a step. Shares storage.
  NamedTensors state() const;
  /// Throws Failure(InvalidFile) unless every tensor fits a parameter.
  void load(const NamedTensors& state, const std::string& where);

 protected:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    std::vector<at::Tensor> moments;  ///< as `momentNames` has them; none before the first step
    at::Tensor held;                  ///< elements that stand still; undefined: none
    std::int64_t steps = 0;           ///< t, from 1 in a step
    bool decays = true;
    double rate = 1;  ///< factor of the learning rate, of AdamW's decay too
  };

  explicit Optimizer(std::vector<std::string> momentNames)
      : m_momentNames(std::move(momentNames)) {}

  /// Moves parameters that have gradients, moments and their step's number.
  virtual void update(const std::vector<Slot*>& slots, double learningRate,
                      double gradientScale) = 0;

 private:
  struct Kept;
  bool prepare(Slot& slot) const;
  static std::vector<Kept> keepHeld(const std::vector<Slot*>& slots);
  static void putBack(const std::vector<Kept>& kept);

  std::vector<std::string> m_momentNames;
  std::vector<Slot> m_slots;
};

/// As training.optimizer says.
std::unique_ptr<Optimizer> makeOptimizer(const TrainingConfig& config);

}  // namespace headlight
