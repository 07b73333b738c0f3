// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the program's words go: results to standard output, everything else to standard error.
// With --json both are JSON, one object a line. Thread-safe. Whatever is in a text, a terminal is
// sent no control character, and one line is one line: names come from files.

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight::cli {

class Terminal {
 public:
  explicit Terminal(bool json);

  bool json() const { return m_json; }
  /// Whether a line that is redrawn makes sense: standard error is a terminal.
  bool interactive() const { return m_interactive; }
  int columns() const;  ///< of the terminal; 80 where that is unknown

  /// A line of the result. (A view, because Json would turn into a string silently.)
  void print(std::string_view line);
  void printJson(const Json& object);
  /// Text of several lines, the last without its end. What is no text reaches files and pipes as it
  /// is; a terminal gets '?' for it.
  void printText(std::string_view text);

  /// Nothing is written from now on, errors among them; or again. Of several processes one speaks.
  void silence(bool silent) { m_silent = silent; }

  /// Whether results are shown to a person, and lines can take the place of others.
  bool showsResults() const;
  /// Lines of a result in the place of those that the last call wrote, each cut to the terminal's
  /// width, and no more than it is high. For showsResults() alone.
  void redraw(const std::vector<std::string>& lines);

  /// Results go to standard error from now on: a file goes to standard output.
  void leaveStandardOutput() { m_result = stderr; }

  /// "error: where: what; what to do", or {"error":{code,message,where}}.
  void error(const Error& error);
  void warning(const std::string& message);
  /// For the person alone: nothing is written with --json.
  void note(const std::string& message);

  /// Keeps `text` on the last line of an interactive terminal; empty removes it.
  void setStatus(const std::string& text);

  /// Flushes standard output. An error if anything of the result was lost (a full disk).
  Result<void> finish();

 private:
  void write(std::string_view text);
  void writeError(const std::string& line);
  void clearStatus();
  void drawStatus();

  std::mutex m_mutex;
  bool m_json;
  bool m_interactive;
  std::FILE* m_result = stdout;
  bool m_silent = false;
  bool m_lost = false;
  int m_lostReason = 0;
  std::string m_status;
  std::size_t m_drawn = 0;  ///< lines of the last redraw, with nothing written below them
};

/// JSON on one line; bytes that are not UTF-8 (in file names) are replaced, and what
/// a terminal would obey is escaped (the standard asks it of characters below U+0020 alone).
std::string jsonText(const Json& json);

/// Null for NaN and infinity, which JSON has no word for: what is not known.
Json numberOrNull(double value);

}  // namespace headlight::cli
