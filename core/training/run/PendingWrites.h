// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run still owes its folder: weights and lines of logs that could not be written yet.
// Nothing of it is forgotten: it is tried again with every checkpoint, which carries it meanwhile,
// and at the end of the run what is still missing is an error.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/training/logs/LineLog.h"
#include "core/training/run/PendingFiles.h"

namespace headlight {

class PendingWrites {
 public:
  /// `logs` must outlive it; `warn` gets a sentence for the person the first time that something
  /// fails.
  PendingWrites(OpenFolder folder, std::vector<LineLog*> logs,
                std::function<void(const std::string&)> warn);

  /// What came of writing to a log.
  void noteLog(const Result<void>& written);
  /// Weights to keep; owed where that fails.
  void write(const OwedFile& file);
  /// Tries all again.
  void settle();
  bool any() const;
  /// At the end of a run: an error (Io) that says what is missing; of something that it does not
  /// know itself, `other` is the name and `why` the reason.
  Result<void> requireNone(const std::string& other = "", const std::string& why = "") const;

  const std::vector<OwedFile>& files() const { return m_files.files(); }
  std::map<std::string, std::string> lines() const;  ///< by the log they belong to
  /// From an earlier process.
  void takeOver(const std::vector<OwedFile>& files,
                const std::map<std::string, std::string>& lines);

 private:
  OpenFolder m_folder;
  std::vector<LineLog*> m_logs;
  PendingFiles m_files;
  std::function<void(const std::string&)> m_warn;
  bool m_logFails = false;  ///< said once, until it works again
  std::string m_logReason, m_fileReason;
};

}  // namespace headlight
