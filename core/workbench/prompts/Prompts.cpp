// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/prompts/Prompts.h"

#include <unordered_set>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"

namespace headlight {
namespace {

constexpr std::size_t kMostText = 4u << 20;
constexpr std::string_view kPlace = "{}";
constexpr std::string_view kBlank = " \t\r\n\v\f";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

[[noreturn]] void refusePrompts(const std::string& message) {
  throw Failure({ErrorCode::InvalidArgument, message, "prompts"});
}

std::string filled(const std::string& pattern, const std::string& line) {
  if (pattern.empty()) return line;
  std::string text = pattern;
  for (std::size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += line.size())
    text.replace(at, kPlace.size(), line);
  return text;
}

}  // namespace

std::vector<std::string> promptLines(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = trimmed(text.substr(0, end)); !line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Result<std::vector<std::string>> readPromptLines(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    auto lines = promptLines(valueOrThrow(readFile(path, kMostText)));
    if (lines.empty())
      throw Failure(
          {ErrorCode::InvalidFile, tr("has no prompts; write one on each line"), path.string()});
    return lines;
  });
}

Result<std::vector<std::string>> promptTexts(const Prompts& prompts) {
  return guarded("prompts", [&] {
    if (prompts.empty()) refusePrompts(tr("there are none; give at least one"));
    if (prompts.lines.size() > kMostPrompts)
      refusePrompts(tr("are more than ") + std::to_string(kMostPrompts) + tr("; give fewer"));
    if (!prompts.pattern.empty() && prompts.pattern.find(kPlace) == std::string::npos)
      refusePrompts(tr("the template \"") + prompts.pattern +
                    tr("\" has no {}, where each line goes; add it"));
    std::vector<std::string> texts;
    std::unordered_set<std::string> seen;
    for (const std::string& line : prompts.lines) {
      texts.push_back(filled(prompts.pattern, line));
      if (!seen.insert(texts.back()).second)
        refusePrompts("\"" + texts.back() + tr("\" is there twice; remove one"));
    }
    return texts;
  });
}

Json promptsToJson(const Prompts& prompts) {
  Json json{{"lines", prompts.lines}};
  if (!prompts.pattern.empty()) json["template"] = prompts.pattern;
  return json;
}

Prompts promptsFromJson(const Json& json, const std::string& where) {
  Prompts prompts;
  if (json.is_null()) return prompts;
  const auto fail = [&] {
    throw Failure({ErrorCode::InvalidConfig,
                   tr("must be an object with a list of texts under lines"), where});
  };
  if (!json.is_object() || !json.contains("lines") || !json["lines"].is_array() ||
      json["lines"].size() > kMostPrompts)
    fail();
  for (const Json& line : json["lines"])
    line.is_string() ? prompts.lines.push_back(line.get<std::string>()) : fail();
  const Json pattern = json.value("template", Json(""));
  if (!pattern.is_string()) fail();
  prompts.pattern = pattern.get<std::string>();
  return prompts;
}

}  // namespace headlight
