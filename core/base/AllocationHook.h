// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What LibTorch allocates for tensors. Included by torch-using files of core only.

#include <c10/core/Device.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "core/base/TorchCompat.h"

namespace headlight {

/// LibTorch tells it of every allocation of the threads that hold it (AllocationScope), and of the
/// threads of their backward passes. Without an index: on all devices of that type.
class AllocationHook : public c10::MemoryReportingInfoBase {
 public:
  explicit AllocationHook(const at::Device& device) : m_device(device) {}

  bool memoryProfilingEnabled() const override { return true; }
  void reportMemoryUsage(void*, int64_t bytes, ReportedBytes, ReportedBytes,
                         c10::Device device) override {
    if (device.type() != m_device.type() || (m_device.has_index() && device != m_device)) return;
    const std::lock_guard lock(m_mutex);
    m_held += bytes;
    m_peak = std::max(m_peak, m_held);
  }
  /// The most bytes beyond those that were held when it began.
  std::int64_t peak() {
    const std::lock_guard lock(m_mutex);
    return m_peak;
  }

 private:
  const at::Device m_device;
  std::mutex m_mutex;
  std::int64_t m_held = 0, m_peak = 0;
};

/// While one lives, this thread tells `watch`.
class AllocationScope {
 public:
  explicit AllocationScope(std::shared_ptr<AllocationHook> watch)
      : m_guard(c10::DebugInfoKind::PROFILER_STATE, std::move(watch)) {}

 private:
  c10::DebugInfoGuard m_guard;
};

}  // namespace headlight
