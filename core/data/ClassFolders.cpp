#include "core/data/ClassFolders.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/Result.h"
#include "core/data/NaturalOrder.h"
#include "core/data/RememberedScan.h"
#include "core/imaging/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;
constexpr const char* kFolderScan = "image-folder";
constexpr std::size_t kWorthRemembering = 1000;  // pictures; fewer are listed at once everywhere

struct Entry {
  std::string name;
  bool folder = false;
};

Failure cannotList(const fs::path& folder, const std::error_code& code) {
  return Failure(
      {code == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io,
       "could not list this folder: " + code.message(), folder.string()});
}

/// In natural order. Of most files the listing itself says what they are; only links are asked for.
std::vector<Entry> entriesOf(const fs::path& folder) {
  std::error_code code;
  std::vector<Entry> entries;
  fs::directory_iterator at(folder, code);
  for (; !code && at != fs::directory_iterator(); at.increment(code)) {
    std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!name.starts_with('.')) entries.push_back({std::move(name), at->is_directory(unknown)});
  }
  if (code) throw cannotList(folder, code);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return naturalLess(a.name, b.name); });
  return entries;
}

/// Device and inode: what a folder is, by whatever path it was reached.
using Identity = std::pair<std::uint64_t, std::uint64_t>;

/// One walk through the class folders, and what it depended on.
class Walk {
 public:
  explicit Walk(const fs::path& root) : m_watched(root) {}

  std::vector<ClassOfPictures> all() {
    m_watched.add("");
    std::vector<ClassOfPictures> classes;
    for (Entry& entry : entriesOf(m_watched.root())) {
      if (!entry.folder) continue;
      m_visited.clear();
      classes.push_back({std::move(entry.name), {}});
      collect(classes.back(), "", 0);
    }
    return classes;
  }

  const WatchedPaths& watched() const { return m_watched; }

 private:
  /// `below` is empty or ends with a slash.
  void collect(ClassOfPictures& of, const std::string& below, int depth) {
    const std::string name = of.name + "/" + below;
    if (depth > kMaxDepth || !visitOnce(m_watched.root() / name)) return;
    m_watched.add(name);
    for (const Entry& entry : entriesOf(m_watched.root() / name)) {
      if (entry.folder)
        collect(of, below + entry.name + "/", depth + 1);
      else if (hasImageExtension(entry.name))
        of.pictures.push_back(below + entry.name);
    }
  }

  bool visitOnce(const fs::path& folder) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0) return false;
    return m_visited.insert({std::uint64_t(status.st_dev), std::uint64_t(status.st_ino)}).second;
  }

  WatchedPaths m_watched;
  std::set<Identity> m_visited;
};

std::string scanText(const std::vector<ClassOfPictures>& classes) {
  std::string text;
  for (const ClassOfPictures& one : classes) {
    addZeroEnded(text, one.name);
    for (const std::string& picture : one.pictures)
      addZeroEnded(text, picture);
    addZeroEnded(text, "");
  }
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

/// Nothing where the text is no scan.
std::optional<std::vector<ClassOfPictures>> readScan(std::string_view text) {
  std::vector<ClassOfPictures> classes;
  ZeroEnded texts(text);
  while (!texts.rest().empty()) {
    const auto name = texts.next();
    if (!name || !staysInside(*name) || name->find('/') != name->npos) return std::nullopt;
    classes.push_back({std::string(*name), {}});
    auto picture = texts.next();
    for (; picture && !picture->empty(); picture = texts.next()) {
      if (!staysInside(*picture) || !hasImageExtension(*picture)) return std::nullopt;
      classes.back().pictures.emplace_back(*picture);
    }
    if (!picture) return std::nullopt;
  }
  return classes;
}

std::size_t countOf(const std::vector<ClassOfPictures>& classes) {
  std::size_t count = 0;
  for (const ClassOfPictures& one : classes)
    count += one.pictures.size();
  return count;
}

}  // namespace

bool isFolder(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

std::vector<std::string> classFolderNames(const fs::path& folder) {
  std::vector<std::string> names;
  for (Entry& entry : entriesOf(folder))
    if (entry.folder) names.push_back(std::move(entry.name));
  return names;
}

std::vector<ClassOfPictures> picturesOfClasses(const fs::path& folder) {
  std::error_code code;
  const fs::path place = fs::canonical(folder, code);
  if (code) throw cannotList(folder, code);
  if (const auto text = recallScan(kFolderScan, place))
    if (auto classes = readScan(*text)) return std::move(*classes);
  Walk walk(place);
  auto classes = walk.all();
  if (countOf(classes) >= kWorthRemembering)
    rememberScan(kFolderScan, walk.watched(), scanText(classes));
  return classes;
}

}  // namespace headlight
