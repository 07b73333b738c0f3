// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What lies in a folder. Private to core/data.

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

inline constexpr int kMaxFolderDepth = 64;

struct FolderEntry {
  std::string name;
  bool folder = false;
};

/// In natural order, without names that begin with a dot; at most `most` of them, in no order of
/// the system's that could be relied on. Failure (NotFound, Io) where the folder cannot be listed.
std::vector<FolderEntry> folderEntries(const std::filesystem::path& folder,
                                       std::size_t most = SIZE_MAX);

/// Folders by what they are (device and inode), by whatever path they were reached.
class VisitedFolders {
 public:
  /// False for one that was visited before, and for what cannot be asked.
  bool visit(const std::filesystem::path& folder);
  void clear() { m_visited.clear(); }

 private:
  std::set<std::pair<std::uint64_t, std::uint64_t>> m_visited;
};

}  // namespace headlight
