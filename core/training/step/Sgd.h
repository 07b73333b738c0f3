// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Stochastic gradient descent with momentum (Sutskever et al. 2013, as torch.optim.SGD computes
// it).

#include "core/training/step/Optimizer.h"

namespace headlight {

struct SgdOptions {
  double momentum = 0.9;
  bool nesterov = false;
  double weightDecay = 0.0;
};
SgdOptions sgdOptions(const TrainingConfig& config);

/// For a parameter p with gradient g, learning rate η:
///   g ← g + λ p               where it decays
///   b ← μ b + g               of the first step: b = g
///   p ← p − η b               with Nesterov: p − η (g + μ b)
/// Its moment is called momentum (b); there is none where μ is 0.
class Sgd : public Optimizer {
 public:
  explicit Sgd(SgdOptions options);

 protected:
  void update(const std::vector<Slot*>& slots, double learningRate, double gradientScale) override;

 private:
  SgdOptions m_options;
};

}  // namespace headlight
