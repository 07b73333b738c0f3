// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Says how a sweep goes: lines and a bar for a person, JSON lines for a program.

#include <filesystem>

#include "app/cli/terminal/ProgressBar.h"
#include "core/workbench/sweeps/Sweep.h"

namespace headlight::cli {

class SweepReporter {
 public:
  /// The plan must outlive it.
  SweepReporter(const SweepPlan& plan, Terminal& terminal)
      : m_plan(plan), m_terminal(terminal), m_bar(terminal) {}

  SweepObserver observer();
  /// The rows of the table.
  void notify(const SweepReport& report, const std::filesystem::path& output);

 private:
  std::string name(const SweepRun& run) const { return sweepRunName(m_plan, run); }
  Json event(const std::string& kind, const SweepRun& run) const;
  void started(const SweepRun& run, SweepObserver::Start start);
  void waiting(std::int64_t runs);
  void updated(const SweepRun& run, const TrainingUpdate& update);
  void read(const SweepRun& run, const SequenceReading& reading);
  void finished(const SweepRun& run, const SweepOutcome& outcome);

  const SweepPlan& m_plan;
  Terminal& m_terminal;
  ProgressBar m_bar;
};

}  // namespace headlight::cli
