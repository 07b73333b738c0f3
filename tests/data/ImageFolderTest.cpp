// SPDX-License-Identifier: GPL-3.0-or-later

// Folders of class folders: order, splits, what is passed over, and what is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/data/files/NaturalOrder.h"
#include "tests/data/Refusals.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::specOf;
using test::TemporaryFolder;
using test::writeClasses;

TEST(NaturalOrder, SortsAsTimmDoes) {
  // The order of Python's sorted(key=natural_key) as timm defines it.
  const std::vector<std::string> expected = {"01",    "1a",    "9",   "10",    "_z",  "a",
                                             "a1",    "A1x",   "a 1", "apple", "B",   "c1b2",
                                             "c01b3", "c1b10", "N2",  "n9",    "n10", "Zebra"};
  std::vector<std::string> names = expected;
  std::sort(names.begin(), names.end());
  ASSERT_NE(names, expected);
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return naturalLess(a, b); });
  EXPECT_EQ(names, expected);
}

TEST(NaturalOrder, IsStrictAndHandlesEndlessNumbers) {
  const std::string longNumber(400, '9');
  EXPECT_TRUE(naturalLess("x" + longNumber, "x1" + longNumber));
  EXPECT_FALSE(naturalLess("a1", "a1"));
  EXPECT_NE(naturalLess("a01", "a1"), naturalLess("a1", "a01"));
  EXPECT_NE(naturalLess("A", "a"), naturalLess("a", "A"));
  EXPECT_TRUE(naturalLess("", "a"));
}

TEST(ImageFolder, ReadsTrainAndEveryNameOfValidation) {
  for (const std::string name : {"val", "validation", "valid", "test"}) {
    const TemporaryFolder folder;
    writeClasses(folder / "train", {"class10", "class9", "Class1"}, 4);
    writeClasses(folder / name, {"class10", "class9", "Class1"}, 2);
    const auto train = openDataset(specOf("image-folder", folder.path()), Split::Train);
    const auto validation = openDataset(specOf("image-folder", folder.path()), Split::Validation);
    ASSERT_TRUE(train.ok()) << train.error().text();
    ASSERT_TRUE(validation.ok()) << validation.error().text();
    EXPECT_EQ((*train)->size(), 12);
    EXPECT_EQ((*validation)->size(), 6);
    const std::vector<std::string> expected = {"Class1", "class9", "class10"};
    EXPECT_EQ((*train)->classNames(), expected);
    EXPECT_EQ((*validation)->classNames(), expected);
  }
}

TEST(ImageFolder, GivesEachImageItsClass) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 3);
  const auto dataset = valueOrThrow(openDataset(
      [&] {
        auto spec = specOf("image-folder", folder.path());
        spec.validationFraction = 0;
        return spec;
      }(),
      Split::Train));
  ASSERT_EQ(dataset->size(), 6);
  for (std::int64_t i = 0; i < dataset->size(); ++i) {
    const auto sample = dataset->sample(i);
    ASSERT_TRUE(sample.ok()) << sample.error().text();
    EXPECT_EQ(sample->image.width, 8);
    EXPECT_EQ(sample->image.row(0)[0], sample->label * 20);
    EXPECT_TRUE(contains(dataset->describe(i), sample->label == 0 ? "/a/" : "/b/"));
  }
  EXPECT_FALSE(dataset->sample(6).ok());
  EXPECT_FALSE(dataset->sample(-1).ok());
}

TEST(ImageFolder, TakesTheSameShareOfEveryClassForValidation) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b", "c"}, 10);
  auto spec = specOf("image-folder", folder.path());
  spec.validationFraction = 0.2;
  std::set<std::string> seen;
  for (const auto& [split, expected] : {std::pair{Split::Train, 8}, {Split::Validation, 2}}) {
    const auto dataset = valueOrThrow(openDataset(spec, split));
    std::map<int, int> perClass;
    for (std::int64_t i = 0; i < dataset->size(); ++i) {
      ++perClass[valueOrThrow(dataset->sample(i)).label];
      EXPECT_TRUE(seen.insert(dataset->describe(i)).second) << "in both splits";
    }
    EXPECT_EQ(perClass, (std::map<int, int>{{0, expected}, {1, expected}, {2, expected}}));
  }
  EXPECT_EQ(seen.size(), 30u);

  const auto first = valueOrThrow(openDataset(spec, Split::Validation));
  spec.seed = 1;
  const auto second = valueOrThrow(openDataset(spec, Split::Validation));
  std::set<std::string> a;
  std::set<std::string> b;
  for (std::int64_t i = 0; i < 6; ++i)
    a.insert(first->describe(i)), b.insert(second->describe(i));
  EXPECT_NE(a, b) << "the seed chooses";
}

TEST(ImageFolder, SkipsOtherFilesAndReadsDeeperFolders) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 2);
  test::writeBytes(folder / "train/a/notes.txt", "no image");
  test::writeBytes(folder / "train/a/._0.png", "a leftover of another system");
  test::writeBytes(folder / "train/stray.png", "in no class");
  fs::create_directories(folder / "train/.hidden");
  test::writePng(folder / "train/b/deep/er/x.PNG", test::solidImage(4, 4, {1, 2, 3}));
  writeClasses(folder / "val", {"a", "b"}, 1);
  const auto dataset = openDataset(specOf("image-folder", folder.path()), Split::Train);
  ASSERT_TRUE(dataset.ok()) << dataset.error().text();
  EXPECT_EQ((*dataset)->size(), 5);
}

TEST(ImageFolder, SurvivesLinksInCircles) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b"}, 3);
  fs::create_directory_symlink(folder / "a", folder / "a/again");
  fs::create_directory_symlink(folder.path(), folder / "b/up");
  fs::create_directories(folder / "a/real");
  test::writePng(folder / "a/real/z.png", test::solidImage(4, 4, {1, 2, 3}));
  fs::create_directory_symlink(folder / "a/real", folder / "a/twice");
  auto spec = specOf("image-folder", folder.path());
  spec.validationFraction = 0;
  const auto dataset = openDataset(spec, Split::Train);
  ASSERT_TRUE(dataset.ok()) << dataset.error().text();
  // a: 3 and real/z once. b: 3, and through b/up those of a (4) that b/up/a reaches.
  EXPECT_EQ((*dataset)->size(), 4 + 3 + 4);
}

TEST(ImageFolder, ReportsADamagedImageAsItsOwnError) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b"}, 2);
  test::writeBytes(folder / "a/broken.png", "");
  fs::create_symlink(folder / "nowhere.png", folder / "a/gone.png");
  auto spec = specOf("image-folder", folder.path());
  spec.validationFraction = 0;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Train));
  ASSERT_EQ(dataset->size(), 6);
  int failed = 0;
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto sample = dataset->sample(i);
    if (sample.ok()) continue;
    ++failed;
    EXPECT_TRUE(contains(sample.error().text(), ".png"));
  }
  EXPECT_EQ(failed, 2);
}

TEST(ImageFolder, RefusesWhatCannotBeTrainedOn) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(refusal(specOf("image-folder", folder / "missing")), "does not exist"));
  EXPECT_TRUE(contains(refusal(specOf("image-folder", folder.path())), "no class folders"));
  EXPECT_TRUE(contains(refusal(specOf("image-folder", "")), "is empty"));
  writeClasses(folder.path(), {"alone"}, 2);
  EXPECT_TRUE(contains(refusal(specOf("image-folder", folder.path())), "single class"));
  fs::create_directories(folder / "hollow");
  fs::create_directories(folder / "void");
  const std::string message = refusal(specOf("image-folder", folder.path()));
  EXPECT_TRUE(contains(message, "hollow") && contains(message, "void")) << message;
  EXPECT_FALSE(contains(message, "alone")) << message;
}

TEST(ImageFolder, NamesTheDifferenceOfTrainAndValidation) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"cat", "dog"}, 2);
  writeClasses(folder / "val", {"cat", "frog"}, 2);
  for (const Split split : {Split::Train, Split::Validation}) {
    const std::string message = refusal(specOf("image-folder", folder.path()), split);
    EXPECT_TRUE(contains(message, "dog") && contains(message, "frog")) << message;
    EXPECT_FALSE(contains(message, "cat,")) << message;
  }
}

TEST(ImageFolder, EvaluatesAFolderWithValidationAlone) {
  const TemporaryFolder folder;
  writeClasses(folder / "val", {"a", "b"}, 2);
  const auto spec = specOf("image-folder", folder.path());
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 4);
  EXPECT_TRUE(contains(refusal(spec, Split::Train), "no train/"));
}

TEST(ImageFolder, RefusesAShareThatLeavesNothing) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b"}, 1);
  auto spec = specOf("image-folder", folder.path());
  spec.validationFraction = 0.5;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 2);
  EXPECT_TRUE(contains(refusal(spec, Split::Validation), "validationFraction"));
  spec.validationFraction = 1.5;
  EXPECT_TRUE(contains(refusal(spec), "validationFraction"));
}

TEST(ImageFolder, LimitsTheSamplesOfEveryClassAlike) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b", "c"}, 10);
  auto spec = specOf("image-folder", folder.path());
  spec.validationFraction = 0;
  std::set<std::string> smaller;
  for (const std::int64_t limit : {6, 7, 15}) {
    spec.maxSamples = limit;
    const auto dataset = valueOrThrow(openDataset(spec, Split::Train));
    ASSERT_EQ(dataset->size(), limit);
    std::map<int, int> perClass;
    std::set<std::string> names;
    for (std::int64_t i = 0; i < limit; ++i) {
      ++perClass[valueOrThrow(dataset->sample(i)).label];
      names.insert(dataset->describe(i));
    }
    for (int label = 0; label < 3; ++label) {
      EXPECT_GE(perClass[label], limit / 3);
      EXPECT_LE(perClass[label], limit / 3 + 1);
    }
    EXPECT_TRUE(std::includes(names.begin(), names.end(), smaller.begin(), smaller.end()));
    smaller = names;
  }
  spec.maxSamples = 1000;
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 30);
}

TEST(ImageFolder, AShareOfEveryClassLiesWithinALargerOne) {
  const TemporaryFolder folder;
  writeClasses(folder.path(), {"a", "b", "c"}, 10);
  auto spec = specOf("image-folder", folder.path());
  const auto namesOf = [&](double fraction, Split split) {
    spec.fraction = fraction;
    const auto dataset = valueOrThrow(openDataset(spec, split));
    std::set<std::string> names;
    for (std::int64_t i = 0; i < dataset->size(); ++i)
      names.insert(dataset->describe(i));
    return names;
  };
  spec.validationFraction = 0.2;  // 8 of every class are left to train
  const auto tenth = namesOf(0.1, Split::Train), half = namesOf(0.5, Split::Train),
             all = namesOf(1, Split::Train);
  EXPECT_EQ(tenth.size(), 3u);
  EXPECT_EQ(half.size(), 12u);
  EXPECT_EQ(all.size(), 24u);
  EXPECT_TRUE(std::includes(half.begin(), half.end(), tenth.begin(), tenth.end()));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), half.begin(), half.end()));
  EXPECT_EQ(namesOf(0.1, Split::Validation), namesOf(1, Split::Validation));
  spec.maxSamples = 6;
  const auto limited = namesOf(0.5, Split::Train);
  EXPECT_EQ(limited.size(), 6u);
  EXPECT_TRUE(std::includes(half.begin(), half.end(), limited.begin(), limited.end()));
  EXPECT_EQ(namesOf(0.1, Split::Validation), namesOf(1, Split::Validation));
  for (const double wrong : {0.0, -1.0, 1.5}) {
    spec.fraction = wrong;
    EXPECT_TRUE(contains(refusal(spec), "fraction"));
  }
}

TEST(ImageFolder, LimitsEachSplitByItsOwnNumber) {
  const TemporaryFolder folder;
  writeClasses(folder / "train", {"a", "b"}, 10);
  writeClasses(folder / "val", {"a", "b"}, 6);
  const auto sizes = [&](std::int64_t train, std::int64_t validation) {
    auto spec = specOf("image-folder", folder.path());
    spec.maxSamples = train;
    spec.maxValidationSamples = validation;
    return std::pair{valueOrThrow(openDataset(spec, Split::Train))->size(),
                     valueOrThrow(openDataset(spec, Split::Validation))->size()};
  };
  EXPECT_EQ(sizes(4, 0), std::pair(std::int64_t{4}, std::int64_t{12}));
  EXPECT_EQ(sizes(0, 4), std::pair(std::int64_t{20}, std::int64_t{4}));
}

TEST(DetectDatasetKind, TellsFoldersOfImages) {
  const TemporaryFolder folder;
  EXPECT_EQ(detectDatasetKind(folder.path()), "");
  EXPECT_EQ(detectDatasetKind(folder / "missing"), "");
  writeClasses(folder / "split/train", {"a", "b"}, 1);
  EXPECT_EQ(detectDatasetKind(folder / "split"), "image-folder");
  EXPECT_EQ(detectDatasetKind(folder / "split/train"), "image-folder");
  EXPECT_EQ(detectDatasetKind(folder / "split/train/a"), "") << "images without classes";
}

TEST(OpenDataset, NamesTheKindsItKnows) {
  const std::string message = refusal(specOf("imagenet22k", "/tmp"));
  EXPECT_TRUE(contains(message, "imagenet22k") && contains(message, "texture-shape")) << message;
}

}  // namespace
}  // namespace headlight
