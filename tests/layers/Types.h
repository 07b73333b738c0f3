// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which types a header defines, and which header a source file is a part of.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headlight::testing {

/// The classes, structs, unions and enums that `source` defines at namespace scope, by their whole
/// names ("headlight::cli::Command"). Forward declarations, specializations and types within types
/// are none.
std::vector<std::string> typesIn(const std::string& source);

/// The headers that define each type below `root`'s core/, ui/ and app/, by their paths in the
/// repository.
std::map<std::string, std::vector<std::string>> typesOfHeaders(const std::filesystem::path& root);

/// "Decoders.h" of a source that begins with "// Decoders.h: JPEG.": a part of what that header
/// declares, with what part it is.
std::optional<std::string> headerOfPart(const std::string& source);

}  // namespace headlight::testing
