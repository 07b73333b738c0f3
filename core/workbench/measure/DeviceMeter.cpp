#include "core/workbench/measure/DeviceMeter.h"

#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/cuda.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "core/base/TorchCompat.h"

namespace headlight {
namespace {

/// LibTorch tells it of every allocation of the thread, and of the threads of its backward passes.
class AllocationWatch : public c10::MemoryReportingInfoBase {
 public:
  explicit AllocationWatch(const at::Device& device) : m_device(device) {}

  bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void*, int64_t bytes, ReportedBytes, ReportedBytes,
                         c10::Device device) override {
    if (device.type() != m_device.type() || (m_device.has_index() && device != m_device)) return;
    const std::lock_guard lock(m_mutex);
    m_held += bytes;
    m_peak = std::max(m_peak, m_held);
  }
  std::int64_t peak() {
    const std::lock_guard lock(m_mutex);
    return m_peak;
  }

 private:
  const at::Device m_device;
  std::mutex m_mutex;
  std::int64_t m_held = 0, m_peak = 0;
};

}  // namespace

void waitForDevice(const at::Device& device) {
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
}

std::int64_t peakTensorBytesOf(const std::function<void()>& body, const at::Device& device) {
  const auto watch = std::make_shared<AllocationWatch>(device);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watch);
  body();
  waitForDevice(device);
  return watch->peak();
}

}  // namespace headlight
