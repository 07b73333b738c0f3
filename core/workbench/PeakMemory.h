#pragma once
// How much memory a piece of work holds at most. Linux; elsewhere 0.

#include <cstdint>
#include <functional>

namespace headlight {

/// The most resident memory that `body` added to the process, in bytes. What earlier work left
/// unused in the allocator is given back to the system first, so that it is counted again.
std::int64_t peakBytesOf(const std::function<void()>& body);

}  // namespace headlight
