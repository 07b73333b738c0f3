// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What shows that a place is still as it was when it was listed. A folder's time changes when
// something in it is added, removed or renamed, so one question a folder answers for all its files.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

struct PathState {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< ns since 1970
  std::int64_t changed = 0;  ///< ns since 1970: the system's own (ctime), which nobody can set back

  bool operator==(const PathState&) const = default;
};

/// As the system has it now, links followed; nothing where it cannot say.
std::optional<PathState> pathState(const std::filesystem::path& path);

class WatchedPaths {
 public:
  struct Path {
    std::string name;  ///< below the root; empty: the root itself
    PathState state;
  };

  explicit WatchedPaths(std::filesystem::path root) : m_root(std::move(root)) {}
  /// To be called before the path is read: what changes meanwhile is noticed then.
  void add(const std::string& name);
  const std::vector<Path>& all() const { return m_paths; }
  const std::filesystem::path& root() const { return m_root; }
  /// Whether every path was there, and none had changed within the two seconds before it was read:
  /// times come in ticks, and a second change in one tick leaves no trace.
  bool settled() const { return m_settled; }

 private:
  std::filesystem::path m_root;
  std::vector<Path> m_paths;
  bool m_settled = true;
};

}  // namespace headlight
