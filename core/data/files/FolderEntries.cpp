// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/FolderEntries.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/data/files/NaturalOrder.h"

namespace headlight {

namespace fs = std::filesystem;

/// The listing itself gives the type of most files; only links are queried.
std::vector<FolderEntry> folderEntries(const fs::path& folder, std::size_t most) {
  std::error_code code;
  std::vector<FolderEntry> entries;
  fs::directory_iterator at(folder, code);
  for (; !code && at != fs::directory_iterator() && entries.size() < most; at.increment(code)) {
    std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!name.starts_with('.')) entries.push_back({std::move(name), at->is_directory(unknown)});
  }
  if (code)
    throw Failure(
        {code == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io,
         tr("could not list this folder: ") + code.message(), folder.string()});
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return naturalLess(a.name, b.name); });
  return entries;
}

bool VisitedFolders::visit(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return false;
  return m_visited.insert({std::uint64_t(status.st_dev), std::uint64_t(status.st_ino)}).second;
}

}  // namespace headlight
