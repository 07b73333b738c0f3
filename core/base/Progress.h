// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Progress of long work, and the estimate of what remains. Cancellation is a std::stop_token.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace headlight {

struct Progress {
  std::string stage;             ///< what is being done, in words ("epoch 3/20")
  std::int64_t done = 0;         ///< units finished
  std::int64_t total = 0;        ///< units in all; 0: unknown
  double secondsRemaining = -1;  ///< negative: unknown yet
};

using ProgressCallback = std::function<void(const Progress&)>;

/// Remaining time from the rate so far. Work done before `start` (a resumed run) is not counted.
class RemainingTime {
 public:
  void start(std::int64_t done);
  /// Seconds until `total` is reached at the mean rate since start; negative before the first unit.
  double secondsRemaining(std::int64_t done, std::int64_t total) const;

 private:
  std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
  std::int64_t m_doneAtStart = 0;
};

/// "1:12", "2:03:09"; "—" for a negative number of seconds.
std::string formatDuration(double seconds);

}  // namespace headlight
