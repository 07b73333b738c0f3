#pragma once
// AdamW (Loshchilov & Hutter 2019, as torch.optim.AdamW computes it), with its state as tensors by
// parameter name, so that a checkpoint is a list of named tensors.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/TrainingConfig.h"

namespace headlight {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weightDecay = 0.05;
};
AdamWOptions adamWOptions(const TrainingConfig& config);

/// Of a parameter p with gradient g, at its own t-th step (t from 1), learning rate η:
///   p ← p (1 − η λ)          where it decays
///   m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
///   p ← p − η/(1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)
/// A parameter without a gradient is left alone and its t stands still.
class AdamW {
 public:
  /// Whether a parameter decays, by its name (Model::decays).
  using DecayRule = std::function<bool(const std::string& name, const at::Tensor& parameter)>;

  explicit AdamW(AdamWOptions options) : m_options(options) {}

  /// The parameters from now on. Those known by name keep their state; new ones begin fresh.
  void setParameters(const NamedTensors& parameters, const DecayRule& decays);

  /// Elements (bool, shaped as the parameter of that name) that no step moves from now on: their
  /// values and moments stand still. Those named before are free again.
  void holdStill(const NamedTensors& elements);

  /// The l2 norm over all gradients together; a scalar on their device, 0 where there are none.
  at::Tensor gradientNorm() const;
  /// One step with every gradient multiplied by `gradientScale` first (clipping).
  void step(double learningRate, double gradientScale = 1.0);
  /// Drops the gradients: the next backward pass need not add to zeros.
  void clearGradients();

  /// first.NAME, second.NAME (shaped as the parameter) and steps.NAME (int64 scalar) of every
  /// parameter that has taken a step. Shares storage.
  NamedTensors state() const;
  /// Throws Failure(InvalidFile) unless every tensor fits a parameter.
  void load(const NamedTensors& state, const std::string& where);

  /// Off: LibTorch's multi-tensor operations also where the fused loop applies (tests compare).
  void setFused(bool fused) { m_fused = fused; }

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    at::Tensor first, second;  ///< m and v; undefined before the first step
    at::Tensor held;           ///< elements that stand still; undefined: none
    std::int64_t steps = 0;    ///< t
    bool decays = true;
  };
  struct Scalars;

  struct Kept;
  bool prepare(Slot& slot);
  Scalars scalarsOf(const Slot& slot, double learningRate) const;
  static std::vector<Kept> keepHeld(const std::vector<Slot>& slots);
  static void putBack(const std::vector<Kept>& kept);
  void stepMany(const std::vector<Slot*>& slots, double learningRate, double gradientScale);

  AdamWOptions m_options;
  std::vector<Slot> m_slots;
  bool m_fused = true;
};

}  // namespace headlight
