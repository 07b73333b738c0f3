// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/WholeAppends.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/Translation.h"

namespace headlight {

Result<void> appendWhole(const OpenFolder& folder, const std::string& name,
                         const FileDescriptor& file, std::string_view bytes) {
  const auto path = [&] { return folder.pathOf(name); };
  if (folder.isGone())
    return Error{ErrorCode::Io, tr("could not write: the folder was deleted"), path().string()};
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return systemFailure(path(), "look at");
  if (auto written = writeWhole(file, bytes.data(), bytes.size(), name); !written) {
    // Half of it would spoil what comes next; cutting a file needs no space.
    if (::ftruncate(file.get(), status.st_size) != 0) return systemFailure(path(), "cut back");
    return Error{ErrorCode::Io, written.error().message, path().string()};
  }
  return {};
}

}  // namespace headlight
