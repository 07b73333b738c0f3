// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// identify()'s questions about what lies in a file or a folder. Throws Failure. Internal.

#include "core/workbench/loading/Input.h"

namespace headlight {

/// `path`: a folder that may be listed.
Input folderInput(const std::filesystem::path& path);
/// `path`: a regular file with something in it. Throws Failure for a kind that is not opened.
Input fileInput(const std::filesystem::path& path);
/// For files whose content says nothing, so that the reader says what is wrong. Looks at no file.
InputKind kindByName(const std::filesystem::path& path);

}  // namespace headlight
