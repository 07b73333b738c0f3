// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Progress of long work: a bar that is redrawn on a terminal, a plain line now and then otherwise,
// nothing for --json that nobody watches.

#include <chrono>
#include <string>

#include "app/cli/terminal/Terminal.h"
#include "core/base/Progress.h"

namespace headlight::cli {

class ProgressBar {
 public:
  explicit ProgressBar(Terminal& terminal) : m_terminal(terminal) {}
  ~ProgressBar() { m_terminal.setStatus(""); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);
  /// For doors of core; the bar must outlive it.
  ProgressCallback callback() {
    return [this](const Progress& progress) { show(progress); };
  }

 private:
  void showPlain(const Progress& progress);

  Terminal& m_terminal;
  std::string m_stage;
  std::int64_t m_tenths = -1;
  std::chrono::steady_clock::time_point m_drawn = std::chrono::steady_clock::now();
};

/// "epoch 3/20 [######------]  45 %  1:12 left", at most `columns` wide. Plain ASCII.
std::string progressLine(const Progress& progress, int columns);

}  // namespace headlight::cli
