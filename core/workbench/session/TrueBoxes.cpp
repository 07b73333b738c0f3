// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/TrueBoxes.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/boxes/CocoFolder.h"
#include "core/data/boxes/UprightBoxes.h"
#include "core/data/boxes/VocFolder.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

BoxSource readBoxesAt(const fs::path& data, bool train) {
  std::error_code unknown;
  if (fs::is_regular_file(data, unknown) || looksLikeCoco(data)) return readCocoBoxes(data, train);
  if (looksLikeVoc(data)) return readVocBoxes(data, train);
  throw Failure({ErrorCode::InvalidFile,
                 tr("has no true boxes; give COCO's annotations or folder, or Pascal VOC's folder"),
                 data.string()});
}

bool isFileOfTruth(const fs::path& left, const fs::path& right) {
  std::error_code unknown;
  return fs::equivalent(left, right, unknown);
}

/// As the image is opened; an image that cannot be read turns nothing.
LabeledBoxes uprightIn(const fs::path& image, int width, int height, const LabeledBoxes& boxes) {
  const auto bytes = readFile(image, kMaxImageBytes);
  if (!bytes) return boxes;
  const auto stored = readImageSize(*bytes, image.string());
  return stored && annotatesStored(*stored, width, height) ? uprightBoxes(boxes, *stored) : boxes;
}

}  // namespace

int classCalledAlike(int label, const TrueBoxes& truth, const std::vector<std::string>& names) {
  const auto at = static_cast<std::size_t>(label);
  if (at >= truth.classNames.size()) return label;
  const auto found = std::find(names.begin(), names.end(), truth.classNames[at]);
  return found == names.end() ? label : static_cast<int>(found - names.begin());
}

Result<TrueBoxIndex> TrueBoxIndex::open(const fs::path& data) {
  return guarded(data.string(), [&] {
    TrueBoxIndex index;
    for (const bool train : {false, true}) {
      BoxSource source = readBoxesAt(data, train);
      for (BoxedFile& image : source.images)
        index.m_files.emplace(image.path.filename().string(),
                              File{image.path, image.width, image.height, std::move(image.boxes)});
      index.m_classNames = std::move(source.classNames);
      if (source.shareOut) break;  // that was all
    }
    return index;
  });
}

std::optional<TrueBoxes> TrueBoxIndex::of(const fs::path& image) const {
  const auto [first, last] = m_files.equal_range(image.filename().string());
  if (first == last) return std::nullopt;
  auto found = std::find_if(
      first, last, [&](const auto& item) { return isFileOfTruth(item.second.path, image); });
  if (found == last && std::next(first) != last) return std::nullopt;  // which one?
  if (found == last) found = first;
  const File& file = found->second;
  return TrueBoxes{uprightIn(image, file.width, file.height, file.boxes), m_classNames};
}

}  // namespace headlight
