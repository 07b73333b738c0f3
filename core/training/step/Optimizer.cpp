// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/Optimizer.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <map>
#include <unordered_map>

#include "core/base/Translation.h"
#include "core/training/step/AdamW.h"
#include "core/training/step/Sgd.h"

namespace headlight {
namespace {

constexpr const char* kSteps = "steps.";

[[noreturn]] void refuseState(const std::string& where, const std::string& name) {
  throw Failure({ErrorCode::InvalidFile,
                 tr("the optimizer state \"") + name +
                     tr("\" does not fit the model; the file belongs to another run or is damaged"),
                 where});
}

using TensorsByName = std::map<std::string, at::Tensor>;

/// Taken out of `state`; undefined where it has none.
at::Tensor taken(TensorsByName& state, const std::string& name) {
  const auto node = state.extract(name);
  return node.empty() ? at::Tensor() : node.mapped();
}

bool countsSteps(const at::Tensor& steps) {
  return steps.defined() && steps.numel() == 1 && steps.scalar_type() == at::kLong &&
         steps.item<std::int64_t>() >= 1;
}

bool fits(const at::Tensor& moment, const at::Tensor& parameter) {
  return moment.defined() && moment.sizes() == parameter.sizes() &&
         moment.scalar_type() == parameter.scalar_type();
}

}  // namespace

/// A slot with elements that stand still, as it was before the step.
struct Optimizer::Kept {
  const Slot* slot;
  at::Tensor parameter;
  std::vector<at::Tensor> moments;
};

void Optimizer::setParameters(const NamedTensors& parameters, const DecayRule& decays,
                              const RateRule& rates) {
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
    slot.rate = rates ? rates(name) : 1;
    m_slots.push_back(std::move(slot));
  }
}

void Optimizer::freeze(const NamedTensors& elements) {
  const TensorsByName byName(elements.begin(), elements.end());
  for (Slot& slot : m_slots) {
    const auto found = byName.find(slot.name);
    slot.held = found == byName.end() ? at::Tensor() : found->second;
  }
}

at::Tensor Optimizer::gradientNorm() const {
  const at::NoGradGuard noGrad;
  std::vector<at::Tensor> gradients;
  for (const Slot& slot : m_slots)
    if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
  if (gradients.empty()) return at::zeros({});
  const std::vector<at::Tensor> norms = at::_foreach_norm(gradients, 2);
  return at::stack(norms).norm();
}

/// False where there is no gradient. Gives the slot its state and counts its step.
bool Optimizer::prepare(Slot& slot) const {
  if (!slot.parameter.grad().defined()) return false;
  while (slot.moments.size() < m_momentNames.size())
    slot.moments.push_back(at::zeros_like(slot.parameter));
  ++slot.steps;
  return true;
}

void Optimizer::step(double learningRate, double gradientScale) {
  const at::NoGradGuard noGrad;
  std::vector<Slot*> moving;
  for (Slot& slot : m_slots)
    if (prepare(slot)) moving.push_back(&slot);
  if (moving.empty()) return;
  const std::vector<Kept> kept = keepHeld(moving);
  std::map<double, std::vector<Slot*>> byRate;
  for (Slot* slot : moving)
    byRate[slot->rate].push_back(slot);
  for (const auto& [rate, slots] : byRate)
    update(slots, learningRate * rate, gradientScale);
  putBack(kept);
}

std::vector<Optimizer::Kept> Optimizer::keepHeld(const std::vector<Slot*>& slots) {
  std::vector<Kept> kept;
  for (const Slot* slot : slots) {
    if (!slot->held.defined()) continue;
    Kept item{slot, slot->parameter.clone(), {}};
    for (const at::Tensor& moment : slot->moments)
      item.moments.push_back(moment.clone());
    kept.push_back(std::move(item));
  }
  return kept;
}

void Optimizer::putBack(const std::vector<Kept>& kept) {
  for (const Kept& item : kept) {
    const auto restore = [&](const at::Tensor& to, const at::Tensor& from) {
      to.copy_(at::where(item.slot->held, from, to));
    };
    restore(item.slot->parameter, item.parameter);
    for (std::size_t i = 0; i < item.moments.size(); ++i)
      restore(item.slot->moments[i], item.moments[i]);
  }
}

void Optimizer::clearGradients() {
  for (Slot& slot : m_slots)
    slot.parameter.mutable_grad().reset();
}

NamedTensors Optimizer::state() const {
  NamedTensors state;
  for (const Slot& slot : m_slots) {
    if (slot.steps == 0) continue;
    for (std::size_t i = 0; i < slot.moments.size(); ++i)
      state.emplace_back(m_momentNames[i] + "." + slot.name, slot.moments[i]);
    state.emplace_back(kSteps + slot.name, at::full({}, slot.steps, at::kLong));
  }
  return state;
}

void Optimizer::load(const NamedTensors& state, const std::string& where) {
  TensorsByName byName(state.begin(), state.end());
  for (Slot& slot : m_slots) {
    const at::Tensor steps = taken(byName, kSteps + slot.name);
    if (!steps.defined()) continue;  // its moments, if there are any, are left over below
    if (!countsSteps(steps)) refuseState(where, slot.name);
    std::vector<at::Tensor> moments;
    for (const std::string& name : m_momentNames) {
      const at::Tensor moment = taken(byName, name + "." + slot.name);
      if (!fits(moment, slot.parameter)) refuseState(where, slot.name);
      moments.push_back(moment.to(slot.parameter.options().requires_grad(false), false, true));
    }
    slot.moments = std::move(moments);
    slot.steps = steps.item<std::int64_t>();
  }
  if (!byName.empty()) refuseState(where, byName.begin()->first);
}

std::unique_ptr<Optimizer> makeOptimizer(const TrainingConfig& config) {
  if (config.optimizer == "sgd") return std::make_unique<Sgd>(sgdOptions(config));
  return std::make_unique<AdamW>(adamWOptions(config));
}

}  // namespace headlight
