// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/PassTimer.h"

#include <algorithm>
#include <chrono>

#include "core/workbench/bench/DeviceMeter.h"

namespace headlight {
namespace {

double millisecondsOf(const at::Device& device, const std::function<void()>& body) {
  waitForDevice(device);
  const auto started = std::chrono::steady_clock::now();
  body();
  waitForDevice(device);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
      .count();
}

at::Tensor forwardWithGradient(const PassTimer::Run& run, const at::Tensor& input) {
  return run(input.detach().requires_grad_()).sum();
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void runBothPasses(const PassTimer::Run& run, const at::Tensor& input) {
  if (const at::Tensor sum = forwardWithGradient(run, input); sum.requires_grad()) sum.backward();
}

void PassTimer::measure(const Run& run, const at::Tensor& input) {
  const at::Device device = input.device();
  m_forward.push_back(millisecondsOf(device, [&] {
    const at::NoGradGuard noGrad;
    run(input);
  }));
  const at::Tensor sum = forwardWithGradient(run, input);
  if (sum.requires_grad()) m_backward.push_back(millisecondsOf(device, [&] { sum.backward(); }));
}

double PassTimer::forwardMs() const {
  return median(m_forward);
}

double PassTimer::backwardMs() const {
  return m_backward.empty() ? 0 : median(m_backward);
}

}  // namespace headlight
