// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a file begins as a checkpoint that is all there, without its tensors. No torch type here.

#include <filesystem>

#include "core/base/Result.h"

namespace headlight {

/// A safetensors header whose tensors cover the rest of the file exactly, or the directory of a ZIP
/// archive; of a .pth of torch before 1.6 the first bytes. Told by content. Errors: InvalidFile
/// (damaged, cut off, empty), UnsupportedFile (neither), NotFound, Io.
Result<void> checkCheckpointHeader(const std::filesystem::path& path);

}  // namespace headlight
