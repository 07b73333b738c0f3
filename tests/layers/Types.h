// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which types a header defines, and which class a source file without a header goes on with.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headlight::testing {

/// The classes, structs, unions and enums that `source` defines at namespace scope, by their whole
/// names ("headlight::cli::Command"). Forward declarations, specialisations and types within types
/// are none.
std::vector<std::string> typesIn(const std::string& source);

/// Of every type that a header below `root`'s core/, ui/ and app/ defines, the headers that do, by
/// their paths in the repository.
std::map<std::string, std::vector<std::string>> typesOfHeaders(const std::filesystem::path& root);

/// "HeadsArea" of a source that begins with "// HeadsArea, continued: " and why it is one of its
/// own; nothing of any other.
std::optional<std::string> continuedType(const std::string& source);
/// "Decoders.h" of a source that begins with "// Of Decoders.h, JPEG": a part of what that header
/// declares, with what part it is.
std::optional<std::string> headerOfPart(const std::string& source);

}  // namespace headlight::testing
