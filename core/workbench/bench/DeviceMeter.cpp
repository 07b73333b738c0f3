// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/DeviceMeter.h"

#include <torch/cuda.h>

#include "core/base/AllocationHook.h"

namespace headlight {

void waitForDevice(const at::Device& device) {
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
}

std::int64_t measurePeakTensorBytes(const std::function<void()>& body, const at::Device& device) {
  const auto watch = std::make_shared<AllocationHook>(device);
  const AllocationScope scope(watch);
  body();
  waitForDevice(device);
  return watch->peak();
}

}  // namespace headlight
