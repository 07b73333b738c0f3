// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/TrueSegments.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/segments/Ade20kFolder.h"
#include "core/data/segments/CityscapesFolder.h"
#include "core/data/segments/SegmentFolder.h"
#include "core/data/segments/SegmentLabels.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/codecs/ImageSize.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

SegmentSource readSegmentsAt(const fs::path& data, bool train) {
  if (looksLikeAde20k(data)) return readAde20k(data, train);
  if (looksLikeCityscapes(data)) return readCityscapes(data, train);
  if (looksLikeSegmentFolder(data)) return readSegmentFolder(data, train);
  throw Failure({ErrorCode::InvalidFile,
                 tr("has no true segments; give a folder of ADE20K, of Cityscapes, or of images "
                    "with label images and a table of classes"),
                 data.string()});
}

bool isImageOfTruth(const fs::path& left, const fs::path& right) {
  std::error_code unknown;
  return fs::equivalent(left, right, unknown);
}

TrueSegments trueSegmentsOf(const SegmentedFile& file, const fs::path& image,
                            const SegmentClasses& classes) {
  const std::string bytes = valueOrThrow(readFile(image, kMaxImageBytes));
  const ImageSize stored = valueOrThrow(readImageSize(bytes, image.string()));
  const ImageSize upright = stored.upright();
  return {valueOrThrow(readSegments(file.label, classes, static_cast<int>(upright.width),
                                    static_cast<int>(upright.height), stored.orientation)),
          classes.names};
}

}  // namespace

ClassImage asModelClasses(const TrueSegments& truth, const std::vector<std::string>& names) {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t label = 0; label < classes.size(); ++label) {
    classes[label] = static_cast<std::uint8_t>(label);
    if (label >= truth.classNames.size()) continue;
    const auto found = std::find(names.begin(), names.end(), truth.classNames[label]);
    if (found != names.end()) classes[label] = static_cast<std::uint8_t>(found - names.begin());
  }
  ClassImage image = truth.segments;
  for (std::uint8_t& label : image.classes)
    label = classes[label];
  return image;
}

PixelAgreement pixelAgreement(const ClassImage& truth, const ClassImage& predicted) {
  PixelAgreement agreement;
  for (std::size_t i = 0; i < std::min(truth.classes.size(), predicted.classes.size()); ++i) {
    if (truth.classes[i] == kIgnoredClass) continue;
    ++agreement.known;
    agreement.right += truth.classes[i] == predicted.classes[i];
  }
  return agreement;
}

Result<TrueSegmentIndex> TrueSegmentIndex::open(const fs::path& data) {
  return guarded(data.string(), [&] {
    TrueSegmentIndex index;
    for (const bool train : {false, true}) {
      SegmentSource source = readSegmentsAt(data, train);
      for (SegmentedFile& file : source.images) {
        std::string name = file.image.filename().string();
        index.m_files.emplace(std::move(name), std::move(file));
      }
      index.m_classes = std::move(source.classes);
      if (source.shareOut) break;  // that was all
    }
    return index;
  });
}

const SegmentedFile* TrueSegmentIndex::find(const fs::path& image) const {
  const auto [first, last] = m_files.equal_range(image.filename().string());
  if (first == last) return nullptr;
  const auto found = std::find_if(
      first, last, [&](const auto& item) { return isImageOfTruth(item.second.image, image); });
  if (found != last) return &found->second;
  return std::next(first) == last ? &first->second : nullptr;  // else: which one?
}

Result<std::optional<TrueSegments>> TrueSegmentIndex::of(const fs::path& image) const {
  return guarded(image.string(), [&]() -> std::optional<TrueSegments> {
    const SegmentedFile* file = find(image);
    if (!file) return std::nullopt;
    return trueSegmentsOf(*file, image, m_classes);
  });
}

}  // namespace headlight
