// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Appending to a log so that it ends in something whole, on a full disk too.

#include <string>
#include <string_view>

#include "core/base/files/OpenFolder.h"

namespace headlight {

/// Adds all of `bytes` to the file `name` of `folder`, open as `file`, or nothing: what could be
/// written of it is cut off again. Errors: Io, also where the folder was deleted.
Result<void> appendWhole(const OpenFolder& folder, const std::string& name,
                         const FileDescriptor& file, std::string_view bytes);

}  // namespace headlight
