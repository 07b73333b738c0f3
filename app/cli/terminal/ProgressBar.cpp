// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal/ProgressBar.h"

#include <algorithm>
#include <cstdio>

#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

using namespace std::chrono_literals;

double fractionOf(const Progress& progress) {
  if (progress.total <= 0) return 0;
  return std::clamp(static_cast<double>(progress.done) / static_cast<double>(progress.total), 0.0,
                    1.0);
}

std::string counts(const Progress& progress) {
  if (progress.total <= 0) return std::to_string(progress.done);
  char percent[16];
  std::snprintf(percent, sizeof percent, "%3.0f %%", 100 * fractionOf(progress));
  return percent;
}

std::string remaining(const Progress& progress) {
  if (progress.secondsRemaining < 0) return "";
  return "  " + formatDuration(progress.secondsRemaining) + tr(" left");
}

}  // namespace

std::string progressLine(const Progress& progress, int columns) {
  const std::string tail = counts(progress) + remaining(progress);
  std::string line = progress.stage;
  const int space = columns - 1 - static_cast<int>(line.size() + tail.size()) - 5;
  if (progress.total > 0 && space >= 10) {
    const int width = std::min(space, 40);
    const int full = static_cast<int>(fractionOf(progress) * width);
    line += " [" + std::string(full, '#') + std::string(width - full, '-') + "] ";
  } else {
    line += "  ";
  }
  line += tail;
  if (static_cast<int>(line.size()) >= columns) line.resize(std::max(columns - 1, 0));
  return line;
}

void ProgressBar::show(const Progress& progress) {
  if (!m_terminal.interactive()) {
    if (!m_terminal.json()) showPlain(progress);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const bool last = progress.total > 0 && progress.done >= progress.total;
  if (now - m_drawn < 100ms && !last && progress.stage == m_stage) return;
  m_drawn = now;
  m_stage = progress.stage;
  m_terminal.setStatus(progressLine(progress, m_terminal.columns()));
}

void ProgressBar::showPlain(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const auto tenths = static_cast<std::int64_t>(fractionOf(progress) * 10);
  // A line at every tenth, but not more than one a second, and a sign of life every half minute.
  const bool due = (tenths != m_tenths && now - m_drawn >= 1s) || now - m_drawn >= 30s;
  if (!due) return;
  m_drawn = now;
  m_tenths = tenths;
  m_terminal.note(progress.stage + "  " + counts(progress) + remaining(progress));
}

}  // namespace headlight::cli
