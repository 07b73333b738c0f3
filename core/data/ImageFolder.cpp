#include "core/data/ImageFolder.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/Text.h"
#include "core/data/DataStamp.h"
#include "core/data/NaturalOrder.h"

namespace headlight {
namespace {

constexpr std::size_t kShownNames = 10;

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;
constexpr const char* kTrainName = "train";
constexpr const char* kValidationNames[] = {"val", "validation", "valid", "test"};

bool isFolder(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path, code);
}

bool isHidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.empty() || name.front() == '.';
}

/// Entries in natural order; throws Failure when the folder cannot be listed.
std::vector<fs::path> listFolder(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> entries;
  fs::directory_iterator iterator(folder, code);
  for (; !code && iterator != fs::directory_iterator(); iterator.increment(code))
    if (!isHidden(iterator->path())) entries.push_back(iterator->path());
  if (code)
    throw Failure(
        {code == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io,
         "could not list this folder: " + code.message(), folder.string()});
  std::sort(entries.begin(), entries.end(), [](const fs::path& a, const fs::path& b) {
    return naturalLess(a.filename().string(), b.filename().string());
  });
  return entries;
}

std::vector<fs::path> classFolders(const fs::path& folder) {
  std::vector<fs::path> folders = listFolder(folder);
  std::erase_if(folders, [](const fs::path& path) { return !isFolder(path); });
  return folders;
}

std::vector<std::string> namesOf(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders)
    names.push_back(folder.filename().string());
  return names;
}

/// Device and inode: what a folder is, by whatever path it was reached.
using Identity = std::pair<std::uint64_t, std::uint64_t>;

bool visitOnce(const fs::path& folder, std::set<Identity>& visited) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return false;
  return visited.insert({std::uint64_t(status.st_dev), std::uint64_t(status.st_ino)}).second;
}

/// Links to a picture that is gone are kept: they are reported when somebody asks for the sample.
void collectImages(const fs::path& folder, std::set<Identity>& visited, int depth,
                   std::vector<fs::path>& images) {
  if (depth > kMaxDepth || !visitOnce(folder, visited)) return;
  for (const fs::path& path : listFolder(folder)) {
    if (isFolder(path))
      collectImages(path, visited, depth + 1, images);
    else if (hasImageExtension(path))
      images.push_back(path);
  }
}

class ImageFolder : public LabelledDataset {
 public:
  ImageFolder(fs::path root, std::vector<std::string> classNames)
      : m_root(std::move(root)), m_classNames(std::move(classNames)) {}

  void add(fs::path path, int label) { m_files.push_back({std::move(path), label}); }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t index) const override { return m_files.at(index).label; }
  std::string describe(std::int64_t index) const override {
    return m_files.at(index).path.string();
  }
  bool reachable() const override {
    std::error_code code;
    const fs::directory_iterator iterator(m_root, code);
    return !code && iterator != fs::directory_iterator();
  }
  std::string stamp() const override {
    std::vector<fs::path> paths;
    for (const File& file : m_files)
      paths.push_back(file.path);
    return fileStamp(m_root, paths);
  }
  Result<Sample> sample(std::int64_t index) const override {
    if (index < 0 || index >= size())
      return Error{ErrorCode::InvalidArgument, "there is no sample " + std::to_string(index),
                   m_root.string()};
    auto image = readImage(m_files[index].path);
    if (!image) return image.error();
    return Sample{std::move(image).value(), m_files[index].label};
  }

 private:
  struct File {
    fs::path path;
    int label = 0;
  };
  fs::path m_root;
  std::vector<std::string> m_classNames;
  std::vector<File> m_files;
};

struct Layout {
  fs::path folder;  ///< of class folders, for the split asked for
  fs::path other;   ///< of class folders, for the other split; empty: there is none
  bool shareOut = false;
};

Layout layoutOf(const fs::path& root, Split split) {
  fs::path validation;
  for (const char* name : kValidationNames)
    if (validation.empty() && isFolder(root / name)) validation = root / name;
  if (isFolder(root / kTrainName)) {
    const fs::path train = root / kTrainName;
    if (validation.empty()) return {train, {}, true};
    return split == Split::Train ? Layout{train, validation} : Layout{validation, train};
  }
  // A folder with val/ alone serves evaluation; a class may also be called "test" among others.
  const auto folders = classFolders(root);
  if (folders.size() == 1 && folders.front() == validation) {
    if (split == Split::Validation) return {validation, {}};
    throw Failure({ErrorCode::NotFound,
                   "has " + validation.filename().string() +
                       "/ but no train/; put the training pictures there, a folder for each class",
                   root.string()});
  }
  return {root, {}, true};
}

void requireSameClasses(const Layout& layout, const std::vector<std::string>& names) {
  if (layout.other.empty()) return;
  const auto others = namesOf(classFolders(layout.other));
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  for (const auto& name : names)
    if (std::find(others.begin(), others.end(), name) == others.end()) extra.push_back(name);
  for (const auto& name : others)
    if (std::find(names.begin(), names.end(), name) == names.end()) missing.push_back(name);
  if (missing.empty() && extra.empty()) return;
  std::string message = "its class folders differ from those of " + layout.other.string() + ":";
  if (!missing.empty()) message += " without " + joined(missing, kShownNames);
  if (!extra.empty())
    message += std::string(missing.empty() ? "" : ",") + " with an additional " +
               joined(extra, kShownNames);
  throw Failure(
      {ErrorCode::InvalidFile, message + "; both need the same classes", layout.folder.string()});
}

void requireClasses(const fs::path& folder, const std::vector<std::string>& names) {
  if (names.size() >= 2) return;
  const std::string found =
      names.empty() ? "has no class folders" : "has a single class folder, " + names.front();
  throw Failure({ErrorCode::InvalidFile,
                 found + "; expected train/ and val/, or at least two folders of pictures, one for "
                         "each class",
                 folder.string()});
}

OpenedSource openFolderOfClasses(const DatasetSpec& spec, Split split) {
  if (!isFolder(spec.path))
    throw Failure({ErrorCode::NotFound,
                   "there is no such folder; give one with train/ and val/, or with a folder of "
                   "pictures for each class",
                   spec.path.string()});
  const Layout layout = layoutOf(spec.path, split);
  const auto folders = classFolders(layout.folder);
  const auto names = namesOf(folders);
  requireClasses(layout.folder, names);
  requireSameClasses(layout, names);

  auto dataset = std::make_unique<ImageFolder>(layout.folder, names);
  std::vector<std::string> empty;
  for (std::size_t label = 0; label < folders.size(); ++label) {
    std::vector<fs::path> images;
    std::set<Identity> visited;
    collectImages(folders[label], visited, 0, images);
    if (images.empty()) empty.push_back(names[label]);
    for (fs::path& image : images)
      dataset->add(std::move(image), static_cast<int>(label));
  }
  if (!empty.empty())
    throw Failure({ErrorCode::InvalidFile,
                   "no picture in the class folder" + std::string(empty.size() > 1 ? "s " : " ") +
                       joined(empty, kShownNames) + "; fill or remove " +
                       (empty.size() > 1 ? "them" : "it"),
                   layout.folder.string()});
  return {std::move(dataset), layout.shareOut};
}

bool hasImage(const fs::path& folder, int depth) {
  if (depth > 3) return false;
  std::error_code code;
  fs::directory_iterator iterator(folder, code);
  std::vector<fs::path> folders;
  for (int seen = 0; !code && iterator != fs::directory_iterator() && seen < 1000;
       iterator.increment(code), ++seen) {
    if (isHidden(iterator->path())) continue;
    if (isFolder(iterator->path()))
      folders.push_back(iterator->path());
    else if (hasImageExtension(iterator->path()))
      return true;
  }
  return std::any_of(folders.begin(), folders.end(),
                     [&](const fs::path& path) { return hasImage(path, depth + 1); });
}

}  // namespace

Result<OpenedSource> openImageFolder(const DatasetSpec& spec, Split split) {
  return guarded(spec.path.string(), [&] { return openFolderOfClasses(spec, split); });
}

bool looksLikeImageFolder(const fs::path& path) {
  const auto outcome = guarded(path.string(), [&] {
    if (!isFolder(path)) return false;
    const auto folders = classFolders(layoutOf(path, Split::Validation).folder);
    return folders.size() >= 2 && hasImage(folders[0], 0) && hasImage(folders[1], 0);
  });
  return outcome.ok() && *outcome;
}

}  // namespace headlight
