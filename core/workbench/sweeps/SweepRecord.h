// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is known of the runs of a sweep, from their folders, and the tables made of it. Internal.

#include <optional>
#include <vector>

#include "core/workbench/sweeps/SweepFolder.h"
#include "core/workbench/sweeps/SweepResults.h"
#include "core/workbench/sweeps/SweepSubject.h"

namespace headlight {

/// All that fail throw Failure: InvalidArgument for a run of other settings, those of files.
class SweepRecord {
 public:
  /// `shared`: other processes finish runs meanwhile, and one that diverged is not tried again.
  /// The four must outlive it.
  SweepRecord(const SweepPlan& plan, const std::vector<SweepRun>& runs, const SweepFolder& folder,
              const SweepSubject& subject, bool shared);

  /// All that is there, before anything is trained: the tables are complete at any moment,
  /// whichever run it is that is missing in the middle.
  void readAll();
  /// One of the runs that are not settled, again.
  void read(std::size_t run);
  void noteDivergence(std::size_t run, const Error& error) { m_diverged[run] = error; }

  bool isFinished(std::size_t run) const { return m_results[run].has_value(); }
  /// Nothing where it did not.
  const std::optional<Error>& divergence(std::size_t run) const { return m_diverged[run]; }
  /// Finished or diverged: nothing is left to do.
  bool isSettled(std::size_t run) const { return m_results[run] || m_diverged[run]; }
  std::int64_t finished() const;
  std::int64_t settled() const;
  std::int64_t left() const { return static_cast<std::int64_t>(m_runs.size()) - settled(); }

  /// Whether every variant with a finished run has its speed.
  bool hasSpeeds() const;
  /// Images or sequences per second by variant; 0: none. They are kept in the folder.
  void setSpeeds(const std::vector<double>& byVariant);

  /// For everything that is finished now; if shared, also what others finished while they were
  /// written.
  void writeTables();
  SweepReport report();

 private:
  void requireSame(const SweepRun& run, const OpenFolder& folder) const;
  bool readNews();
  bool hasFinished(std::size_t variant) const;
  std::vector<SweepRow> rows();
  SweepRow rowOf(std::size_t variant);
  const SweepRow& description(const SweepRun& run);

  const SweepPlan& m_plan;
  const std::vector<SweepRun>& m_runs;
  const SweepFolder& m_folder;
  const SweepSubject& m_subject;
  bool m_shared;
  std::vector<std::optional<RunResult>> m_results;      ///< by run; nothing: not finished
  std::vector<std::optional<Error>> m_diverged;         ///< by run
  std::vector<std::optional<SweepRow>> m_descriptions;  ///< by variant, once asked for
  SpeedsByVariant m_speeds;
};

}  // namespace headlight
