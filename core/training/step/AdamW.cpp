// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/AdamW.h"

#include <ATen/Functions.h>

#include <cmath>

#include "core/training/step/AdamWKernel.h"

namespace headlight {
namespace {

bool canFuse(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == at::kFloat && tensor.is_contiguous();
}

}  // namespace

/// What a parameter's own step count makes of the options, in double precision.
struct AdamW::Scalars {
  double keep, stepSize, rootCorrection;
};

AdamWOptions adamWOptions(const TrainingConfig& config) {
  return {config.beta1, config.beta2, config.epsilon, config.weightDecay};
}

AdamW::Scalars AdamW::computeScalars(const Slot& slot, double learningRate) const {
  const auto t = static_cast<double>(slot.steps);
  return {slot.decays ? 1 - learningRate * m_options.weightDecay : 1.0,
          learningRate / (1 - std::pow(m_options.beta1, t)),
          1 / std::sqrt(1 - std::pow(m_options.beta2, t))};
}

void AdamW::update(const std::vector<Slot*>& slots, double learningRate, double gradientScale) {
  std::vector<Slot*> others;
  for (Slot* slot : slots) {
    if (m_fused && canFuse(slot->parameter) && canFuse(slot->parameter.grad()))
      updateFused(*slot, learningRate, gradientScale);
    else
      others.push_back(slot);
  }
  if (!others.empty()) updateMany(others, learningRate, gradientScale);
}

void AdamW::updateFused(Slot& slot, double learningRate, double gradientScale) const {
  const Scalars own = computeScalars(slot, learningRate);
  AdamWScalars scalars;
  scalars.keep = static_cast<float>(own.keep);
  scalars.beta1 = static_cast<float>(m_options.beta1);
  scalars.beta2 = static_cast<float>(m_options.beta2);
  scalars.rest1 = static_cast<float>(1 - m_options.beta1);
  scalars.rest2 = static_cast<float>(1 - m_options.beta2);
  scalars.stepSize = static_cast<float>(own.stepSize);
  scalars.rootCorrection = static_cast<float>(own.rootCorrection);
  scalars.epsilon = static_cast<float>(m_options.epsilon);
  scalars.gradientScale = static_cast<float>(gradientScale);
  adamWUpdate(slot.parameter.data_ptr<float>(), slot.moments[0].data_ptr<float>(),
              slot.moments[1].data_ptr<float>(), slot.parameter.grad().data_ptr<float>(),
              slot.parameter.numel(), scalars);
  slot.parameter.unsafeGetTensorImpl()->bump_version();  // as LibTorch's writes do: NarrowWeight.h
}

void AdamW::updateMany(const std::vector<Slot*>& slots, double learningRate,
                       double gradientScale) const {
  std::vector<at::Tensor> parameters, gradients, first, second;
  std::vector<at::Scalar> keep, stepSize, rootCorrection;
  for (const Slot* slot : slots) {
    parameters.push_back(slot->parameter);
    gradients.push_back(slot->parameter.grad());
    first.push_back(slot->moments[0]);
    second.push_back(slot->moments[1]);
    const Scalars own = computeScalars(*slot, learningRate);
    keep.emplace_back(own.keep);
    stepSize.emplace_back(-own.stepSize);
    rootCorrection.emplace_back(own.rootCorrection);
  }
  if (gradientScale != 1.0) at::_foreach_mul_(gradients, gradientScale);
  at::_foreach_mul_(parameters, keep);
  at::_foreach_mul_(first, m_options.beta1);
  at::_foreach_add_(first, gradients, 1 - m_options.beta1);
  at::_foreach_mul_(second, m_options.beta2);
  at::_foreach_addcmul_(second, gradients, gradients, 1 - m_options.beta2);
  std::vector<at::Tensor> denominators = at::_foreach_sqrt(second);
  at::_foreach_mul_(denominators, rootCorrection);
  at::_foreach_add_(denominators, m_options.epsilon);
  at::_foreach_addcdiv_(parameters, first, denominators, stepSize);
}

}  // namespace headlight
