// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much memory a piece of work holds at most. Linux; elsewhere 0.

#include <cstdint>
#include <functional>

namespace headlight {

/// The most resident memory that `body` added to the process, in bytes. What earlier work left
/// unused in the allocator is given back to the system first, so that it is counted again. 0 where
/// the system does not let the high-water mark begin anew: it would be that of earlier work.
std::int64_t measurePeakBytes(const std::function<void()>& body);

}  // namespace headlight
