// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Progress.h"

#include <cmath>
#include <cstdio>

namespace headlight {

void RemainingTime::start(std::int64_t done) {
  m_started = std::chrono::steady_clock::now();
  m_doneAtStart = done;
}

double RemainingTime::secondsRemaining(std::int64_t done, std::int64_t total) const {
  const std::int64_t finished = done - m_doneAtStart;
  if (finished <= 0 || total < done) return -1;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_started;
  return elapsed.count() / static_cast<double>(finished) * static_cast<double>(total - done);
}

std::string formatDuration(double seconds) {
  if (!(seconds >= 0) || !std::isfinite(seconds)) return "—";
  const auto whole = static_cast<long long>(std::llround(seconds));
  char text[64];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  return text;
}

}  // namespace headlight
