// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a device does and holds, for measurements.

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

namespace headlight {

/// Returns once the device has done all that it was given; at once on the CPU.
void waitForDevice(const at::Device& device);

/// The most memory that tensors of `body`, run on this thread, held on the device at a time beyond
/// what they held there before, in bytes of the allocator's blocks. Without an index: on all
/// devices of its type.
std::int64_t measurePeakTensorBytes(const std::function<void()>& body, const at::Device& device);

}  // namespace headlight
