// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/classes/ClassNames.h"

#include <utility>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/classes/TextLines.h"

namespace headlight {

/// resources/imagenet1k.txt, compiled in (core/CMakeLists.txt).
extern const char* const kImagenetClasses;

namespace {

constexpr const char* kWhatIsRead =
    "give a text file with one name per line, or JSON: a list of names, or an object from index to "
    "name";

[[noreturn]] void refuseNames(const std::string& message, const std::string& where) {
  throw Failure({ErrorCode::InvalidFile, message, where});
}

std::vector<std::string> namesFromLines(const std::string& text, const std::string& where) {
  if (text.find('\0') != std::string::npos)
    refuseNames(std::string(tr("is not text; ")) + kWhatIsRead, where);
  std::vector<std::string> names;
  for (const std::string_view line : splitLines(text)) {
    names.emplace_back(trimmed(line));
    if (names.back().empty())
      refuseNames(tr("has no name in line ") + std::to_string(names.size()) +
                      tr("; write one name per line for every class"),
                  where);
  }
  return names;
}

const Json& listIn(const Json& json) {
  if (json.is_object())
    for (const char* key : {"id2label", "label_names", "class_names"})
      if (json.contains(key)) return json[key];
  return json;
}

std::vector<std::string> namesFromText(const std::string& text, const std::string& where) {
  if (!isJsonText(text)) return namesFromLines(text, where);
  const auto json = parseConfigJson(text, where);
  if (!json) refuseNames(json.error().message, where);
  return classNamesFromJson(listIn(*json), where);
}

/// Identifiers and names of the compiled lines "n01440764 tench, Tinca tinca"; '#' begins a remark.
std::pair<std::vector<std::string>, std::vector<std::string>> readImagenet() {
  std::pair<std::vector<std::string>, std::vector<std::string>> classes;
  for (const std::string_view line : splitLines(kImagenetClasses)) {
    const auto blank = line.find(' ');
    if (line.empty() || line[0] == '#' || blank == line.npos) continue;
    classes.first.emplace_back(line.substr(0, blank));
    classes.second.emplace_back(line.substr(blank + 1));
  }
  return classes;
}

const auto& imagenetClasses() {
  static const auto classes = readImagenet();
  return classes;
}

}  // namespace

const char* toText(ClassNamesFrom from) {
  switch (from) {
    case ClassNamesFrom::Nowhere:
      return "none";
    case ClassNamesFrom::Model:
      return "model";
    case ClassNamesFrom::ImageNet:
      return "imagenet-1k, assumed";
    case ClassNamesFrom::File:
      return "file";
    case ClassNamesFrom::Prompts:
      return "prompts";
  }
  return "";
}

const std::vector<std::string>& imagenetNames() {
  return imagenetClasses().second;
}

const std::vector<std::string>& imagenetSynsets() {
  return imagenetClasses().first;
}

std::vector<std::string> classNamesFromJson(const Json& json, const std::string& where) {
  if (!json.is_array() && !json.is_object())
    refuseNames(std::string(tr("contains no class names; ")) + kWhatIsRead, where);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string index = std::to_string(i);
    if (json.is_object() && !json.contains(index))
      refuseNames("has " + std::to_string(json.size()) + tr(" entries, but none for class ") +
                      index + "; " + kWhatIsRead,
                  where);
    const Json& name = json.is_array() ? json[i] : json[index];
    if (!name.is_string())
      refuseNames(tr("has no name for class ") + index + "; " + kWhatIsRead, where);
    names.push_back(name.get<std::string>());
  }
  return names;
}

Result<std::vector<std::string>> readClassNames(const std::filesystem::path& path, int classes) {
  return guarded(path.string(), [&] {
    const std::string where = path.string();
    auto names = namesFromText(valueOrThrow(readFile(path, kMaxConfigText)), where);
    if (static_cast<int>(names.size()) != classes)
      refuseNames("names " + std::to_string(names.size()) + tr(" classes, but the model has ") +
                      std::to_string(classes) + tr("; give the names of its classes"),
                  where);
    return names;
  });
}

}  // namespace headlight
