// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How much has come, how fast, and how long the rest takes. Internal.

#include <chrono>
#include <deque>

#include "core/workbench/hub/ModelFetch.h"

namespace headlight {

class FetchMeter {
 public:
  using Clock = std::chrono::steady_clock;
  explicit FetchMeter(FetchCallback reported) : m_reported(std::move(reported)) {}

  void setTotal(std::int64_t bytes) { m_progress.progress.total = bytes; }
  /// A file, or what is waited for: told at once.
  void setStage(const std::string& stage);
  /// Received bytes of all files together; reported about ten times a second. Bytes that were there
  /// already do not count for the rate.
  void setDone(std::int64_t bytes, bool arrived, Clock::time_point now = Clock::now());

  const FetchProgress& progress() const { return m_progress; }

 private:
  struct Mark {
    Clock::time_point time;
    std::int64_t bytes;
  };
  void notify();

  FetchCallback m_reported;
  FetchProgress m_progress;
  std::deque<Mark> m_marks;  ///< of the last seconds
  Clock::time_point m_last;
};

}  // namespace headlight
