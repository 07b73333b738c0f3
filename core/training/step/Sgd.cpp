// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Sgd.h"

#include <ATen/Functions.h>

namespace headlight {
namespace {

std::vector<std::string> momentsOf(const SgdOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum"};
}

}  // namespace

SgdOptions sgdOptions(const TrainingConfig& config) {
  return {config.momentum, config.nesterov, config.weightDecay};
}

Sgd::Sgd(SgdOptions options) : Optimizer(momentsOf(options)), m_options(options) {}

/// A buffer begins as zeros, so that μ b + g is g in the first step.
void Sgd::update(const std::vector<Slot*>& slots, double learningRate, double gradientScale) {
  std::vector<at::Tensor> parameters, gradients, buffers, decaying, decayed;
  for (const Slot* slot : slots) {
    parameters.push_back(slot->parameter);
    gradients.push_back(slot->parameter.grad());
    if (!slot->moments.empty()) buffers.push_back(slot->moments[0]);
    if (!slot->decays) continue;
    decaying.push_back(slot->parameter.grad());
    decayed.push_back(slot->parameter);
  }
  if (gradientScale != 1.0) at::_foreach_mul_(gradients, gradientScale);
  if (m_options.weightDecay != 0 && !decaying.empty())
    at::_foreach_add_(decaying, decayed, m_options.weightDecay);
  if (!buffers.empty()) {
    at::_foreach_mul_(buffers, m_options.momentum);
    at::_foreach_add_(buffers, gradients);
    if (m_options.nesterov) at::_foreach_add_(gradients, buffers, m_options.momentum);
  }
  const bool direct = buffers.empty() || m_options.nesterov;
  at::_foreach_add_(parameters, direct ? gradients : buffers, -learningRate);
}

}  // namespace headlight
