// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// AdamW (Loshchilov & Hutter 2019, as torch.optim.AdamW computes it).

#include "core/training/step/Optimizer.h"

namespace headlight {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weightDecay = 0.05;
};
AdamWOptions adamWOptions(const TrainingConfig& config);

/// For a parameter p with gradient g, at its own t-th step (t from 1), learning rate η:
///   p ← p (1 − η λ)          where it decays
///   m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
///   p ← p − η/(1 − β₁ᵗ) · m / (√v / √(1 − β₂ᵗ) + ε)
/// Its moments are called first (m) and second (v).
class AdamW : public Optimizer {
 public:
  explicit AdamW(AdamWOptions options) : Optimizer({"first", "second"}), m_options(options) {}

  /// Off: LibTorch's multi-tensor operations also where the fused loop applies (tests compare).
  void setFused(bool fused) { m_fused = fused; }

 protected:
  void update(const std::vector<Slot*>& slots, double learningRate, double gradientScale) override;

 private:
  struct Scalars;
  Scalars computeScalars(const Slot& slot, double learningRate) const;
  void updateFused(Slot& slot, double learningRate, double gradientScale) const;
  void updateMany(const std::vector<Slot*>& slots, double learningRate, double gradientScale) const;

  AdamWOptions m_options;
  bool m_fused = true;
};

}  // namespace headlight
