// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/SegmentFiles.h"

#include <system_error>
#include <utility>

#include "core/base/files/Files.h"
#include "core/data/files/DataStamp.h"
#include "core/data/files/SampleErrors.h"
#include "core/data/segments/Ade20kFolder.h"
#include "core/data/segments/CityscapesFolder.h"
#include "core/data/segments/SegmentFolder.h"
#include "core/data/segments/SegmentLabels.h"
#include "core/imaging/codecs/ImageSize.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

class SegmentFiles : public LabeledDataset {
 public:
  SegmentFiles(fs::path root, SegmentSource source)
      : m_root(std::move(root)), m_source(std::move(source)) {}

  std::int64_t size() const override { return std::ssize(m_source.images); }
  const std::vector<std::string>& classNames() const override { return m_source.classes.names; }
  bool hasSegments() const override { return true; }
  std::vector<ClassColor> classColors() const override { return m_source.classes.colors; }
  int label(std::int64_t) const override { return 0; }
  std::string describe(std::int64_t index) const override {
    return m_source.images.at(static_cast<std::size_t>(index)).image.string();
  }
  bool reachable() const override {
    std::error_code code;
    return fs::exists(m_root, code);
  }
  std::string stamp() const override {
    std::vector<fs::path> paths = m_source.tables;
    for (const SegmentedFile& file : m_source.images)
      paths.insert(paths.end(), {file.image, file.label});
    return fileStamp(m_root, paths);
  }
  std::vector<std::string> notes() const override { return m_source.notes; }
  Result<Sample> sample(std::int64_t index) const override {
    if (index < 0 || index >= size()) return noSample(index, m_root.string());
    const SegmentedFile& file = m_source.images[static_cast<std::size_t>(index)];
    const auto bytes = readFile(file.image, kMaxImageBytes);
    if (!bytes) return bytes.error();
    auto image = decodeImage(*bytes, file.image.string());
    if (!image) return image.error();
    const auto stored = readImageSize(*bytes, file.image.string());
    if (!stored) return stored.error();
    auto segments = readSegments(file.label, m_source.classes, image->width, image->height,
                                 stored->orientation);
    if (!segments) return segments.error();
    return Sample{std::move(image).value(), 0, {}, std::move(segments).value()};
  }
  Result<SampleTruth> truth(std::int64_t index) const override {
    if (index < 0 || index >= size()) return noSample(index, m_root.string());
    const SegmentedFile& file = m_source.images[static_cast<std::size_t>(index)];
    return guarded(file.label.string(), [&] {
      const std::string bytes = valueOrThrow(readFile(file.label, kMaxImageBytes));
      const ImageSize size = valueOrThrow(readImageSize(bytes, file.label.string()));
      const int width = static_cast<int>(size.width), height = static_cast<int>(size.height);
      return SampleTruth{
          width,
          height,
          0,
          {},
          segmentsFromPng(bytes, file.label.string(), m_source.classes, width, height)};
    });
  }

 private:
  fs::path m_root;
  SegmentSource m_source;
};

using ReadSegmentSource = SegmentSource (*)(const fs::path& path, bool train);

Result<OpenedSource> openSegments(const DatasetSpec& spec, Split split, ReadSegmentSource read) {
  return guarded(spec.path.string(), [&]() -> OpenedSource {
    SegmentSource source = read(spec.path, split == Split::Train);
    const bool shareOut = source.shareOut;
    return {std::make_unique<SegmentFiles>(spec.path, std::move(source)), shareOut};
  });
}

}  // namespace

Result<OpenedSource> openAde20k(const DatasetSpec& spec, Split split) {
  return openSegments(spec, split, readAde20k);
}

Result<OpenedSource> openCityscapes(const DatasetSpec& spec, Split split) {
  return openSegments(spec, split, readCityscapes);
}

Result<OpenedSource> openSegmentFolder(const DatasetSpec& spec, Split split) {
  return openSegments(spec, split, readSegmentFolder);
}

}  // namespace headlight
