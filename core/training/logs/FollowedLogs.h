// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The logs of a run that somebody else writes: what is new in them, and what they come to.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/files/OpenFolder.h"
#include "core/training/logs/LogTail.h"
#include "core/training/logs/RunProgress.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

class FollowedLogs {
 public:
  explicit FollowedLogs(const Experiment& experiment);

  /// Whether what was read counts no more: begin with a new one.
  bool wasRewritten(const OpenFolder& folder) const;
  /// Adds what is new to `points`; of very many at once every second, fourth, … Lines that are
  /// damaged, of another shape, or go back in time are passed over. Errors: as LogTail::read.
  Result<void> read(const OpenFolder& folder, RunHistory& points, const std::stop_token& stop);

  const RunProgress& tally() const { return m_tally; }
  std::int64_t bytes() const { return m_metrics.offset() + m_masks.offset(); }
  std::optional<double> changed() const { return m_metrics.changed(); }  ///< as LogTail

 private:
  template <typename Points>
  void takeMetric(const std::string& text, Points& points);
  void takeEdit(const std::string& text, RunHistory& points);
  void takeTime(const std::string& row, RunHistory& points);

  std::vector<int> m_heads;  ///< of every layer
  LogTail m_metrics{"metrics.jsonl"}, m_masks{"masks.jsonl"}, m_table{"metrics.csv"};
  RunProgress m_tally;
  std::int64_t m_lastStep = 0, m_lastEpoch = 0, m_lastHeads = 0;
  std::size_t m_edits = 0, m_times = 0;
  std::size_t m_secondsCell = SIZE_MAX;  ///< of the table; known once its head was read
};

}  // namespace headlight
