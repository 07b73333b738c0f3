// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ShardNames.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "core/data/files/NaturalOrder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTexts = 1'000'000;
constexpr const char* kValidationWords[] = {"val", "validation", "valid", "test"};
constexpr const char* kFolders[] = {"train", "val", "validation", "valid", "test"};

[[noreturn]] void refusePattern(const std::string& pattern, const std::string& what) {
  throw Failure({ErrorCode::InvalidArgument,
                 what + "; a pattern is written as train-{000..146}.tar or {train,val}-0.tar",
                 pattern});
}

bool isNumber(const std::string& text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "000..146" counts, with zeros in front where the first number has them.
std::vector<std::string> counted(const std::string& inside, const std::string& pattern) {
  const std::size_t dots = inside.find("..");
  const std::string first = inside.substr(0, dots), last = inside.substr(dots + 2);
  if (!isNumber(first) || !isNumber(last) || std::stol(first) > std::stol(last))
    refusePattern(pattern, "{" + inside + "} does not count from a number up to another");
  if (std::size_t(std::stol(last) - std::stol(first)) >= kMaxTexts)
    refusePattern(pattern, "{" + inside + "} means over a million shards");
  std::vector<std::string> texts;
  for (long number = std::stol(first); number <= std::stol(last); ++number) {
    std::string text = std::to_string(number);
    if (text.size() < first.size()) text.insert(0, first.size() - text.size(), '0');
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> alternatives(const std::string& inside, const std::string& pattern) {
  if (inside.empty() || inside.find('{') != inside.npos)
    refusePattern(pattern, "has braces that are empty or within others");
  if (inside.find("..") != inside.npos) return counted(inside, pattern);
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    texts.push_back(inside.substr(begin, end - begin));
    begin = end + 1;
  }
  return texts;
}

bool isPattern(const fs::path& path) {
  return path.filename().native().find('{') != std::string::npos;
}

bool isShard(const fs::path& name) {
  return name.extension() == ".tar" && !name.filename().native().starts_with('.');
}

/// Names of tar files in the folder, `below` before each; none where there is no such folder.
std::vector<std::string> tarsIn(const fs::path& folder, const std::string& below) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator at(folder / below, code), end; !code && at != end; at.increment(code))
    if (isShard(at->path())) names.push_back(below + at->path().filename().string());
  std::sort(names.begin(), names.end(), naturalLess);
  return names;
}

ShardNames named(const fs::path& path) {
  std::error_code code;
  ShardNames found{path, {}};
  if (fs::is_directory(path, code)) {
    found.names = tarsIn(path, "");
    for (const char* folder : kFolders)
      for (std::string& name : tarsIn(path, std::string(folder) + "/"))
        found.names.push_back(std::move(name));
    return found;
  }
  found.folder = path.parent_path();
  const std::string name = path.filename().string();
  found.names = isPattern(path) ? expandedBraces(name) : std::vector<std::string>{name};
  for (const std::string& one : found.names)
    if (one.find('/') != one.npos || !isShard(one) || !fs::exists(found.folder / one, code))
      throw Failure({ErrorCode::NotFound,
                     "there is no such shard; put it there, or name those that are there",
                     (found.folder / one).string()});
  return found;
}

/// Whether `word` stands in the name with no letter beside it.
bool says(const std::string& name, const std::string& word) {
  const auto letterAt = [&](std::size_t at) {
    return at < name.size() && std::isalpha(static_cast<unsigned char>(name[at]));
  };
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1))
    if ((at == 0 || !letterAt(at - 1)) && !letterAt(at + word.size())) return true;
  return false;
}

/// Which of the words of validation the name says; empty: none.
std::string validationWordOf(const std::string& name) {
  for (const char* word : kValidationWords)
    if (says(name, word)) return word;
  return "";
}

std::string validationWordOf(const std::vector<std::string>& names) {
  for (const char* word : kValidationWords)
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return validationWordOf(name) == word; }))
      return word;
  return "";
}

}  // namespace

std::vector<std::string> expandedBraces(const std::string& pattern) {
  std::vector<std::string> texts{""};
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t open = std::min(pattern.find('{', begin), pattern.size());
    for (std::string& text : texts)
      text += pattern.substr(begin, open - begin);
    if (open == pattern.size()) break;
    const std::size_t close = pattern.find('}', open);
    if (close == pattern.npos) refusePattern(pattern, "has a brace that is not closed");
    const auto inside = alternatives(pattern.substr(open + 1, close - open - 1), pattern);
    if (texts.size() * inside.size() > kMaxTexts)
      refusePattern(pattern, "means over a million shards");
    std::vector<std::string> longer;
    for (const std::string& text : texts)
      for (const std::string& part : inside)
        longer.push_back(text + part);
    texts = std::move(longer);
    begin = close + 1;
  }
  return texts;
}

ShardNames shardNames(const fs::path& path, Split split) {
  ShardNames all = named(path);
  if (all.names.empty())
    throw Failure({ErrorCode::NotFound,
                   "there are no tar shards here; give a folder of them, or a pattern as "
                   "train-{000..146}.tar",
                   path.string()});
  const std::string validation = validationWordOf(all.names);
  const bool wantsValidation = split == Split::Validation && !validation.empty();
  std::erase_if(all.names, [&](const std::string& name) {
    return validationWordOf(name) != (wantsValidation ? validation : "");
  });
  if (all.names.empty())
    throw Failure({ErrorCode::NotFound,
                   "has shards of " + validation + " and none to train on; put these there too",
                   path.string()});
  all.shareOut = validation.empty();
  return all;
}

bool namesShards(const fs::path& path) {
  const auto found = guarded(path.string(), [&] { return !named(path).names.empty(); });
  return found.ok() && *found;
}

}  // namespace headlight
