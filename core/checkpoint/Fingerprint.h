// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Telling whether a file is still the one that it was.

#include <filesystem>
#include <string>

#include "core/base/Result.h"

namespace headlight {

/// Size and CRC-32 of a file's bytes: "9 bytes, cbf43926". Notices a file that was replaced or
/// changed; it is no protection against somebody who means to deceive. Errors: NotFound, Io.
Result<std::string> fileFingerprint(const std::filesystem::path& path);

}  // namespace headlight
