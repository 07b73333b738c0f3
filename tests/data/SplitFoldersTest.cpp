// SPDX-License-Identifier: GPL-3.0-or-later

// Which folders are splits, by every usual name; what is used and what is not is said.

#include "core/data/files/SplitFolders.h"

#include <gtest/gtest.h>

#include "core/data/DataNotes.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::hasText;
using test::specOf;
using test::TemporaryFolder;
using test::writeClasses;
using Names = std::vector<std::string>;

std::string allNotes(const fs::path& root) {
  const auto spec = specOf("image-folder", root);
  std::string text;
  for (const std::string& note :
       describeSplits(*valueOrThrow(openDataset(spec, Split::Train)),
                      *valueOrThrow(openDataset(spec, Split::Validation))))
    text += note + "\n";
  return text;
}

std::string whyNot(const fs::path& root, Split split = Split::Train) {
  const auto dataset = openDataset(specOf("image-folder", root), split);
  return dataset.ok() ? "" : dataset.error().text();
}

TEST(SplitFolders, HaveEveryUsualNameInAnyCase) {
  for (const std::string train : {"train", "Train", "TRAIN", "training", "Training"})
    for (const std::string other :
         {"val", "Val", "VAL", "valid", "Valid", "validation", "Validation", "test", "Test",
          "testing", "Testing", "TESTING"}) {
      const TemporaryFolder folder;
      writeClasses(folder / train, {"cat", "dog", "fox"}, 3);
      writeClasses(folder / other, {"cat", "dog", "fox"}, 2);
      const auto spec = specOf("image-folder", folder.path());
      const auto training = openDataset(spec, Split::Train);
      const auto validation = openDataset(spec, Split::Validation);
      ASSERT_TRUE(training.ok()) << train << " " << training.error().text();
      ASSERT_TRUE(validation.ok()) << other << " " << validation.error().text();
      EXPECT_EQ((*training)->size(), 9) << train << " " << other;
      EXPECT_EQ((*validation)->size(), 6) << train << " " << other;
      EXPECT_EQ((*training)->classNames(), (Names{"cat", "dog", "fox"}));
      EXPECT_EQ(detectDatasetKind(folder.path()), "image-folder");
      const std::string notes = allNotes(folder.path());
      const bool plain = train == "train" && other.starts_with("val");
      EXPECT_EQ(notes.empty(), plain) << notes;
      EXPECT_EQ(hasText(notes, train + "/ is the training"), train != "train") << notes;
    }
}

TEST(SplitFolders, MaySayWhatTheyAreOf) {
  for (const auto& [train, test] : {std::pair{"training_set", "test_set"},
                                    {"trainset", "testset"},
                                    {"Train Images", "Test Images"},
                                    {"train-data", "val-data"}}) {
    const TemporaryFolder folder;
    writeClasses(folder / train, {"cat", "dog"}, 3);
    writeClasses(folder / test, {"cat", "dog"}, 2);
    const auto spec = specOf("image-folder", folder.path());
    EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 6) << train;
    EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 4) << test;
  }
  for (const std::string name : {"images", "data", "dataset", "set", "retrain", "contest"})
    EXPECT_FALSE(isSplitName(name)) << name;
}

TEST(SplitFolders, SayWhichOfThemIsUsed) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 3);
  writeClasses(folder / "test", {"a", "b"}, 2);
  EXPECT_TRUE(hasText(allNotes(folder.path()), "test/ is the validation split"));
  writeClasses(folder / "Val", {"a", "b"}, 1);
  writeClasses(folder / "annotations", {"a"}, 1);
  const std::string notes = allNotes(folder.path());
  EXPECT_TRUE(hasText(notes, "Val/ is the validation split")) << notes;
  EXPECT_TRUE(hasText(notes, "test/, annotations/ are not used")) << notes;
  EXPECT_EQ(
      valueOrThrow(openDataset(specOf("image-folder", folder.path()), Split::Validation))->size(),
      2);
}

TEST(SplitFolders, TwoThatClaimOneSplitAreRefused) {
  for (const auto& [first, second] :
       {std::pair{"train", "Training"}, {"val", "validation"}, {"Test", "testing"}}) {
    const TemporaryFolder folder;
    writeClasses(folder / "train", {"a", "b"}, 2);
    writeClasses(folder / first, {"a", "b"}, 2);
    writeClasses(folder / second, {"a", "b"}, 2);
    for (const Split split : {Split::Train, Split::Validation}) {
      const std::string message = whyNot(folder.path(), split);
      EXPECT_TRUE(hasText(message, first) && hasText(message, second)) << message;
      EXPECT_TRUE(hasText(message, "both claim")) << message;
    }
    EXPECT_TRUE(whyNoDataset(folder.path(), /*asked=*/false).has_value());
  }
}

TEST(SplitFolders, WithoutTrainingServeEvaluationAlone) {
  const TemporaryFolder folder;
  writeClasses(folder / "Val", {"a", "b"}, 2);
  writeClasses(folder / "Test", {"a", "b"}, 1);
  const auto spec = specOf("image-folder", folder.path());
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 4);
  EXPECT_TRUE(hasText(whyNot(folder.path()), "no train/"));
}

TEST(SplitFolders, AClassMayBeCalledAsASplit) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"Bus", "Car", "Train"}, 3);
  const auto dataset =
      valueOrThrow(openDataset(specOf("image-folder", folder.path()), Split::Train));
  EXPECT_EQ(dataset->classNames(), (Names{"Bus", "Car", "Train"}));
  EXPECT_TRUE(hasText(allNotes(folder.path()), "Train/ is a class"));
  const TemporaryFolder second;
  writeClasses(second.path(), {"quiz", "test"}, 3);
  EXPECT_EQ(
      valueOrThrow(openDataset(specOf("image-folder", second.path()), Split::Train))->classNames(),
      (Names{"quiz", "test"}));
}

TEST(SplitFolders, WhatMayBeEitherIsRefused) {
  const TemporaryFolder beside;  // val/ holds the classes that lie beside it
  writeClasses(beside.path(), {"cat", "dog"}, 2);
  writeClasses(beside / "val", {"cat", "dog"}, 2);
  EXPECT_TRUE(hasText(whyNot(beside.path()), "may be a split or a class"));
  const TemporaryFolder holdout;  // splits, one of them of no known name
  writeClasses(holdout / "Train", {"cat", "dog"}, 2);
  writeClasses(holdout / "holdout", {"cat", "dog"}, 2);
  EXPECT_TRUE(hasText(whyNot(holdout.path()), "may be a split or a class"));
  const TemporaryFolder flat;
  writeClasses(flat / "Train", {"cat", "dog"}, 2);
  writeClasses(flat.path(), {"predictions"}, 2);
  EXPECT_TRUE(hasText(whyNot(flat.path()), "predictions/"));
}

TEST(SplitFolders, AClassWithoutValidationIsSaid) {
  for (const bool empty : {false, true}) {
    const TemporaryFolder folder;
    writeClasses(folder / "train", {"cat", "dog", "fox"}, 3);
    writeClasses(folder / "val", {"cat"}, 2);
    writeClasses(folder / "val", {"fox"}, 2);
    if (empty) fs::create_directories(folder / "val/dog");
    const auto spec = specOf("image-folder", folder.path());
    const auto validation = openDataset(spec, Split::Validation);
    ASSERT_TRUE(validation.ok()) << validation.error().text();
    ASSERT_EQ((*validation)->size(), 4);
    EXPECT_EQ((*validation)->classNames(), (Names{"cat", "dog", "fox"}));
    EXPECT_EQ(valueOrThrow((*validation)->sample(0)).label, 0);
    EXPECT_EQ(valueOrThrow((*validation)->sample(2)).label, 2) << "fox stays the third class";
    const std::string notes = allNotes(folder.path());
    EXPECT_TRUE(hasText(notes, "no images of dog")) << notes;
    EXPECT_EQ(detectDatasetKind(folder.path()), "image-folder");
  }
}

TEST(SplitFolders, AClassWithoutTrainingIsRefused) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"cat", "dog"}, 3);
  writeClasses(folder / "val", {"cat", "dog", "fox"}, 2);
  for (const Split split : {Split::Train, Split::Validation})
    EXPECT_TRUE(hasText(whyNot(folder.path(), split), "an additional fox"));
  const TemporaryFolder hollow;
  writeClasses(hollow / "train", {"cat", "dog"}, 3);
  fs::create_directories(hollow / "val/cat");
  EXPECT_TRUE(hasText(whyNot(hollow.path(), Split::Validation), "no readable image"));
}

TEST(SplitFolders, ImagesWithoutClassFoldersAreNamed) {
  const TemporaryFolder flat;
  writeClasses(flat / "train", {"n01", "n02"}, 2);
  writeClasses(flat.path(), {"val"}, 3);
  test::writeBytes(flat / "LOC_val_solution.csv", "ImageId,PredictionString\n");
  const std::string message = whyNot(flat.path());
  for (const std::string part :
       {"val", "holds 3 images and no class folders", "LOC_val_solution.csv", "as in train/"})
    EXPECT_TRUE(hasText(message, part)) << message;
  EXPECT_EQ(detectDatasetKind(flat.path()), "");
  const auto why = whyNoDataset(flat.path(), /*asked=*/false);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->text(), message);

  const TemporaryFolder table;
  writeClasses(table.path(), {"train", "test"}, 3);
  test::writeBytes(table / "train/metadata.csv", "file_name,label\n");
  EXPECT_TRUE(hasText(whyNot(table.path()), "train/metadata.csv")) << whyNot(table.path());
  EXPECT_TRUE(hasText(whyNot(table.path()), "named after its class"));
}

TEST(SplitFolders, ParquetIsNamedWithTheWayOut) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "data/train-00000-of-00001.parquet", "PAR1");
  test::writeBytes(folder / "README.md", "x");
  EXPECT_TRUE(hasText(whyNot(folder.path()), "data/train-00000-of-00001.parquet"));
  EXPECT_TRUE(hasText(whyNot(folder.path()), "in Python, write the images"));
  EXPECT_TRUE(hasText(whyNoDataset(folder.path(), /*asked=*/true)->text(), "Parquet"));
}

TEST(WhyNoDataset, AppliesOnlyToIntendedDatasets) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"album"}, 2);
  EXPECT_FALSE(whyNoDataset(folder.path(), /*asked=*/false).has_value()) << "images alone";
  const auto asked = whyNoDataset(folder.path(), /*asked=*/true);
  ASSERT_TRUE(asked.has_value());
  EXPECT_TRUE(hasText(asked->text(), "single class folder"));
  EXPECT_TRUE(whyNoDataset(folder / "missing", /*asked=*/true).has_value());
  writeClasses(folder.path(), {"second"}, 2);
  EXPECT_FALSE(whyNoDataset(folder.path(), /*asked=*/true).has_value());
}

TEST(WhyNoDataset, NamesArchives) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> archives = {
      {std::string("PK\x03\x04") + std::string(40, '\0'), "ZIP archive"},
      {std::string("\x1f\x8b\x08") + std::string(40, '\0'), "gzip archive"},
      {std::string("PAR1") + std::string(40, '\0'), "Parquet"}};
  for (const auto& [bytes, name] : archives) {
    test::writeBytes(folder / "classes.zip", bytes);
    for (const std::string kind : {"image-folder", "cifar10", "idx", "webdataset"}) {
      const auto opened = openDataset(specOf(kind, folder / "classes.zip"), Split::Train);
      ASSERT_FALSE(opened.ok());
      EXPECT_TRUE(hasText(opened.error().text(), name)) << opened.error().text();
    }
    EXPECT_TRUE(hasText(whyNoDataset(folder / "classes.zip", true)->text(), name));
  }
  test::writeBytes(folder / "notes.txt", "text");
  EXPECT_TRUE(hasText(whyNot(folder / "notes.txt"), "write \"path label\""));
  test::writeBytes(folder / "notes.doc", "text");
  EXPECT_TRUE(hasText(whyNot(folder / "notes.doc"), "is a file, not a folder"));
}

TEST(MeasuredWhole, TakesAllOfAPlaceWithoutASplit) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b", "c"}, 3);
  auto spec = specOf("image-folder", folder.path());
  const auto share = valueOrThrow(openDataset(spec, Split::Validation));
  EXPECT_EQ(share->size(), 3);
  EXPECT_TRUE(hasText(share->notes().at(0), "3 of its 9 images are kept for validation"));
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->notes(), share->notes());
  spec.measuredWhole = true;
  const auto whole = valueOrThrow(openDataset(spec, Split::Validation));
  ASSERT_EQ(whole->size(), 9);
  for (std::int64_t i = 0; i < 9; ++i)
    EXPECT_EQ(valueOrThrow(whole->sample(i)).label, i / 3);
  EXPECT_TRUE(hasText(whole->notes().at(0), "all of it is used for validation (9 images)"));
  spec.maxValidationSamples = 6;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 6);
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 6) << "training shares out";
}

TEST(MeasuredWhole, LeavesSplitsAsTheyAre) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 3);
  writeClasses(folder / "val", {"a", "b"}, 2);
  auto spec = specOf("image-folder", folder.path());
  spec.measuredWhole = true;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 4);
}

}  // namespace
}  // namespace headlight
