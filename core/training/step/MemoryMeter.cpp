// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/MemoryMeter.h"

#include <ATen/core/Tensor.h>

#include "core/base/AllocationHook.h"
#include "core/base/ResidentMemory.h"

namespace headlight {

MemoryMeter::MemoryMeter(const at::Device& device,
                         std::initializer_list<const NamedTensors*> held) {
  if (device.is_cpu()) {
    restartPeakResident();
    return;
  }
  for (const NamedTensors* list : held)
    for (const auto& [name, tensor] : *list)
      if (tensor.device().type() == device.type())
        m_held += static_cast<std::int64_t>(tensor.nbytes());
  m_watch = std::make_shared<AllocationHook>(device);
  m_scope = std::make_unique<AllocationScope>(m_watch);
}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::peakBytes() const {
  return m_watch ? m_held + m_watch->peak() : peakResidentBytes();
}

}  // namespace headlight
