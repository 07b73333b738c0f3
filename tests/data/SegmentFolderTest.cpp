// SPDX-License-Identifier: GPL-3.0-or-later

// Folders of images with label images as datasets, and files that are not as they should be.

#include "core/data/segments/SegmentFolder.h"

#include <gtest/gtest.h>

#include "core/data/Export.h"
#include "core/data/segments/Ade20kFolder.h"
#include "core/data/segments/SegmentLabels.h"
#include "core/data/segments/SegmentTable.h"
#include "tests/data/SegmentSupport.h"

namespace headlight {
namespace {

using test::hasText;
using test::specOf;
using test::writeGrid;

constexpr const char* kFourClasses = "0 sky\n1 big tree 10 20 30\n2 sea\n3 void\n";

std::string allNotes(const Dataset& dataset) {
  std::string notes;
  for (const std::string& note : dataset.notes())
    notes += note + "\n";
  return notes;
}

class SegmentFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"train/a", "train/b", "val/c"})
      writeGrid(folder / "images", folder / "labels", name);
    test::writeBytes(folder / "classes.txt", kFourClasses);
  }
  Result<std::unique_ptr<Dataset>> tryOpen(Split split,
                                           const std::string& kind = kSegmentFolder) const {
    return openDataset(specOf(kind, folder.path()), split);
  }
  std::unique_ptr<Dataset> open(Split split, const std::string& kind = kSegmentFolder) const {
    return valueOrThrow(tryOpen(split, kind));
  }
  std::string refusal(Split split, const std::string& kind = kSegmentFolder) const {
    const auto opened = tryOpen(split, kind);
    return opened.ok() ? "was opened" : opened.error().text();
  }

  TemporaryFolder folder;
};

TEST_F(SegmentFolderTest, HasAClassForEveryPixelAndSplits) {
  EXPECT_EQ(detectDatasetKind(folder.path()), kSegmentFolder);
  const auto train = open(Split::Train), validation = open(Split::Validation);
  EXPECT_TRUE(train->hasSegments());
  EXPECT_FALSE(train->hasBoxes());
  EXPECT_EQ(train->classNames(), (std::vector<std::string>{"sky", "big tree", "sea"}));
  ASSERT_EQ(train->classColors().size(), 3u);
  EXPECT_EQ(train->classColors()[1], (ClassColor{10, 20, 30}));
  EXPECT_EQ(train->size(), 2);
  EXPECT_EQ(validation->size(), 1);
  const Sample sample = valueOrThrow(train->sample(1));
  ASSERT_EQ(sample.segments.width, 24);
  ASSERT_EQ(sample.segments.height, 16);
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 24; ++x) {
      const int label = test::gridClass(x, y, 4);
      EXPECT_EQ(sample.segments.classes[std::size_t(y) * 24 + x],
                label == 3 ? int{kIgnoredClass} : label);
    }
  EXPECT_EQ(valueOrThrow(train->part(1, {})).segments.classes, sample.segments.classes);
}

TEST_F(SegmentFolderTest, WithoutSplitsItIsSharedOut) {
  std::filesystem::remove_all(folder / "images/val");
  DatasetSpec spec = specOf(kSegmentFolder, folder.path());
  spec.validationFraction = 0.5;
  const auto train = valueOrThrow(openDataset(spec, Split::Train));
  EXPECT_EQ(train->size(), 1);
  EXPECT_TRUE(train->hasSegments()) << "a subset has what its source has";
  EXPECT_EQ(train->classColors().size(), 3u);
  EXPECT_TRUE(hasText(allNotes(*train), "1 of its 2 images are kept for validation ("))
      << allNotes(*train);
}

TEST_F(SegmentFolderTest, AMissingTableSaysWhatIsExpected) {
  std::filesystem::remove(folder / "classes.txt");
  EXPECT_TRUE(hasText(refusal(Split::Train), "classes.txt or classes.csv"))
      << refusal(Split::Train);
  EXPECT_TRUE(hasText(refusal(Split::Train), "index, name, red, green, blue"));
  EXPECT_NE(detectDatasetKind(folder.path()), kSegmentFolder);
}

TEST_F(SegmentFolderTest, MissingLabelsAreCountedAndUnusedOnesNoted) {
  std::filesystem::remove(folder / "labels/train/b.png");
  EXPECT_TRUE(
      hasText(refusal(Split::Train), "label images of 1 of 2 images missing (the first: b.png"))
      << refusal(Split::Train);
  std::filesystem::remove(folder / "images/train/b.png");
  std::filesystem::copy(folder / "labels/train/a.png", folder / "labels/train/z.png");
  test::writeBytes(folder / "images/train/readme.rtf", "hello");
  const std::string notes = allNotes(*open(Split::Train));
  EXPECT_TRUE(hasText(notes, "1 label image has no image")) << notes;
  EXPECT_TRUE(hasText(notes, ".rtf")) << notes;
}

TEST_F(SegmentFolderTest, TwoImagesOfOneNameAreRefused) {
  std::filesystem::copy(folder / "images/train/a.png", folder / "images/train/a.jpg");
  EXPECT_TRUE(hasText(refusal(Split::Train), "has the same name")) << refusal(Split::Train);
}

TEST_F(SegmentFolderTest, LabelsOfAnotherSizeAndUnknownNumbersAreErrorsOfTheirSample) {
  test::writeClassPng(folder / "labels/train/a.png", {2, 2, {0, 1, 2, 3}});
  ClassImage unknown{24, 16, std::vector<std::uint8_t>(24 * 16, 1)};
  unknown.classes[2 * 24 + 5] = 77;
  test::writeClassPng(folder / "labels/train/b.png", unknown);
  const auto train = open(Split::Train);
  const auto small = train->sample(0), other = train->sample(1);
  ASSERT_FALSE(small.ok() || other.ok());
  EXPECT_TRUE(hasText(small.error().text(), "has 2 x 2 pixels, but its image has 24 x 16"))
      << small.error().text();
  EXPECT_TRUE(hasText(other.error().text(), "the number 77 at (5, 2)")) << other.error().text();
}

TEST_F(SegmentFolderTest, ColorsMeanClassesByTheTable) {
  test::writeBytes(folder / "classes.txt",
                   "index,name,red,green,blue\n4,a,250,0,0\n5,b,0,250,0\n6,c,0,0,250\n"
                   "9,void,250,250,250\n");
  const SegmentedImage grid = test::segmentedGrid(24, 16, 4);
  test::writePng(folder / "labels/train/a.png", grid.image);
  const auto train = open(Split::Train);
  const Sample sample = valueOrThrow(train->sample(0));
  for (std::size_t i = 0; i < grid.segments.classes.size(); ++i)
    EXPECT_EQ(sample.segments.classes[i],
              grid.segments.classes[i] == 3 ? kIgnoredClass : grid.segments.classes[i]);
  test::writePng(folder / "labels/train/a.png", test::solidImage(24, 16, {1, 2, 3}));
  EXPECT_TRUE(hasText(train->sample(0).error().text(), "the color (1, 2, 3) at (0, 0)"));
  test::writeBytes(folder / "classes.txt", "0,a\n1,b\n");
  EXPECT_TRUE(
      hasText(open(Split::Train)->sample(0).error().text(), "colors or transparency in place"));
}

TEST_F(SegmentFolderTest, AnExportOpensAsTheSameDataset) {
  DatasetSpec spec;
  spec.kind = kTextureSegments;
  spec.imageSize = 32;
  spec.trainSamples = 5;
  spec.validationSamples = 3;
  const auto report = writeImageFolders(spec, folder / "out");
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->written, 8);
  EXPECT_EQ(detectDatasetKind(folder / "out"), kSegmentFolder);
  for (const Split split : {Split::Train, Split::Validation}) {
    const auto drawn = valueOrThrow(openDataset(spec, split));
    const auto read = valueOrThrow(openDataset(specOf(kSegmentFolder, folder / "out"), split));
    EXPECT_EQ(read->classNames(), drawn->classNames());
    EXPECT_EQ(read->classColors(), drawn->classColors());
    ASSERT_EQ(read->size(), drawn->size());
    for (std::int64_t i = 0; i < drawn->size(); ++i) {
      const Sample a = valueOrThrow(drawn->sample(i)), b = valueOrThrow(read->sample(i));
      EXPECT_EQ(*a.image.pixels, *b.image.pixels);
      EXPECT_EQ(a.segments.classes, b.segments.classes);
    }
  }
  EXPECT_FALSE(
      writeImageFolder(*valueOrThrow(openDataset(spec, Split::Train)), folder / "no").ok());
}

TEST_F(SegmentFolderTest, Ade20kCountsFromOneAndIgnoresZero) {
  std::filesystem::remove_all(folder.path() / "images");
  std::filesystem::remove(folder / "classes.txt");
  for (const std::string split : {"training/", "validation/"})
    writeGrid(folder / "images", folder / "annotations", split + "ADE_1");
  EXPECT_EQ(detectDatasetKind(folder.path()), kAde20k);
  const auto train = open(Split::Train, kAde20k);
  ASSERT_EQ(train->classNames().size(), 150u);
  EXPECT_EQ(train->classNames().front(), "wall");
  EXPECT_EQ(train->classNames().back(), "flag");
  EXPECT_TRUE(hasText(allNotes(*train), "that this program knows"));
  const Sample sample = valueOrThrow(train->sample(0));
  for (int x = 0; x < 24; ++x) {
    const int number = test::gridClass(x, 0, 4);
    EXPECT_EQ(sample.segments.classes[std::size_t(x)],
              number == 0 ? int{kIgnoredClass} : number - 1);
  }
  test::writeClassPng(folder / "annotations/training/ADE_1.png",
                      {24, 16, std::vector<std::uint8_t>(24 * 16, 151)});
  EXPECT_TRUE(hasText(train->sample(0).error().text(), "the number 151"));
}

TEST_F(SegmentFolderTest, CityscapesReadsBothKindsOfIds) {
  const auto write = [&](const std::string& split, const std::string& ending, int number) {
    test::writePng(folder / ("leftImg8bit/" + split + "/ulm/u_1_leftImg8bit.png"),
                   test::solidImage(4, 2, {9, 9, 9}));
    test::writeClassPng(folder / ("gtFine/" + split + "/ulm/u_1_gtFine_" + ending + ".png"),
                        {4, 2, std::vector<std::uint8_t>(8, static_cast<std::uint8_t>(number))});
  };
  write("train", "labelTrainIds", 18);
  write("train", "labelIds", 33);
  write("val", "labelIds", 33);
  EXPECT_EQ(detectDatasetKind(folder.path()), kCityscapes);
  for (const Split split : {Split::Train, Split::Validation}) {
    const auto dataset = open(split, kCityscapes);
    ASSERT_EQ(dataset->classNames().size(), 19u);
    EXPECT_EQ(dataset->classNames()[18], "bicycle");
    EXPECT_EQ(valueOrThrow(dataset->sample(0)).segments.classes, std::vector<std::uint8_t>(8, 18));
  }
  write("val", "labelIds", 6);
  EXPECT_EQ(valueOrThrow(open(Split::Validation, kCityscapes)->sample(0)).segments.classes,
            std::vector<std::uint8_t>(8, kIgnoredClass));
  EXPECT_TRUE(hasText(allNotes(*open(Split::Validation, kCityscapes)), "labelIds are read"));
}

std::string tableRefusal(const std::string& text) {
  const auto read =
      guarded("", [&] { return segmentClasses(segmentTableFromText(text, "classes.txt")); });
  return read.ok() ? "was read" : read.error().text();
}

TEST(SegmentTable, BadRowsAreNamed) {
  EXPECT_TRUE(hasText(tableRefusal("0,a\n1\n"), "line 2: has 1 columns"));
  EXPECT_TRUE(hasText(tableRefusal("0,a\n1,b,3,4\n"), "line 2: has 4 columns"));
  EXPECT_TRUE(hasText(tableRefusal("0,a\nx,b\n"), "\"x\" is no index"));
  EXPECT_TRUE(hasText(tableRefusal("0,a,0,0,256\n"), "\"256\" is no part of a color"));
  EXPECT_TRUE(hasText(tableRefusal("0,a\n0,b\n"), "the number 0 twice"));
  EXPECT_TRUE(hasText(tableRefusal("0,a\n1,a\n"), "the class a twice"));
  EXPECT_TRUE(hasText(tableRefusal("0,a,1,2,3\n1,b,1,2,3\n"), "two classes the color"));
  EXPECT_TRUE(hasText(tableRefusal("65536,a\n"), "0 to 65535"));
  EXPECT_TRUE(hasText(tableRefusal("0,\xff\n"), "not UTF-8"));
  EXPECT_TRUE(hasText(tableRefusal("0,void\n"), "lists no classes"));
  std::string many;
  for (int i = 0; i < 256; ++i)
    many += std::to_string(i) + ",c" + std::to_string(i) + "\n";
  EXPECT_TRUE(hasText(tableRefusal(many), "lists 256 classes; at most 255"));
}

TEST(SegmentTable, NamesOfADevelopmentKitAreTheFirstThatDiffer) {
  std::string text = "Idx\tRatio\tTrain\tVal\tStuff\tName\n";
  for (int i = 1; i <= 150; ++i)
    text += std::to_string(i) + "\t0.1\t1\t1\t0\tthing " + std::to_string(i) + ", item\n";
  const auto names = ade20kNamesFromText(text, "objectInfo150.txt");
  EXPECT_EQ(names[0], "thing 1");
  EXPECT_EQ(names[149], "thing 150");
  const auto cut =
      guarded("", [&] { ade20kNamesFromText(text.substr(0, text.size() - 30), "info"); });
  ASSERT_FALSE(cut.ok());
  EXPECT_TRUE(hasText(cut.error().text(), "150")) << cut.error().text();
}

}  // namespace
}  // namespace headlight
