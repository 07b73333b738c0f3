// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What tells a file, or a folder, from what it was, and from whatever takes its name later.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/files/OpenFolder.h"

namespace headlight {

struct FileStamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;  ///< when it was changed, since 1970
  bool operator==(const FileStamp&) const = default;
};

/// For `name` in the folder ("." is the folder itself), a link's own; nothing where there is none.
std::optional<FileStamp> fileStamp(const OpenFolder& folder, const std::string& name);

}  // namespace headlight
