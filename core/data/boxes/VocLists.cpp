// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/VocLists.h"

#include <set>
#include <sstream>
#include <system_error>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/files/FilePlace.h"
#include "core/data/files/FolderEntries.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostListBytes = std::uintmax_t{64} << 20;

[[noreturn]] void refuseList(const fs::path& list, const std::string& message) {
  throw Failure({ErrorCode::InvalidFile, message, list.string()});
}

void addOnce(std::set<std::string>& known, const std::string& id, const fs::path& list) {
  if (leadsOutside(id)) refuseList(list, tr("has the id \"") + id + tr("\", which is no name"));
  if (!known.insert(id).second)
    refuseList(list, tr("has the id \"") + id + tr("\", which is listed already; remove one"));
}

/// The first word of every line; `known` has the ids of lists before it.
std::vector<std::string> readIds(const fs::path& list, std::set<std::string>& known) {
  std::string text = valueOrThrow(readFile(list, kMostListBytes));
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  std::istringstream lines(text);
  std::vector<std::string> ids;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id;
    if (!(words >> id)) continue;
    addOnce(known, id, list);
    ids.push_back(id);
  }
  if (ids.empty()) refuseList(list, tr("lists no images"));
  return ids;
}

bool isListThere(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

}  // namespace

std::vector<std::string> annotatedIds(const fs::path& folder, std::size_t most) {
  std::vector<std::string> ids;
  for (const FolderEntry& entry : folderEntries(folder, most))
    if (!entry.folder && lowered(fs::path(entry.name).extension().string()) == ".xml")
      ids.push_back(fs::path(entry.name).stem().string());
  return ids;
}

VocLists readVocLists(const fs::path& path) {
  const fs::path lists = path / "ImageSets" / "Main", train = lists / "train.txt";
  std::set<std::string> known;
  if (isListThere(train) && isListThere(lists / "val.txt")) {
    VocLists both;
    both.train = readIds(train, known);
    both.validation = readIds(lists / "val.txt", known);
    return both;
  }
  for (const fs::path& list : {lists / "trainval.txt", train})
    if (isListThere(list)) return {readIds(list, known), {}, true};
  VocLists all{annotatedIds(path / "Annotations"), {}, true};
  if (all.train.empty())
    throw Failure(
        {ErrorCode::NotFound, tr("has no annotations (.xml)"), (path / "Annotations").string()});
  return all;
}

}  // namespace headlight
