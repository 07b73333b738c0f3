// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/CityscapesFolder.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/data/segments/LabelPairs.h"
#include "core/imaging/ClassImage.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainIdEnding = "_gtFine_labelTrainIds";
constexpr const char* kIdEnding = "_gtFine_labelIds";
constexpr int kMostCityIds = 34;  // 0 … 33; the license plate's −1 is 255 in the images

struct CityClass {
  int id;
  const char* name;
  ClassColor color;
};

/// In the order of the train ids.
constexpr std::array<CityClass, 19> kCityClasses{{{7, "road", {128, 64, 128}},
                                                  {8, "sidewalk", {244, 35, 232}},
                                                  {11, "building", {70, 70, 70}},
                                                  {12, "wall", {102, 102, 156}},
                                                  {13, "fence", {190, 153, 153}},
                                                  {17, "pole", {153, 153, 153}},
                                                  {19, "traffic light", {250, 170, 30}},
                                                  {20, "traffic sign", {220, 220, 0}},
                                                  {21, "vegetation", {107, 142, 35}},
                                                  {22, "terrain", {152, 251, 152}},
                                                  {23, "sky", {70, 130, 180}},
                                                  {24, "person", {220, 20, 60}},
                                                  {25, "rider", {255, 0, 0}},
                                                  {26, "car", {0, 0, 142}},
                                                  {27, "truck", {0, 0, 70}},
                                                  {28, "bus", {0, 60, 100}},
                                                  {31, "train", {0, 80, 100}},
                                                  {32, "motorcycle", {0, 0, 230}},
                                                  {33, "bicycle", {119, 11, 32}}}};

bool isCityFolder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// Ids and train ids both rise in the order of the classes.
SegmentClasses cityClasses(bool trainIds) {
  std::vector<SegmentTableRow> rows;
  for (std::size_t i = 0; i < kCityClasses.size(); ++i)
    rows.push_back({trainIds ? static_cast<int>(i) : kCityClasses[i].id, kCityClasses[i].name,
                    kCityClasses[i].color});
  for (int id = 0; id < kMostCityIds && !trainIds; ++id)
    if (std::none_of(kCityClasses.begin(), kCityClasses.end(),
                     [&](const CityClass& known) { return known.id == id; }))
      rows.push_back({id, "ignored", {}, true});
  return segmentClasses(std::move(rows));
}

}  // namespace

SegmentSource readCityscapes(const fs::path& path, bool train) {
  const char* split = train ? "train" : "val";
  const fs::path labels = path / "gtFine" / split;
  const bool trainIds = holdsLabels(labels, kTrainIdEnding);
  LabelPairs pairs = pairLabels(path / "leftImg8bit" / split, labels,
                                {"_leftImg8bit", trainIds ? kTrainIdEnding : kIdEnding});
  SegmentSource source;
  source.images = std::move(pairs.files);
  source.classes = cityClasses(trainIds);
  source.notes = std::move(pairs.notes);
  source.notes.push_back(labels.string() + ": " +
                         (trainIds ? tr("labelTrainIds are read")
                                   : tr("has no labelTrainIds, so labelIds are read and those that "
                                        "are not trained on are ignored")));
  return source;
}

bool looksLikeCityscapes(const fs::path& path) {
  return isCityFolder(path / "leftImg8bit") && isCityFolder(path / "gtFine");
}

}  // namespace headlight
