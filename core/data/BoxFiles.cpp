// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/BoxFiles.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/boxes/BoxGeometry.h"
#include "core/data/boxes/CocoFolder.h"
#include "core/data/boxes/UprightBoxes.h"
#include "core/data/boxes/VocFolder.h"
#include "core/data/files/DataStamp.h"
#include "core/data/files/SampleErrors.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string sizeText(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

/// Also where the annotations say nothing.
bool isSizeOf(const BoxedFile& file, std::int64_t width, std::int64_t height) {
  return file.width == 0 || file.height == 0 || (file.width == width && file.height == height);
}

class BoxFiles : public LabeledDataset {
 public:
  BoxFiles(fs::path root, BoxSource source)
      : m_root(std::move(root)), m_source(std::move(source)) {}

  std::int64_t size() const override { return std::ssize(m_source.images); }
  const std::vector<std::string>& classNames() const override { return m_source.classNames; }
  bool hasBoxes() const override { return true; }
  int label(std::int64_t) const override { return 0; }
  bool teaches(std::int64_t index) const override {
    const BoxedFile& file = m_source.images.at(index);
    return std::any_of(file.boxes.begin(), file.boxes.end(), [&](const LabeledBox& box) {
      return mayLearn(box) &&
             (file.width == 0 || file.height == 0 ||
              clippedTo({0, 0, double(file.width), double(file.height)}, box.box).area() > 0);
    });
  }
  std::string describe(std::int64_t index) const override {
    return m_source.images.at(index).path.string();
  }
  bool reachable() const override {
    std::error_code code;
    return fs::exists(m_root, code);
  }
  std::string stamp() const override {
    std::vector<fs::path> paths = m_source.annotations;
    for (const BoxedFile& file : m_source.images)
      paths.push_back(file.path);
    return fileStamp(m_root, paths);
  }
  std::vector<std::string> notes() const override { return m_source.notes; }
  Result<Sample> sample(std::int64_t index) const override {
    if (index < 0 || index >= size()) return noSample(index, m_root.string());
    const BoxedFile& file = m_source.images[index];
    const auto bytes = readFile(file.path, kMaxImageBytes);
    if (!bytes) return bytes.error();
    auto image = decodeImage(*bytes, file.path.string());
    if (!image) return image.error();
    const auto stored = readImageSize(*bytes, file.path.string());
    if (!stored) return stored.error();
    const bool turns = annotatesStored(*stored, file.width, file.height);
    if (!isSizeOf(file, turns ? stored->width : image->width,
                  turns ? stored->height : image->height))
      return Error{ErrorCode::InvalidFile,
                   "has " + sizeText(image->width, image->height) +
                       tr(" pixels; its annotations are for ") + sizeText(file.width, file.height),
                   file.path.string()};
    return Sample{std::move(image).value(), 0,
                  turns ? uprightBoxes(file.boxes, *stored) : file.boxes};
  }
  Result<SampleTruth> truth(std::int64_t index) const override {
    if (index < 0 || index >= size()) return noSample(index, m_root.string());
    const BoxedFile& file = m_source.images[index];
    return SampleTruth{file.width, file.height, 0, file.boxes};
  }
  bool truthIsAtHand() const override { return true; }

 private:
  fs::path m_root;  ///< the folder, or the file of annotations
  BoxSource m_source;
};

using ReadBoxSource = BoxSource (*)(const fs::path& path, bool train);

Result<OpenedSource> openBoxes(const DatasetSpec& spec, Split split, ReadBoxSource read) {
  return guarded(spec.path.string(), [&]() -> OpenedSource {
    BoxSource source = read(spec.path, split == Split::Train);
    if (source.classNames.empty())
      throw Failure({ErrorCode::InvalidFile, tr("has no classes of boxes"), spec.path.string()});
    const bool shareOut = source.shareOut;
    return {std::make_unique<BoxFiles>(spec.path, std::move(source)), shareOut};
  });
}

}  // namespace

Result<OpenedSource> openCoco(const DatasetSpec& spec, Split split) {
  return openBoxes(spec, split, readCocoBoxes);
}

Result<OpenedSource> openVoc(const DatasetSpec& spec, Split split) {
  return openBoxes(spec, split, readVocBoxes);
}

}  // namespace headlight
