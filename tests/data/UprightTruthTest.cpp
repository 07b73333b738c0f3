// SPDX-License-Identifier: GPL-3.0-or-later

// Boxes and label images of files that EXIF turns move as the pixels do.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/data/boxes/UprightBoxes.h"
#include "core/data/segments/SegmentLabels.h"
#include "tests/data/BoxSupport.h"
#include "tests/data/SegmentSupport.h"
#include "tests/imaging/JpegWriter.h"
#include "tests/imaging/TurnedJpeg.h"

namespace headlight {
namespace {

using nlohmann::json;
using test::specOf;

constexpr int kStoredWidth = 48, kStoredHeight = 32;
constexpr int kQuality = 97;
const PixelBox kRectangle{6, 4, 20, 9};  // at no place where a turn leaves it

bool swapsHere(int orientation) {
  return orientation >= 5;
}

struct Place {
  int x = 0, y = 0;
};

/// Where EXIF's standard says that a stored pixel is seen.
Place seenAt(int orientation, int column, int row) {
  const int right = kStoredWidth - 1 - column, below = kStoredHeight - 1 - row;
  switch (orientation) {
    case 2:
      return {right, row};
    case 3:
      return {right, below};
    case 4:
      return {column, below};
    case 5:
      return {row, column};
    case 6:
      return {below, column};
    case 7:
      return {below, right};
    case 8:
      return {row, right};
    default:
      return {column, row};
  }
}

void writeTurned(const std::filesystem::path& path, const Image& image, int orientation) {
  test::writeBytes(path, test::turned(test::encodeJpeg(image, {}, kQuality), orientation));
}

Image rectangleImage() {
  return test::boxedRectangles(kStoredWidth, kStoredHeight, {kRectangle}).image;
}

json cocoOf(int width, int height, const PixelBox& box) {
  json image{{"id", 1}, {"file_name", "1.jpg"}};
  if (width > 0) image["width"] = width, image["height"] = height;
  return {{"images", {image}},
          {"categories", {{{"id", 1}, {"name", "shape"}}}},
          {"annotations",
           {{{"id", 1},
             {"image_id", 1},
             {"category_id", 1},
             {"bbox", {box.x, box.y, box.width, box.height}}}}}};
}

void expectBoxed(const Sample& sample, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(sample.boxes.size(), 1u);
  test::expectShown({sample.image, sample.boxes});
  EXPECT_DOUBLE_EQ(sample.boxes[0].box.area(), kRectangle.area());
}

class UprightTruth : public ::testing::TestWithParam<int> {
 protected:
  Sample cocoSample(int width, int height, const PixelBox& box) {
    writeTurned(folder / "images/1.jpg", rectangleImage(), GetParam());
    test::writeBytes(folder / "annotations/instances_val.json", cocoOf(width, height, box).dump());
    DatasetSpec spec = specOf(kCocoBoxes, folder.path());
    spec.measuredWhole = true;
    const auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
    return valueOrThrow(dataset->sample(0));
  }

  TemporaryFolder folder;
};

TEST_P(UprightTruth, CocosBoxesOfStoredPixelsTurn) {
  expectBoxed(cocoSample(kStoredWidth, kStoredHeight, kRectangle), "with a size");
  expectBoxed(cocoSample(0, 0, kRectangle), "without");
}

TEST_P(UprightTruth, CocosBoxesOfTheUprightImageStay) {
  if (!swapsHere(GetParam())) return;  // its size says nothing
  const Place first = seenAt(GetParam(), 6, 4), last = seenAt(GetParam(), 25, 12);
  const PixelBox upright{double(std::min(first.x, last.x)), double(std::min(first.y, last.y)), 9,
                         20};
  expectBoxed(cocoSample(kStoredHeight, kStoredWidth, upright), "upright");
}

TEST_P(UprightTruth, VocsBoxesTurn) {
  writeTurned(folder / "JPEGImages/a.jpg", rectangleImage(), GetParam());
  test::writeBytes(folder / "Annotations/a.xml",
                   "<annotation><filename>a.jpg</filename><size><width>48</width><height>32"
                   "</height><depth>3</depth></size><object><name>shape</name><bndbox><xmin>7"
                   "</xmin><ymin>5</ymin><xmax>26</xmax><ymax>13</ymax></bndbox></object>"
                   "</annotation>");
  DatasetSpec spec = specOf(kVocBoxes, folder.path());
  spec.measuredWhole = true;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
  expectBoxed(valueOrThrow(dataset->sample(0)), "VOC");
}

TEST_P(UprightTruth, BoxesTurnBack) {
  const ImageSize stored{kStoredWidth, kStoredHeight, GetParam()};
  const PixelBox there = uprightBox(kRectangle, stored), back = storedBox(there, stored);
  EXPECT_DOUBLE_EQ(back.x, kRectangle.x);
  EXPECT_DOUBLE_EQ(back.y, kRectangle.y);
  EXPECT_EQ(there.width == kRectangle.width, !swapsHere(GetParam()));
}

ClassImage seenClasses(const ClassImage& stored, int orientation) {
  ClassImage seen{swapsHere(orientation) ? stored.height : stored.width,
                  swapsHere(orientation) ? stored.width : stored.height, stored.classes};
  for (int row = 0; row < stored.height; ++row)
    for (int column = 0; column < stored.width; ++column) {
      const Place place = seenAt(orientation, column, row);
      seen.classes[std::size_t(place.y * seen.width + place.x)] =
          stored.classes[std::size_t(row * stored.width + column)];
    }
  return seen;
}

class UprightLabels : public UprightTruth {
 protected:
  Sample sampleWith(const ClassImage& label) {
    writeTurned(folder / "images/a.jpg", grid.image, GetParam());
    test::writeClassPng(folder / "labels/a.png", label);
    test::writeBytes(folder / "classes.txt", "0 a\n1 b\n2 c\n3 d\n");
    DatasetSpec spec = specOf(kSegmentFolder, folder.path());
    spec.measuredWhole = true;
    const auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
    return valueOrThrow(dataset->sample(0));
  }
  /// Colors of the pixels are those of their classes, but for the edges in a JPEG.
  void expectShown(const Sample& sample) {
    ASSERT_EQ(sample.segments.width, sample.image.width);
    ASSERT_EQ(sample.segments.height, sample.image.height);
    int same = 0, other = 0;
    for (int y = 0; y < sample.image.height; ++y)
      for (int x = 0; x < sample.image.width; ++x) {
        const int shown = test::shownClass(sample.image, x, y);
        const int label = sample.segments.classes[std::size_t(y * sample.image.width + x)];
        if (shown >= 0) ++(shown == label ? same : other);
      }
    EXPECT_EQ(other, 0);
    EXPECT_GT(same, kStoredWidth * kStoredHeight / 2);
  }

  const SegmentedImage grid = test::segmentedGrid(kStoredWidth, kStoredHeight, 8);
};

TEST_P(UprightLabels, LabelImagesOfStoredPixelsTurn) {
  const Sample sample = sampleWith(grid.segments);
  EXPECT_EQ(sample.segments.classes, seenClasses(grid.segments, GetParam()).classes);
  expectShown(sample);
}

TEST_P(UprightLabels, LabelImagesOfTheUprightImageStay) {
  if (!swapsHere(GetParam())) return;  // their size says nothing
  expectShown(sampleWith(seenClasses(grid.segments, GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Orientations, UprightTruth, ::testing::Range(1, 9));
INSTANTIATE_TEST_SUITE_P(Orientations, UprightLabels, ::testing::Range(1, 9));

}  // namespace
}  // namespace headlight
