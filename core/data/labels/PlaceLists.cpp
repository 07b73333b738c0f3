// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/PlaceLists.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/files/SplitFolders.h"
#include "core/data/labels/ImageNetDevkit.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

constexpr std::uintmax_t kMaxListBytes = 128u << 20;  // ImageNet's training list is half of it
constexpr std::size_t kMostLists = 32;                // of a folder
constexpr std::size_t kMostFolders = 16;              // in which images are looked for

/// Folders in which data sets keep their lists.
const Names kListFolders{"", "meta", "annotations", "lists", "splits", "labels", "split", "data"};

/// The split that a list's name says as a word of its own: "val_annotations.txt".
SplitWord wordOf(const std::string& name) {
  SplitWord found = SplitWord::None;
  std::string word;
  for (const char letter : name.substr(name.rfind('/') + 1) + ".") {
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
      word += letter;
      continue;
    }
    const SplitWord one = lowered(word) == "trainval" ? SplitWord::Train : splitWord(word);
    if (one != SplitWord::None) found = one;
    word.clear();
  }
  return found;
}

class ListFinder {
 public:
  explicit ListFinder(const FilePlace& place) : m_place(place), m_folders(folderNames(place, "")) {}

  std::optional<PlaceLists> find() {
    const SplitFolders splits = splitFoldersIn(m_place);
    PlaceLists found = splits.any() ? inSplitFolders(splits) : beside();
    if (!found.train.list && !found.validation.list) return std::nullopt;
    if (splits.any()) found.notes = splits.notes;
    for (const ListedSplit* split : {&found.train, &found.validation})
      if (split->list) addNote(found, split->list->note());
    return found;
  }

  /// Failures of what was tried, in words.
  const Names& refusals() const { return m_refusals; }

 private:
  static void addNote(PlaceLists& found, const std::string& note) {
    if (std::find(found.notes.begin(), found.notes.end(), note) == found.notes.end())
      found.notes.push_back(note);
  }

  bool isFolderOf(const std::string& folder) const {
    return folder.empty() || std::find(m_folders.begin(), m_folders.end(),
                                       folder.substr(0, folder.find('/'))) != m_folders.end();
  }

  Names listsOf(const std::string& folder) const {
    Names lists;
    if (!isFolderOf(folder)) return lists;
    for (const FolderEntry& entry : m_place.entries(folder))
      if (!entry.folder && mayBeLabelList(entry.name) && lists.size() < kMostLists)
        lists.push_back(nameIn(folder, entry.name));
    return lists;
  }

  /// Where the images of a list may lie.
  Names basesOf(const std::string& list, const std::string& splitFolder) const {
    const auto slash = list.rfind('/');
    const std::string own = slash == list.npos ? "" : list.substr(0, slash);
    Names bases{own,     nameIn(own, "images"), splitFolder, nameIn(splitFolder, "images"), "",
                "images"};
    if (!splitFolder.empty()) bases.push_back(nameIn("images", splitFolder));
    for (std::size_t i = 0; i < std::min(kMostFolders, m_folders.size()); ++i) {
      bases.push_back(m_folders[i]);
      bases.push_back(nameIn(m_folders[i], "images"));
    }
    return bases;
  }

  /// Nothing where it is none, or none of its images is there.
  std::optional<ListedFiles> listed(const std::string& list, const std::string& splitFolder) {
    const auto tried = guarded(m_place.path(list).string(), [&] {
      const std::string where = m_place.path(list).string();
      const std::string text = valueOrThrow(m_place.read(list, kMaxListBytes));
      return findListed(m_place, list, parseLabelList(text, list, where),
                        basesOf(list, splitFolder));
    });
    if (tried && !tried->files.empty()) return *tried;
    m_refusals.push_back(tried ? m_place.path(list).string() + ": " +
                                     tr("none of the images that it names is there")
                               : tried.error().text());
    return std::nullopt;
  }

  /// The one that finds most images, of those whose name says the split.
  std::optional<ListedFiles> best(const Names& lists, SplitWord word,
                                  const std::string& splitFolder = "") {
    std::optional<ListedFiles> best;
    for (const std::string& list : lists) {
      if (wordOf(list) != word) continue;
      auto one = listed(list, splitFolder);
      if (one && (!best || one->files.size() > best->files.size())) best = std::move(one);
    }
    return best;
  }

  std::optional<ListedFiles> bestAnywhere(SplitWord word, const std::string& splitFolder = "") {
    for (const std::string& folder : kListFolders)
      if (auto one = best(listsOf(folder), word, splitFolder)) return one;
    return std::nullopt;
  }

  bool holdsClasses(const std::string& folder) const {
    const Names names = folderNames(m_place, folder);
    return names.size() >= 2 && holdsImages(m_place, nameIn(folder, names[0])) &&
           holdsImages(m_place, nameIn(folder, names[1]));
  }

  /// The rows of a list for all whose images lie in the folder.
  static std::optional<ListedFiles> within(const std::optional<ListedFiles>& all,
                                           const std::string& folder) {
    if (!all) return std::nullopt;
    ListedFiles some = *all;
    std::erase_if(some.files,
                  [&](const ListedFile& file) { return !file.name.starts_with(folder + "/"); });
    return some.files.empty() ? std::nullopt : std::optional(std::move(some));
  }

  ListedSplit splitIn(const std::string& folder, SplitWord word) {
    ListedSplit split;
    if (!folder.empty() && holdsClasses(folder)) {
      split.folder = folder;
      return split;
    }
    if (!folder.empty())
      for (const SplitWord own : {SplitWord::None, word})
        if (!split.list) split.list = best(listsOf(folder), own, folder);
    if (!split.list) split.list = bestAnywhere(word, folder);
    if (!split.list && word == SplitWord::Validation && !folder.empty()) devkitOf(split, folder);
    if (!split.list && !folder.empty())
      split.list = within(bestAnywhere(SplitWord::None, folder), folder);
    if (!split.list && !folder.empty() && !folderNames(m_place, folder).empty())
      split.folder = folder;
    return split;
  }

  /// The devkit's numbers, where val/ is ImageNet's.
  void devkitOf(ListedSplit& split, const std::string& folder) {
    const auto tried =
        guarded(m_place.root().string(), [&] { return devkitLabels(m_place, folder); });
    if (tried)
      split.list = *tried;
    else
      m_refusals.push_back(tried.error().text());
  }

  PlaceLists inSplitFolders(const SplitFolders& splits) {
    PlaceLists found;
    found.train = splitIn(splits.train, SplitWord::Train);
    const bool test = splitWord(splits.validation) == SplitWord::Test;
    found.validation = splitIn(splits.validation, test ? SplitWord::Test : SplitWord::Validation);
    if (!found.validation.any() && test && found.train.list)
      found.notes.push_back(splits.validation + "/ has images without classes and is not used");
    else if (!found.validation.any() && !splits.validation.empty())
      found.train = {};  // class folders are expected there: the message of those
    return found;
  }

  /// No folder is a split: lists are, or one list is for all.
  PlaceLists beside() {
    PlaceLists found;
    found.train.list = bestAnywhere(SplitWord::Train);
    const bool classes = holdsClasses("");
    if (found.train.list || !classes) {
      found.validation.list = bestAnywhere(SplitWord::Validation);
      found.test = bestAnywhere(SplitWord::Test);
      if (!found.validation.list) found.validation.list = std::exchange(found.test, std::nullopt);
    }
    if (!found.train.list && !found.validation.list && !classes)
      if (auto all = bestAnywhere(SplitWord::None)) shareOutRows(found, std::move(*all));
    return found;
  }

  /// By the list's own column, where every row says a split.
  static void shareOutRows(PlaceLists& found, ListedFiles all) {
    const auto of = [&](SplitWord word) {
      ListedFiles some = all;
      std::erase_if(some.files,
                    [&](const ListedFile& file) { return splitWord(file.split) != word; });
      return some.files.empty() ? std::nullopt : std::optional(std::move(some));
    };
    if (of(SplitWord::None) || !of(SplitWord::Train)) {
      found.train.list = std::move(all);
      return;
    }
    found.train.list = of(SplitWord::Train);
    found.validation.list = of(SplitWord::Validation);
    found.test = of(SplitWord::Test);
    if (!found.validation.list) found.validation.list = std::exchange(found.test, std::nullopt);
  }

  const FilePlace& m_place;
  Names m_folders;
  Names m_refusals;
};

}  // namespace

std::optional<PlaceLists> listsIn(const FilePlace& place) {
  return ListFinder(place).find();
}

Names refusedLists(const FilePlace& place) {
  ListFinder finder(place);
  finder.find();
  return finder.refusals();
}

PlaceLists listAt(const std::filesystem::path& path) {
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const auto place = openFilePlace(folder);
  const std::string list = path.filename().string();
  const std::string text = valueOrThrow(place->read(list, kMaxListBytes));
  Names bases{"", "images"};
  for (const std::string& name : folderNames(*place, ""))
    if (bases.size() < kMostFolders) bases.push_back(name);
  for (const char* above : {"..", "../images"})
    bases.emplace_back(above);
  PlaceLists found;
  found.train.list =
      findListed(*place, list, parseLabelList(text, list, path.string()), bases, /*outside=*/true);
  if (found.train.list->files.empty())
    throw Failure({ErrorCode::InvalidFile,
                   tr("names images that are not there (") + found.train.list->firstMissing +
                       tr("); put the list beside its images"),
                   path.string()});
  if (found.train.list->missing > 0) found.notes.push_back(found.train.list->note());
  return found;
}

}  // namespace headlight
