// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What listing a place found, kept in the user's cache folder: on a network drive a million files
// take minutes to list, and the thousand folders they lie in a second to ask for their times.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/files/WatchedPaths.h"

namespace headlight {

/// What rememberScan() kept of `place` (a canonical path) under `kind`, if every watched path is as
/// it was. Nothing where there is none, or its file is damaged or another's. What is in it may
/// still be of anybody's making: the caller checks it as any file.
std::optional<std::string> recallScan(const std::string& kind, const std::filesystem::path& place);

/// Keeps it, and of all scans the newest 64. Nothing is kept where `watched` has not settled;
/// where the folder cannot be written, a line in the log says so.
void rememberScan(const std::string& kind, const WatchedPaths& watched, std::string_view found);

/// Texts that end with a zero byte, one after another, out of a buffer that may lie.
class ZeroEnded {
 public:
  explicit ZeroEnded(std::string_view rest) : m_rest(rest) {}
  /// Nothing where no zero byte is left.
  std::optional<std::string_view> next();
  /// A number and nothing else; nothing where the text is none.
  std::optional<std::int64_t> number();
  std::string_view rest() const { return m_rest; }

 private:
  std::string_view m_rest;
};

inline void addZeroEnded(std::string& bytes, std::string_view text) {
  bytes.append(text).push_back('\0');
}

}  // namespace headlight
