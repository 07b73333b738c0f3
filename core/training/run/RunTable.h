#pragma once
// metrics.csv: a row for each epoch or validation, with the id of its run and the seconds it took
// at the end.

#include <cstdint>
#include <functional>
#include <string>

#include "core/training/run/LineLog.h"

namespace headlight {

class RunTable {
 public:
  /// `columns`: all but the last two, "epoch,step".
  RunTable(const OpenFolder& folder, std::string columns, std::string run);

  /// Adds a row, under the head where there is none yet; what cannot be written is tried again as
  /// one. A table that was begun without ids, by an older program, goes on without.
  Result<void> append(const std::string& cells, double seconds);
  /// Cuts it before the first row that `keep` refuses by its first cell. Throws
  /// Failure(InvalidFile) where a row is of another run.
  void keepWhile(const std::function<bool(std::int64_t first)>& keep);

  LineLog& log() { return m_log; }

 private:
  std::string headWith(bool ids) const;
  void readHead();

  OpenFolder m_folder;
  std::string m_columns, m_run;
  LineLog m_log;
  bool m_headed = false;  ///< whether the next two are known
  bool m_ids = false;     ///< whether rows have the run's id
};

}  // namespace headlight
