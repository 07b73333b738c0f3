// SPDX-License-Identifier: GPL-3.0-or-later

// COCO's folders as datasets.

#include "core/data/boxes/CocoFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/data/BoxFiles.h"
#include "core/data/Export.h"
#include "tests/data/BoxSupport.h"

namespace headlight {
namespace {

using nlohmann::json;
using test::hasText;
using test::specOf;

json categoryList(const std::string& first = "cat") {
  return {{{"id", 20}, {"name", "dog"}}, {{"id", 3}, {"name", first}}};
}

json annotation(int id, int image, json box, double area, int crowd = 0, int category = 20) {
  return {{"id", id},    {"image_id", image}, {"category_id", category},
          {"bbox", box}, {"area", area},      {"iscrowd", crowd}};
}

/// Images 1 … count of 40 × 30, named 1.png …; boxes of all kinds.
json cocoSplit(int count) {
  json images = json::array();
  for (int id = 1; id <= count; ++id)
    images.push_back(
        {{"id", id}, {"file_name", std::to_string(id) + ".png"}, {"width", 40}, {"height", 30}});
  return {{"images", images},
          {"categories", categoryList()},
          {"annotations",
           {annotation(1, 1, {4, 5, 10, 12}, 100), annotation(2, 1, {0, 0, 30, 30}, 900, 1),
            annotation(3, 2, {1, 1, 5, 5}, 0), annotation(4, 3, {30, 20, 20, 20}, 300, 0, 3)}}};
}

void writeJson(const std::filesystem::path& path, const json& text) {
  test::writeBytes(path, text.dump());
}

void writeImages(const std::filesystem::path& folder, int count) {
  for (int id = 1; id <= count; ++id)
    test::writePng(folder / (std::to_string(id) + ".png"), test::gradientImage(40, 30));
}

class CocoFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    writeJson(folder / "annotations/instances_train2017.json", cocoSplit(4));
    writeJson(folder / "annotations/instances_val2017.json", cocoSplit(3));
    writeJson(folder / "annotations/captions_train2017.json", {{"images", json::array()}});
    writeImages(folder / "train2017", 4);
    writeImages(folder / "val2017", 3);
  }
  std::string refusalOf(const DatasetSpec& spec, Split split) const {
    const auto opened = openDataset(spec, split);
    return opened.ok() ? "was opened" : opened.error().text();
  }

  TemporaryFolder folder;
};

TEST_F(CocoFolderTest, TrainingLeavesOutImagesWithoutBoxesThatTeach) {
  EXPECT_EQ(detectDatasetKind(folder.path()), kCocoBoxes);
  const auto train = valueOrThrow(openDataset(specOf(kCocoBoxes, folder.path()), Split::Train));
  EXPECT_TRUE(train->hasBoxes());
  EXPECT_EQ(train->classNames(), (std::vector<std::string>{"cat", "dog"})) << "by id";
  ASSERT_EQ(train->size(), 2) << "image 2 has a box without area, image 4 none";
  const Sample first = valueOrThrow(train->sample(0));
  ASSERT_EQ(first.boxes.size(), 2u) << "the crowd is there; the loader leaves it out";
  EXPECT_EQ(first.boxes[0].box, (PixelBox{4, 5, 10, 12}));
  EXPECT_EQ(first.boxes[0].label, 1);
  EXPECT_EQ(first.boxes[0].area, 100);
  EXPECT_TRUE(first.boxes[1].crowd);
  EXPECT_EQ(train->describe(1), (folder / "train2017/3.png").string());
  ASSERT_FALSE(train->notes().empty());
  EXPECT_TRUE(hasText(train->notes().back(), "2 images have no box to learn from"))
      << train->notes().back();
}

TEST_F(CocoFolderTest, ValidationHasAllImagesWithAllBoxes) {
  const auto validation =
      valueOrThrow(openDataset(specOf(kCocoBoxes, folder.path()), Split::Validation));
  ASSERT_EQ(validation->size(), 3);
  EXPECT_EQ(valueOrThrow(validation->sample(0)).boxes.size(), 2u);
  EXPECT_EQ(valueOrThrow(validation->sample(1)).boxes.size(), 1u);
  const LabeledBox beyond = valueOrThrow(validation->sample(2)).boxes.at(0);
  EXPECT_EQ(beyond.box, (PixelBox{30, 20, 20, 20})) << "as pycocotools counts it";
  const std::vector<std::string> notes = validation->notes();
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return hasText(note, "reaches beyond its image");
  }));
}

TEST_F(CocoFolderTest, OneFileIsSharedOutAndNeverBothSplits) {
  const TemporaryFolder single;
  writeJson(single / "annotations/trainval.json", [] {
    json all = cocoSplit(20);
    for (int id = 5; id <= 20; ++id)
      all["annotations"].push_back(annotation(id, id, {2, 2, 8, 8}, 64));
    return all;
  }());
  writeImages(single / "images", 20);
  for (const auto& path : {single.path(), single / "annotations/trainval.json"}) {
    DatasetSpec spec = specOf(kCocoBoxes, path);
    spec.validationFraction = 0.25;
    const auto train = valueOrThrow(openDataset(spec, Split::Train));
    const auto validation = valueOrThrow(openDataset(spec, Split::Validation));
    EXPECT_EQ(validation->size(), 5);
    std::set<std::string> seen;
    for (const Dataset* split : {train.get(), validation.get()})
      for (std::int64_t i = 0; i < split->size(); ++i)
        EXPECT_TRUE(seen.insert(split->describe(i)).second) << "in both splits";
    EXPECT_LE(train->size(), 15);
    EXPECT_TRUE(hasText(validation->notes().back(), "5 of its 20 images are kept for validation"))
        << validation->notes().back();
    spec.measuredWhole = true;
    EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 20);
  }
}

TEST_F(CocoFolderTest, MissingImagesAreCounted) {
  std::filesystem::remove(folder / "train2017/3.png");
  std::filesystem::remove(folder / "train2017/4.png");
  const std::string refusal = refusalOf(specOf(kCocoBoxes, folder.path()), Split::Train);
  EXPECT_TRUE(hasText(refusal, "2 of 4 images are missing (3.png)")) << refusal;
  EXPECT_FALSE(hasText(refusal, "--image-folder")) << refusal;
}

TEST_F(CocoFolderTest, SplitsMustHaveTheSameCategories) {
  json other = cocoSplit(3);
  other["categories"] = categoryList("lion");
  writeJson(folder / "annotations/instances_val2017.json", other);
  const std::string refusal = refusalOf(specOf(kCocoBoxes, folder.path()), Split::Validation);
  EXPECT_TRUE(hasText(refusal, "other categories than instances_train2017.json")) << refusal;
}

TEST_F(CocoFolderTest, SeveralFilesForASplitAreRefused) {
  writeJson(folder / "annotations/instances_train2014.json", cocoSplit(2));
  const std::string refusal = refusalOf(specOf(kCocoBoxes, folder.path()), Split::Train);
  EXPECT_TRUE(hasText(refusal, "several files of annotations")) << refusal;
  EXPECT_TRUE(hasText(refusal, "instances_train2014.json")) << refusal;
}

TEST_F(CocoFolderTest, AnImageOfAnotherSizeIsAnErrorOfItsSample) {
  test::writePng(folder / "val2017/2.png", test::gradientImage(30, 40));
  const auto validation =
      valueOrThrow(openDataset(specOf(kCocoBoxes, folder.path()), Split::Validation));
  EXPECT_TRUE(validation->sample(0).ok());
  const auto damaged = validation->sample(1);
  ASSERT_FALSE(damaged.ok());
  EXPECT_TRUE(hasText(damaged.error().text(), "30 x 40 pixels")) << damaged.error().text();
}

TEST_F(CocoFolderTest, OnlyCrowdsTeachNothing) {
  json crowds = cocoSplit(4);
  crowds["annotations"] = {annotation(1, 1, {4, 5, 10, 12}, 100, 1)};
  writeJson(folder / "annotations/instances_train2017.json", crowds);
  const std::string refusal = refusalOf(specOf(kCocoBoxes, folder.path()), Split::Train);
  EXPECT_TRUE(hasText(refusal, "no image has a box that can be learned from")) << refusal;
}

TEST_F(CocoFolderTest, StampsNoticeOtherAnnotations) {
  const auto spec = specOf(kCocoBoxes, folder.path());
  const std::string before = valueOrThrow(openDataset(spec, Split::Train))->stamp();
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->stamp(), before);
  json other = cocoSplit(4);
  other["annotations"][0]["bbox"] = {4, 5, 10, 13.5};
  writeJson(folder / "annotations/instances_train2017.json", other);
  EXPECT_NE(valueOrThrow(openDataset(spec, Split::Train))->stamp(), before);
}

TEST_F(CocoFolderTest, FoldersWithoutAnnotationsAreRefused) {
  const TemporaryFolder empty;
  const std::string refusal = refusalOf(specOf(kCocoBoxes, empty.path()), Split::Train);
  EXPECT_TRUE(hasText(refusal, "no annotations in COCO's JSON")) << refusal;
}

TEST_F(CocoFolderTest, NoImagesAreRefused) {
  writeJson(
      folder / "annotations/instances_val2017.json",
      {{"images", json::array()}, {"annotations", json::array()}, {"categories", categoryList()}});
  const std::string refusal = refusalOf(specOf(kCocoBoxes, folder.path()), Split::Validation);
  EXPECT_TRUE(hasText(refusal, "lists no images")) << refusal;
}

TEST_F(CocoFolderTest, ClassFoldersAreNotMadeOfIt) {
  const TemporaryFolder target;
  const auto written = writeImageFolders(specOf(kCocoBoxes, folder.path()), target / "out");
  ASSERT_FALSE(written.ok());
  EXPECT_TRUE(hasText(written.error().text(), "class folders cannot hold boxes"));
}

}  // namespace
}  // namespace headlight
