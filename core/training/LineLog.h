#pragma once
// A text file that grows by whole lines, survives a full disk and can be cut back.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// The shortest text that reads back as the same number.
std::string shortestText(double value);

class LineLog {
 public:
  /// Nothing is opened before the first line.
  explicit LineLog(std::filesystem::path path) : m_path(std::move(path)) {}
  LineLog(LineLog&& other) noexcept;
  LineLog& operator=(LineLog&& other) noexcept;
  ~LineLog();

  /// Adds a line. On an error the file still ends in a whole line, and what could not be written is
  /// tried again with the next line (the last megabyte of it).
  Result<void> append(const std::string& line);
  /// Flushes to the disk.
  Result<void> sync();
  /// Cuts the file before the first line that `keep` refuses, or that has no end. A file that does
  /// not exist is none the worse for it.
  Result<void> keepWhile(const std::function<bool(const std::string& line)>& keep);

  const std::filesystem::path& path() const { return m_path; }

 private:
  Result<void> flush();

  std::filesystem::path m_path;
  std::string m_pending;
  int m_descriptor = -1;
};

/// Of a line of JSON, as far as it is whole: negative where it has no such integer.
std::int64_t integerAt(const Json& json, const char* key);

/// For logs of JSON lines: `take` gets every line that is an object with a step, and that step.
/// Lines that are damaged, and a file that is missing, say nothing.
void forEachLoggedStep(const std::filesystem::path& file,
                       const std::function<void(const Json& line, std::int64_t step)>& take);

}  // namespace headlight
