// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/FetchMeter.h"

#include <cstdio>

#include "core/base/FreeMemory.h"

namespace headlight {
namespace {

using namespace std::chrono_literals;

constexpr auto kReportEvery = 100ms;
constexpr auto kWindow = 5s;        // that the rate is of
constexpr double kSureAfter = 0.5;  // seconds

}  // namespace

void FetchMeter::notify() {
  if (m_reported) m_reported(m_progress);
}

void FetchMeter::setStage(const std::string& stage) {
  m_progress.progress.stage = stage;
  notify();
}

void FetchMeter::setDone(std::int64_t bytes, bool arrived, Clock::time_point now) {
  Progress& progress = m_progress.progress;
  progress.done = bytes;
  if (!arrived || (!m_marks.empty() && bytes < m_marks.back().bytes)) m_marks.clear();
  if (m_marks.empty() || now - m_last >= kReportEvery) m_marks.push_back({now, bytes});
  while (m_marks.size() > 2 && now - m_marks.front().time > kWindow)
    m_marks.pop_front();
  const double seconds = std::chrono::duration<double>(now - m_marks.front().time).count();
  const auto gained = static_cast<double>(bytes - m_marks.front().bytes);
  m_progress.bytesPerSecond = seconds >= kSureAfter ? gained / seconds : 0;
  progress.secondsRemaining =
      m_progress.bytesPerSecond > 0 && progress.total > 0
          ? static_cast<double>(progress.total - bytes) / m_progress.bytesPerSecond
          : -1;
  const bool last = bytes == progress.total;
  if (now - m_last < kReportEvery && !last) return;
  m_last = now;
  notify();
}

std::string fetchText(const FetchProgress& progress) {
  const Progress& done = progress.progress;
  if (done.total <= 0) return done.stage;
  char text[96];
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::snprintf(text, sizeof text, ", %.1f of %.1f MB", megabytes(done.done),
                megabytes(done.total));
  std::string line = done.stage + text;
  if (progress.bytesPerSecond <= 0) return line;
  std::snprintf(text, sizeof text, ", %.1f MB/s", progress.bytesPerSecond / 1e6);
  return line + text;
}

}  // namespace headlight
