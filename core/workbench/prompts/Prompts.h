// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Texts that stand for classes: a model with a text tower compares images with them. No torch type
// here.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

struct Prompts {
  std::vector<std::string> lines;  ///< one for each class
  /// "a photo of a {}": each line takes the place of {}. Empty: the lines are the texts.
  std::string pattern;

  bool empty() const { return lines.empty(); }
  bool operator==(const Prompts&) const = default;
};

inline constexpr std::size_t kMostPrompts = 10'000;

/// A line each, without spaces at both ends; blank lines are left out.
std::vector<std::string> promptLines(std::string_view text);
/// The same of a file of at most 4 MB. Errors: the file's; InvalidFile for one without lines.
Result<std::vector<std::string>> readPromptLines(const std::filesystem::path& path);

/// The texts, in the order of the lines. Errors (InvalidArgument): none, more than kMostPrompts, two
/// that are equal, a pattern without {}.
Result<std::vector<std::string>> promptTexts(const Prompts& prompts);

/// {"lines": […], "template": "…"}: for sessions and figure pages.
Json promptsToJson(const Prompts& prompts);
/// Throws Failure(InvalidConfig), naming `where`, for other than that; null: none.
Prompts promptsFromJson(const Json& json, const std::string& where);

}  // namespace headlight
