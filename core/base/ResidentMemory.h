// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The memory that this process has in RAM, and the most that it had. Linux; elsewhere 0.

#include <cstdint>

namespace headlight {

/// Bytes now, and at most: since the process began, or since restartPeakResident().
std::int64_t residentBytes();
std::int64_t peakResidentBytes();

/// What earlier work left unused in the allocator is given back first, so that it counts again once
/// it is needed. False where the system does not let the high-water mark begin anew: a container
/// may say so.
bool restartPeakResident();

}  // namespace headlight
