// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/CocoFolder.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/boxes/BoxImageFiles.h"
#include "core/data/files/FolderEntries.h"
#include "core/data/files/SplitFolders.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 100'000, kNamedFiles = 5;

bool isCocoFolder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// The .json files of a folder, or of those the ones that begin with "instances", in order.
std::vector<fs::path> jsonFiles(const fs::path& folder) {
  std::vector<fs::path> all, instances;
  for (const FolderEntry& entry : folderEntries(folder, kMostEntries)) {
    if (entry.folder || lowered(fs::path(entry.name).extension().string()) != ".json") continue;
    all.push_back(folder / entry.name);
    if (lowered(entry.name).starts_with("instances")) instances.push_back(all.back());
  }
  return instances.empty() ? all : instances;
}

/// The words of letters in a name: instances and train of instances_train2017.
std::vector<std::string> wordsIn(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : lowered(name)) {
    if ('a' <= c && c <= 'z')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

SplitWord splitOf(const fs::path& file) {
  for (const std::string& word : wordsIn(file.stem().string()))
    if (const SplitWord split = splitWord(word); split != SplitWord::None) return split;
  return SplitWord::None;
}

std::vector<fs::path> ofSplit(const std::vector<fs::path>& files, SplitWord split) {
  std::vector<fs::path> chosen;
  std::copy_if(files.begin(), files.end(), std::back_inserter(chosen),
               [&](const fs::path& file) { return splitOf(file) == split; });
  return chosen;
}

std::string namesOf(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files)
    names.push_back(file.filename().string());
  return joined(names, kNamedFiles);
}

[[noreturn]] void refuseSeveral(const std::vector<fs::path>& files) {
  throw Failure({ErrorCode::InvalidFile,
                 tr("has several files of annotations (") + namesOf(files) +
                     tr("), and their names do not say one for training and one for validation; "
                        "give one of them as the path"),
                 files.front().parent_path().string()});
}

CocoAnnotations chosenOf(const std::vector<fs::path>& files) {
  const auto train = ofSplit(files, SplitWord::Train), val = ofSplit(files, SplitWord::Validation);
  if (train.size() == 1 && val.size() == 1) return {train.front(), val.front()};
  if (train.size() == 1 && val.empty()) return {train.front(), train.front()};
  if (files.size() == 1) return {files.front(), files.front()};
  refuseSeveral(files);
}

void requireSameCategories(const BoxTruth& truth, const CocoAnnotations& files) {
  const auto trained = valueOrThrow(readBoxCategories(files.train));
  const auto same = [](const BoxCategory& a, const BoxCategory& b) {
    return a.id == b.id && a.name == b.name;
  };
  const auto& here = truth.categories;
  if (std::equal(here.begin(), here.end(), trained.begin(), trained.end(), same)) return;
  throw Failure({ErrorCode::InvalidFile,
                 tr("has other categories than ") + files.train.filename().string() +
                     tr("; give both files the same list, with the same ids"),
                 files.validation.string()});
}

}  // namespace

CocoAnnotations cocoAnnotations(const fs::path& path) {
  if (!isCocoFolder(path)) return {path, path};
  for (const fs::path& folder : {path / "annotations", path}) {
    if (!isCocoFolder(folder)) continue;
    if (const auto files = jsonFiles(folder); !files.empty()) return chosenOf(files);
  }
  throw Failure({ErrorCode::NotFound,
                 tr("has no annotations in COCO's JSON; expected there or in the folder "
                    "annotations, as instances_train.json and instances_val.json"),
                 path.string()});
}

BoxSource readCocoBoxes(const fs::path& path, bool train) {
  const CocoAnnotations files = cocoAnnotations(path);
  const fs::path& file = train ? files.train : files.validation;
  const BoxTruth truth = valueOrThrow(readBoxTruth(file));
  if (!train && !files.shareOut()) requireSameCategories(truth, files);
  const auto paths =
      boxImageFiles(truth, file, {},
                    tr("put them into a folder beside the annotations (images, or train2017 for "
                       "instances_train2017.json)"));
  BoxSource source;
  for (std::size_t i = 0; i < paths.size(); ++i)
    source.images.push_back({paths[i], truth.images[i].width, truth.images[i].height, {}});
  for (const TrueBox& box : truth.boxes)
    source.images[static_cast<std::size_t>(box.image)].boxes.push_back(
        {box.box, box.category, box.area, box.crowd});
  source.annotations = {file};
  source.classNames = truth.categoryNames();
  for (const std::string& note : truth.notes)
    source.notes.push_back(file.string() + ": " + note);
  source.shareOut = files.shareOut();
  return source;
}

bool looksLikeCoco(const fs::path& path) {
  const auto found = guarded(path.string(), [&] {
    const auto files = jsonFiles(path / "annotations");
    return !files.empty() && lowered(files.front().filename().string()).starts_with("instances");
  });
  return found.ok() && *found;
}

}  // namespace headlight
