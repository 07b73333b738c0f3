// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How many mutations a program makes, and which.

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace headlight::fuzz {

struct Turns {
  long iterations = 0;
  double seconds = 0;  ///< of the processor, instead of iterations; 0: those
  std::uint64_t seed = 1;

  /// Whether another one follows `done` since `begin`.
  bool goOn(long done, std::clock_t begin) const;
};

/// Of the processor.
double secondsSince(std::clock_t begin);

/// Takes --iterations N (else `iterations`, both times HEADLIGHT_TEST_EFFORT), --seconds T and
/// --seed S out of the arguments.
Turns takeTurns(std::vector<std::string>& arguments, long iterations);

/// Takes `flag` and the argument behind it out; empty where they are missing.
std::string takeArgument(std::vector<std::string>& arguments, const std::string& flag);

}  // namespace headlight::fuzz
