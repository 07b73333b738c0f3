#include "core/data/ImageFolder.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/Text.h"
#include "core/data/ClassFolders.h"
#include "core/data/DataStamp.h"

namespace headlight {
namespace {

constexpr std::size_t kShownNames = 10;

namespace fs = std::filesystem;

constexpr const char* kTrainName = "train";
constexpr const char* kValidationNames[] = {"val", "validation", "valid", "test"};

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
    if (!has(index)) return missing(index);
    auto image = readImage(m_files[index].path);
    if (!image) return image.error();
    return Sample{std::move(image).value(), m_files[index].label};
  }
  Result<SamplePart> part(std::int64_t index, const ChoosePart& choose) const override {
    if (!has(index)) return missing(index);
    auto image = readImagePart(m_files[index].path, choose);
    if (!image) return image.error();
    return SamplePart{std::move(image).value(), m_files[index].label};
  }

 private:
  struct File {
    fs::path path;
    int label = 0;
  };
  bool has(std::int64_t index) const { return index >= 0 && index < size(); }
  Error missing(std::int64_t index) const {
    return {ErrorCode::InvalidArgument, "there is no sample " + std::to_string(index),
            m_root.string()};
  }

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
  const auto folders = classFolderNames(root);
  if (folders.size() == 1 && root / folders.front() == validation) {
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
  const auto others = classFolderNames(layout.other);
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
  const auto found = classFolderNames(layout.folder);
  requireClasses(layout.folder, found);
  requireSameClasses(layout, found);

  const auto classes = picturesOfClasses(layout.folder);
  std::vector<std::string> names, empty;
  for (const ClassOfPictures& one : classes)
    names.push_back(one.name);
  auto dataset = std::make_unique<ImageFolder>(layout.folder, names);
  for (std::size_t label = 0; label < classes.size(); ++label) {
    if (classes[label].pictures.empty()) empty.push_back(names[label]);
    for (const std::string& picture : classes[label].pictures)
      dataset->add(layout.folder / names[label] / picture, static_cast<int>(label));
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
    if (iterator->path().filename().native().starts_with('.')) continue;
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
    const fs::path folder = layoutOf(path, Split::Validation).folder;
    const auto names = classFolderNames(folder);
    return names.size() >= 2 && hasImage(folder / names[0], 0) && hasImage(folder / names[1], 0);
  });
  return outcome.ok() && *outcome;
}

}  // namespace headlight
