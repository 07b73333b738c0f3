// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/WeightAverage.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>

#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Exchanges what two equally shaped tensors hold.
void swapValues(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  const at::NoGradGuard noGrad;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const at::Tensor kept = a[i].detach().clone();
    a[i].copy_(b[i]);
    b[i].copy_(kept);
  }
}

/// LibTorch's names in a batch norm.
bool isRunningStatistic(const std::string& name) {
  return name.ends_with(".running_mean") || name.ends_with(".running_var") ||
         name == "running_mean" || name == "running_var";
}

}  // namespace

void WeightAverage::setParameters(const NamedTensors& parameters, const NamedTensors& state) {
  if (!enabled()) return;
  std::map<std::string, at::Tensor> known;
  for (std::size_t i = 0; i < m_names.size(); ++i)
    known[m_names[i]] = m_averages[i];
  m_names.clear();
  m_parameters.clear();
  m_averages.clear();
  NamedTensors averaged = parameters;
  for (const auto& item : state)
    if (isRunningStatistic(item.first)) averaged.push_back(item);
  for (const auto& [name, parameter] : averaged) {
    m_names.push_back(name);
    m_parameters.push_back(parameter);
    const auto found = known.find(name);
    m_averages.push_back(found != known.end() ? found->second : parameter.detach().clone());
  }
}

void WeightAverage::begin(std::int64_t step) {
  if (!enabled() || m_cycle <= 0 || step == 0 || step % m_cycle != 0) return;
  const at::NoGradGuard noGrad;
  for (std::size_t i = 0; i < m_averages.size(); ++i)
    m_averages[i].copy_(m_parameters[i]);
}

void WeightAverage::update(std::int64_t step) {
  if (!enabled() || m_averages.empty()) return;
  const at::NoGradGuard noGrad;
  const double t = static_cast<double>(m_cycle > 0 ? step % m_cycle : step);
  const double decay = m_warmsUp ? std::min(m_decay, (1 + t) / (10 + t)) : m_decay;
  at::_foreach_mul_(m_averages, decay);
  at::_foreach_add_(m_averages, m_parameters, 1 - decay);
}

void WeightAverage::withAverages(const std::function<void()>& body) {
  if (!enabled()) return body();
  struct Restore {
    const WeightAverage& self;
    ~Restore() { swapValues(self.m_parameters, self.m_averages); }
  };
  swapValues(m_parameters, m_averages);
  const Restore restore{*this};
  body();
}

NamedTensors WeightAverage::state() const {
  NamedTensors state;
  for (std::size_t i = 0; i < m_names.size(); ++i)
    state.emplace_back(m_names[i], m_averages[i]);
  return state;
}

void WeightAverage::load(const NamedTensors& state, const std::string& where) {
  if (!enabled()) return;
  const std::map<std::string, at::Tensor> byName(state.begin(), state.end());
  for (std::size_t i = 0; i < m_names.size(); ++i) {
    const auto found = byName.find(m_names[i]);
    if (found == byName.end() || found->second.sizes() != m_averages[i].sizes() ||
        found->second.scalar_type() != m_averages[i].scalar_type())
      throw Failure(
          {ErrorCode::InvalidFile,
           tr("the moving average of \"") + m_names[i] +
               tr("\" is missing or has another shape; the file belongs to another run or "
                  "is damaged"),
           where});
    m_averages[i].copy_(found->second);
  }
}

}  // namespace headlight
