// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/ClassFolders.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/data/files/FolderEntries.h"
#include "core/data/files/RememberedScan.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

// What is listed as an image is part of it: HEIC, AVIF and JPEG XL since this form.
constexpr const char* kFolderScan = "image-folder with stills";
// After the last class; none is called that. A scan of an older form lacks it: it is listed anew.
constexpr std::string_view kLeftoversFollow = "/leftovers";
constexpr std::int64_t kMostFiles = std::int64_t{1} << 40;
constexpr std::size_t kWorthRemembering = 1000;  // images; fewer are listed at once everywhere

/// What a walk found.
struct ClassScan {
  std::vector<ClassOfImages> classes;
  Leftovers leftovers;
};

/// One walk through the class folders, and what it depended on.
class Walk {
 public:
  explicit Walk(const fs::path& root) : m_watched(root) {}

  ClassScan all() {
    m_watched.add("");
    for (FolderEntry& entry : folderEntries(m_watched.root())) {
      if (!entry.folder) {
        if (hasImageExtension(entry.name)) ++m_scan.leftovers.imagesBeside;
        continue;
      }
      m_visited.clear();
      m_scan.classes.push_back({std::move(entry.name), {}});
      collect(m_scan.classes.back(), "", 0);
    }
    return std::move(m_scan);
  }

  const WatchedPaths& watched() const { return m_watched; }

 private:
  /// `below` is empty or ends with a slash.
  void collect(ClassOfImages& of, const std::string& below, int depth) {
    const std::string name = of.name + "/" + below;
    if (depth > kMaxFolderDepth || !m_visited.visit(m_watched.root() / name)) return;
    m_watched.add(name);
    for (const FolderEntry& entry : folderEntries(m_watched.root() / name)) {
      if (entry.folder)
        collect(of, below + entry.name + "/", depth + 1);
      else if (hasImageExtension(entry.name))
        of.images.push_back(below + entry.name);
      else
        m_scan.leftovers.files.addFile(entry.name);
    }
  }

  WatchedPaths m_watched;
  VisitedFolders m_visited;
  ClassScan m_scan;
};

/// The classes, each with its images and an end; then the mark, the images beside, the kinds
/// passed over with their counts, and an end.
std::string scanText(const ClassScan& scan) {
  std::string text;
  for (const ClassOfImages& one : scan.classes) {
    addZeroEnded(text, one.name);
    for (const std::string& image : one.images)
      addZeroEnded(text, image);
    addZeroEnded(text, "");
  }
  addZeroEnded(text, kLeftoversFollow);
  addZeroEnded(text, std::to_string(scan.leftovers.imagesBeside));
  for (const auto& [kind, count] : scan.leftovers.files.kinds()) {
    addZeroEnded(text, kind);
    addZeroEnded(text, std::to_string(count));
  }
  addZeroEnded(text, "");
  return text;
}

/// A file that somebody else wrote may not lead out of the folder.
bool staysInside(std::string_view name) {
  if (name.starts_with('/')) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (end == begin || name[begin] == '.') return false;
    begin = end + 1;
  }
  return true;
}

bool isCount(const std::optional<std::int64_t>& count) {
  return count && *count >= 0 && *count <= kMostFiles;
}

/// False where the text goes on with anything else, or after them.
bool readLeftovers(ZeroEnded& texts, Leftovers& leftovers) {
  const auto beside = texts.number();
  if (!isCount(beside)) return false;
  leftovers.imagesBeside = *beside;
  for (auto kind = texts.next(); kind; kind = texts.next()) {
    if (kind->empty()) return texts.rest().empty();
    const auto count = texts.number();
    if (!isCount(count) || !PassedOver::isKind(std::string(*kind))) return false;
    leftovers.files.add(std::string(*kind), *count);
  }
  return false;
}

/// Nothing where the text is no scan.
std::optional<ClassScan> readScan(std::string_view text) {
  ClassScan scan;
  ZeroEnded texts(text);
  for (auto name = texts.next(); name; name = texts.next()) {
    if (*name == kLeftoversFollow)
      return readLeftovers(texts, scan.leftovers) ? std::optional(std::move(scan)) : std::nullopt;
    if (!staysInside(*name) || name->find('/') != name->npos) return std::nullopt;
    scan.classes.push_back({std::string(*name), {}});
    auto image = texts.next();
    for (; image && !image->empty(); image = texts.next()) {
      if (!staysInside(*image) || !hasImageExtension(*image)) return std::nullopt;
      scan.classes.back().images.emplace_back(*image);
    }
    if (!image) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t countOf(const std::vector<ClassOfImages>& classes) {
  std::size_t count = 0;
  for (const ClassOfImages& one : classes)
    count += one.images.size();
  return count;
}

ClassScan scanOf(const fs::path& place) {
  if (const auto text = recallScan(kFolderScan, place))
    if (auto scan = readScan(*text)) return std::move(*scan);
  Walk walk(place);
  auto scan = walk.all();
  if (countOf(scan.classes) >= kWorthRemembering)
    rememberScan(kFolderScan, walk.watched(), scanText(scan));
  return scan;
}

/// Of an archive, whose depth is bounded. `below` is empty or ends with a slash.
void collectIn(const FilePlace& place, const std::string& folder, const std::string& below,
               std::vector<std::string>& images, PassedOver& others) {
  for (const FolderEntry& entry : place.entries(folder)) {
    if (entry.folder)
      collectIn(place, nameIn(folder, entry.name), below + entry.name + "/", images, others);
    else if (hasImageExtension(entry.name))
      images.push_back(below + entry.name);
    else
      others.addFile(entry.name);
  }
}

}  // namespace

bool isFolder(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

std::vector<ClassOfImages> imagesOfClasses(const fs::path& folder, Leftovers* leftovers) {
  std::error_code code;
  const fs::path place = fs::canonical(folder, code);
  if (code)
    throw Failure(
        {code == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io,
         tr("could not list this folder: ") + code.message(), folder.string()});
  ClassScan scan = scanOf(place);
  if (leftovers) *leftovers = std::move(scan.leftovers);
  return std::move(scan.classes);
}

std::vector<ClassOfImages> imagesOfClasses(const FilePlace& place, const std::string& folder,
                                           Leftovers* leftovers) {
  if (place.onDisk()) return imagesOfClasses(place.path(folder), leftovers);
  std::vector<ClassOfImages> classes;
  Leftovers left;
  for (FolderEntry& entry : place.entries(folder))
    if (!entry.folder)
      left.imagesBeside += hasImageExtension(entry.name) ? 1 : 0;
    else
      classes.push_back({entry.name, {}});
  for (ClassOfImages& one : classes)
    collectIn(place, nameIn(folder, one.name), "", one.images, left.files);
  if (leftovers) *leftovers = std::move(left);
  return classes;
}

}  // namespace headlight
