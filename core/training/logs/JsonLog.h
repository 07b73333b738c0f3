// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file of JSON objects, one a line, that bear the id of their run.

#include <functional>
#include <string>

#include "core/training/logs/LineLog.h"

namespace headlight {

class JsonLog {
 public:
  /// `run` may be empty: of before runs had ids; lines bear none then.
  JsonLog(const OpenFolder& folder, const std::string& name, std::string run);

  /// Bytes that are no UTF-8 are replaced. Errors: as LineLog::append.
  Result<void> append(Json line);
  /// Cuts it before the first line that `keep` refuses; a damaged line is discarded JSON. Throws
  /// Failure(InvalidFile) where a line is of another run.
  void keepWhile(const std::function<bool(const Json& line)>& keep);

  LineLog& log() { return m_log; }

 private:
  OpenFolder m_folder;
  std::string m_run;
  LineLog m_log;
};

}  // namespace headlight
