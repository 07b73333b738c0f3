// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// metrics.csv: a row for each epoch or validation, with the id of its run, the seconds it took and
// what else was measured of the machine at the end.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/training/logs/LineLog.h"

namespace headlight {

class RunTable {
 public:
  /// `columns`: all before the id, "epoch,step"; `measured`: those after the seconds, if any.
  RunTable(const OpenFolder& folder, std::string columns, std::string run,
           std::string measured = "");

  /// Adds a row, under the head where there is none yet; what cannot be written is tried again as
  /// one. A table that was begun without ids or without `measured`, by an older program, goes on
  /// without.
  Result<void> append(const std::string& cells, double seconds, const std::string& measured = "");
  /// Cuts it before the first row that `keep` refuses by its first cell. Throws
  /// Failure(InvalidFile) where a row is of another run.
  void keepWhile(const std::function<bool(std::int64_t first)>& keep);

  LineLog& log() { return m_log; }

 private:
  /// What stands at the end of each row.
  struct Ending {
    bool ids = false;  ///< the run's
    bool measured = false;
  };
  std::string headWith(const Ending& ending) const;
  std::optional<Ending> findEnding(const std::string& head) const;
  std::string idInRow(const std::string& row, const Ending& ending) const;
  void readHead();

  OpenFolder m_folder;
  std::string m_columns, m_run, m_measured;
  LineLog m_log;
  bool m_headed = false;  ///< whether the next is known
  Ending m_ending;
};

}  // namespace headlight
