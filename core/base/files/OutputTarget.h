// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an output's path leads to: the file that is written, and what stands there now.

#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "core/base/Result.h"

namespace headlight {

/// The path that stands for standard output wherever a command takes one output file; a file of
/// this name is ./-
inline constexpr const char* kStandardOutput = "-";

struct OutputTarget {
  std::filesystem::path path;           ///< no symbolic link; what is to be replaced or made
  std::optional<struct stat> replaced;  ///< the regular file that is there
};

/// Follows symbolic links, also those that lead to no file yet, so that the link stays and what it
/// points at is written. Errors: a device, a pipe or a folder is there, which an output must not
/// replace; links that go in a circle (InvalidArgument); what the system says (Io, NotFound).
Result<OutputTarget> outputTarget(const std::filesystem::path& path);

/// Gives the file its predecessor's owner and permissions, as far as the system allows: without the
/// group, its members get no more than everybody else. False with errno where it refuses even the
/// permissions.
bool keepOwnerAndMode(int descriptor, const struct stat& replaced);

}  // namespace headlight
