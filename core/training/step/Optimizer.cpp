#include "core/training/step/Optimizer.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <map>
#include <unordered_map>

#include "core/training/step/AdamWKernel.h"

namespace headlight {
namespace {

constexpr const char* kFirst = "first.";
constexpr const char* kSecond = "second.";
constexpr const char* kSteps = "steps.";

bool canFuse(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.scalar_type() == at::kFloat && tensor.is_contiguous();
}

[[noreturn]] void refuseState(const std::string& where, const std::string& name) {
  throw Failure({ErrorCode::InvalidFile,
                 "the optimiser state \"" + name +
                     "\" does not fit the model; the file belongs to another run or is damaged",
                 where});
}

}  // namespace

/// What a parameter's own step count makes of the options, in double precision.
struct AdamW::Scalars {
  double keep, stepSize, rootCorrection;
};

/// A slot with elements that stand still, as it was before the step.
struct AdamW::Kept {
  const Slot* slot;
  at::Tensor parameter, first, second;
};

AdamWOptions adamWOptions(const TrainingConfig& config) {
  return {config.beta1, config.beta2, config.epsilon, config.weightDecay};
}

void AdamW::setParameters(const NamedTensors& parameters, const DecayRule& decays) {
  std::unordered_map<std::string, Slot> known;
  for (Slot& slot : m_slots)
    known.emplace(slot.name, std::move(slot));
  m_slots.clear();
  for (const auto& [name, parameter] : parameters) {
    Slot slot;
    if (const auto found = known.find(name);
        found != known.end() && found->second.parameter.sizes() == parameter.sizes())
      slot = std::move(found->second);
    slot.name = name;
    slot.parameter = parameter;
    slot.decays = decays(name, parameter);
    m_slots.push_back(std::move(slot));
  }
}

void AdamW::holdStill(const NamedTensors& elements) {
  const std::map<std::string, at::Tensor> byName(elements.begin(), elements.end());
  for (Slot& slot : m_slots) {
    const auto found = byName.find(slot.name);
    slot.held = found == byName.end() ? at::Tensor() : found->second;
  }
}

at::Tensor AdamW::gradientNorm() const {
  const at::NoGradGuard noGrad;
  std::vector<at::Tensor> gradients;
  for (const Slot& slot : m_slots)
    if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
  if (gradients.empty()) return at::zeros({});
  const std::vector<at::Tensor> norms = at::_foreach_norm(gradients, 2);
  return at::stack(norms).norm();
}

/// False where there is no gradient. Gives the slot its state and counts its step.
bool AdamW::prepare(Slot& slot) {
  if (!slot.parameter.grad().defined()) return false;
  if (!slot.first.defined()) {
    slot.first = at::zeros_like(slot.parameter);
    slot.second = at::zeros_like(slot.parameter);
  }
  ++slot.steps;
  return true;
}

AdamW::Scalars AdamW::scalarsOf(const Slot& slot, double learningRate) const {
  const auto t = static_cast<double>(slot.steps);
  return {slot.decays ? 1 - learningRate * m_options.weightDecay : 1.0,
          learningRate / (1 - std::pow(m_options.beta1, t)),
          1 / std::sqrt(1 - std::pow(m_options.beta2, t))};
}

void AdamW::step(double learningRate, double gradientScale) {
  const at::NoGradGuard noGrad;
  const std::vector<Kept> kept = keepHeld(m_slots);
  std::vector<Slot*> others;
  for (Slot& slot : m_slots) {
    if (!prepare(slot)) continue;
    if (!m_fused || !canFuse(slot.parameter) || !canFuse(slot.parameter.grad())) {
      others.push_back(&slot);
      continue;
    }
    const Scalars own = scalarsOf(slot, learningRate);
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
    adamWUpdate(slot.parameter.data_ptr<float>(), slot.first.data_ptr<float>(),
                slot.second.data_ptr<float>(), slot.parameter.grad().data_ptr<float>(),
                slot.parameter.numel(), scalars);
  }
  if (!others.empty()) stepMany(others, learningRate, gradientScale);
  putBack(kept);
}

std::vector<AdamW::Kept> AdamW::keepHeld(const std::vector<Slot>& slots) {
  std::vector<Kept> kept;
  for (const Slot& slot : slots) {
    if (!slot.held.defined()) continue;
    const auto copyOf = [&](const at::Tensor& moment) {
      return moment.defined() ? moment.clone() : at::zeros_like(slot.parameter);
    };
    kept.push_back({&slot, slot.parameter.clone(), copyOf(slot.first), copyOf(slot.second)});
  }
  return kept;
}

void AdamW::putBack(const std::vector<Kept>& kept) {
  const auto restore = [](const at::Tensor& to, const at::Tensor& from, const at::Tensor& where) {
    if (to.defined()) to.copy_(at::where(where, from, to));
  };
  for (const Kept& item : kept) {
    restore(item.slot->parameter, item.parameter, item.slot->held);
    restore(item.slot->first, item.first, item.slot->held);
    restore(item.slot->second, item.second, item.slot->held);
  }
}

void AdamW::stepMany(const std::vector<Slot*>& slots, double learningRate, double gradientScale) {
  std::vector<at::Tensor> parameters, gradients, first, second;
  std::vector<at::Scalar> keep, stepSize, rootCorrection;
  for (const Slot* slot : slots) {
    parameters.push_back(slot->parameter);
    gradients.push_back(slot->parameter.grad());
    first.push_back(slot->first);
    second.push_back(slot->second);
    const Scalars own = scalarsOf(*slot, learningRate);
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

void AdamW::clearGradients() {
  for (Slot& slot : m_slots)
    slot.parameter.mutable_grad().reset();
}

NamedTensors AdamW::state() const {
  NamedTensors state;
  for (const Slot& slot : m_slots) {
    if (!slot.first.defined()) continue;
    state.emplace_back(kFirst + slot.name, slot.first);
    state.emplace_back(kSecond + slot.name, slot.second);
    state.emplace_back(kSteps + slot.name, at::full({}, slot.steps, at::kLong));
  }
  return state;
}

void AdamW::load(const NamedTensors& state, const std::string& where) {
  std::map<std::string, at::Tensor> byName(state.begin(), state.end());
  for (Slot& slot : m_slots) {
    const auto first = byName.extract(kFirst + slot.name);
    const auto second = byName.extract(kSecond + slot.name);
    const auto steps = byName.extract(kSteps + slot.name);
    if (first.empty() && second.empty() && steps.empty()) continue;
    for (const auto* moment : {&first, &second})
      if (moment->empty() || moment->mapped().sizes() != slot.parameter.sizes() ||
          moment->mapped().scalar_type() != slot.parameter.scalar_type())
        refuseState(where, slot.name);
    if (steps.empty() || steps.mapped().numel() != 1 || steps.mapped().scalar_type() != at::kLong ||
        steps.mapped().item<std::int64_t>() < 1)
      refuseState(where, slot.name);
    const auto options = slot.parameter.options().requires_grad(false);
    slot.first = first.mapped().to(options, false, true);
    slot.second = second.mapped().to(options, false, true);
    slot.steps = steps.mapped().item<std::int64_t>();
  }
  if (!byName.empty()) refuseState(where, byName.begin()->first);
}

}  // namespace headlight
