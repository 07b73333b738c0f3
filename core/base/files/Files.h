// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reading whole files within a limit, and writing them so that the old or the new one always
// exists.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/Result.h"

namespace headlight {

/// Whether something is there, or the system cannot even say (links in a circle, a folder that may
/// not be entered): then opening it says what is wrong.
bool isThere(const std::filesystem::path& path);

/// A name made fit for one folder beside others: slashes, backslashes and control characters become
/// '_'; before one that is empty or begins with a dot stands `prefix`.
std::string folderNameFrom(std::string name, const std::string& prefix);

/// The bytes of a regular file of at most `maxBytes`; its size is asked first, so nothing large is
/// allocated for a file that is refused.
Result<std::string> readFile(const std::filesystem::path& path, std::uintmax_t maxBytes);

/// Writes beside `path`, flushes the file, renames it over `path` and flushes the folder. On any
/// error (a full disk included) the old file is untouched and the partial one removed. A symbolic
/// link stays and what it points at is replaced; permissions, and where allowed the owner, stay
/// too. What is there and no regular file is refused (OutputTarget.h). kStandardOutput is standard
/// output, written straight through.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

/// The same, with the content streamed: `write` is called once with a function that appends bytes.
using AppendBytes = std::function<void(const void* data, std::size_t size)>;
Result<void> writeFileAtomically(const std::filesystem::path& path,
                                 const std::function<void(const AppendBytes&)>& write);

/// Writes a file that is not there yet, beside and then renamed, without waiting for the disk: for
/// the thousands of a dataset, whose folder was empty.
Result<void> writeNewFile(const std::filesystem::path& path, std::string_view bytes);

}  // namespace headlight
