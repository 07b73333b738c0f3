// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/Turns.h"

#include <algorithm>

#include "tests/Effort.h"

namespace headlight::fuzz {

bool Turns::goOn(long done, std::clock_t begin) const {
  return seconds > 0 ? secondsSince(begin) < seconds : done < iterations;
}

double secondsSince(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::string takeArgument(std::vector<std::string>& arguments, const std::string& flag) {
  const auto at = std::find(arguments.begin(), arguments.end(), flag);
  if (at == arguments.end() || at + 1 == arguments.end()) return {};
  const std::string value = at[1];
  arguments.erase(at, at + 2);
  return value;
}

Turns takeTurns(std::vector<std::string>& arguments, long iterations) {
  const std::string times = takeArgument(arguments, "--iterations"),
                    seconds = takeArgument(arguments, "--seconds"),
                    seed = takeArgument(arguments, "--seed");
  return {(times.empty() ? iterations : std::stol(times)) * testEffort(),
          seconds.empty() ? 0 : std::stod(seconds), seed.empty() ? 1 : std::stoull(seed)};
}

}  // namespace headlight::fuzz
