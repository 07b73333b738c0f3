// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much memory a training takes at most.

#include <c10/core/Device.h>

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

class AllocationScope;
class AllocationHook;

/// Begins to measure with its construction, on the thread of the training. On the CPU the most that
/// the whole process had in RAM since then (or ever, where the system keeps one mark alone); on
/// another device the most that tensors held there: those that are there already, and what this
/// thread and its backward passes allocate.
class MemoryMeter {
 public:
  /// `held`: tensors that are there already, in any number of lists.
  MemoryMeter(const at::Device& device, std::initializer_list<const NamedTensors*> held);
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  /// Bytes; 0 where the system does not say.
  std::int64_t peakBytes() const;

 private:
  std::int64_t m_held = 0;
  std::shared_ptr<AllocationHook> m_watch;  ///< null on the CPU
  std::unique_ptr<AllocationScope> m_scope;
};

}  // namespace headlight
