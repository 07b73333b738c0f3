// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A text file that grows by whole lines, survives a full disk and can be cut back.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/Result.h"
#include "core/base/files/OpenFolder.h"
#include "core/config/Parameter.h"

namespace headlight {

class LineLog {
 public:
  /// Nothing is opened before the first line.
  LineLog(OpenFolder folder, std::string name)
      : m_folder(std::move(folder)), m_name(std::move(name)) {}

  /// Adds a line. On an error the file still ends in a whole line, and what could not be written is
  /// tried again with the next line.
  Result<void> append(const std::string& line);
  /// Flushes to the disk.
  Result<void> sync();
  /// Cuts the file before the first line that `keep` refuses, that has no end, or that no log has
  /// (over 16 MB). A file that does not exist is no error.
  Result<void> keepWhile(const std::function<bool(const std::string& line)>& keep);

  const std::string& name() const { return m_name; }
  /// Whole lines that could not be written yet.
  const std::string& unwritten() const { return m_pending; }
  /// Lines that an earlier process could not write; they are written first.
  void owe(const std::string& lines) { m_pending = lines + m_pending; }
  /// Whether so much waited that lines had to be dropped.
  bool lost() const { return m_lost; }
  /// The first line; empty where there is none.
  std::string head() const;

 private:
  Result<void> flush();

  OpenFolder m_folder;
  std::string m_name;
  std::string m_pending;
  FileDescriptor m_file;
  bool m_lost = false;
};

/// Gives `take` every line of a file in `folder`, until it returns false; `whole`: it has an end.
/// Errors: those of opening; a file that is missing has no lines.
using TakeLine = std::function<bool(const std::string& line, bool whole)>;
Result<void> forEachLine(const OpenFolder& folder, const std::string& name, const TakeLine& take);

/// An integer of a line of JSON; negative if it has none.
std::int64_t integerAt(const Json& json, const char* key);

/// For a row of a table: its first cell; nothing where that is no whole number, or the only cell.
std::optional<std::int64_t> firstCell(const std::string& row);

/// For logs of JSON lines: `take` gets every line that is an object with a step, and that step.
/// Lines that are damaged, and a file that is missing, say nothing.
void forEachLoggedStep(const OpenFolder& folder, const std::string& name,
                       const std::function<void(const Json& line, std::int64_t step)>& take);

/// Throws Failure where `id`, of a line of the file `name`, is another run's. Lines of before runs
/// had ids, and runs without one, are taken as they are.
void requireRun(const OpenFolder& folder, const std::string& name, const std::string& id,
                const std::string& run);
/// A line of the file `name` as JSON, discarded where it is none. Throws as requireRun.
Json ownLine(const OpenFolder& folder, const std::string& name, const std::string& line,
             const std::string& run);

}  // namespace headlight
