// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a reader may take for one input: generous, so that only what is out of all proportion, a
// bomb or an endless loop, goes beyond it.

#include <string>

namespace headlight::fuzz {

/// From now on no more memory than `bytes` beyond what the program has: what wants more gets
/// std::bad_alloc. Does nothing under a sanitizer, which takes terabytes of addresses.
void limitMemory(std::size_t bytes = std::size_t{2} << 30);

/// Says which input is read now; a crash ends the program with these words, and so does a read that
/// takes more than so much of the processor, or waits for longer.
inline constexpr int kMostSeconds = 20, kMostWaiting = 300;
void announce(const std::string& what);

/// Ends the program with `what` unless `holds`.
void require(bool holds, const std::string& what);

}  // namespace headlight::fuzz
