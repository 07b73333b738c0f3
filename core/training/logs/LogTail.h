// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reading a log that somebody else adds lines to: what is new since the last time, and whether what
// was read is still what stands there.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/files/OpenFolder.h"

namespace headlight {

class LogTail {
 public:
  explicit LogTail(std::string name) : m_name(std::move(name)) {}

  /// Whether another file has its name now, or it was cut back (a run that is resumed cuts it to
  /// its checkpoint), or something else stands where lines were read: they count no more.
  bool wasRewritten(const OpenFolder& folder) const;
  void forget() { *this = LogTail(m_name); }

  /// Gives `take` every line that has got its end since the last time, and stays at the beginning
  /// of a half-written one. A file that is missing has no lines. Where `stop` is asked for it ends
  /// after the piece that it is at. Errors: those of opening, and a line that no log has (over
  /// 16 MB), beyond which nothing is read.
  Result<void> read(const OpenFolder& folder, const std::function<void(const std::string&)>& take,
                    const std::stop_token& stop);

  /// When it was changed last: seconds since 1970 by the clock of the machine that keeps it.
  /// Nothing: not seen yet.
  std::optional<double> changed() const { return m_changed; }
  std::int64_t offset() const { return m_offset; }  ///< bytes of whole lines that were read

 private:
  void keepTail(const std::string& read);

  std::string m_name;
  std::uint64_t m_device = 0, m_inode = 0;
  std::int64_t m_offset = 0;  ///< behind the last whole line
  std::string m_tail;         ///< the bytes before it
  std::optional<double> m_changed;
};

}  // namespace headlight
