// SPDX-License-Identifier: GPL-3.0-or-later

// CIFAR's Python version.

#include "core/data/CifarPickle.h"

#include <gtest/gtest.h>

#include "tests/data/CifarPickles.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using test::hasText;
using test::specOf;
using test::TemporaryFolder;
using test::writeBytes;
using Names = std::vector<std::string>;

const Names kTen{"plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

std::string pickleRefusal(const std::string& bytes) {
  const TemporaryFolder folder;
  writeBytes(folder / "data_batch_1", bytes);
  const auto read = guarded("", [&] { return readCifarPickle(folder / "data_batch_1"); });
  return read.ok() ? "" : read.error().text();
}

TEST(CifarPickle, IsReadAsTheBinaryVersion) {
  const TemporaryFolder folder;
  const fs::path place = folder / "cifar-10-batches-py";
  writeBytes(place / "data_batch_1", test::cifarPickle({3, 5, 3}));
  writeBytes(place / "data_batch_2", test::cifarPickle({9}));
  writeBytes(place / "test_batch", test::cifarPickle({0, 9}));
  writeBytes(place / "batches.meta",
             test::pickledDict({{"label_names", test::pickledTexts(kTen)}}));
  for (const fs::path& path : {folder.path(), place}) {
    EXPECT_EQ(detectDatasetKind(path), "cifar10");
    const auto train = valueOrThrow(openDataset(specOf("cifar10", path), Split::Train));
    ASSERT_EQ(train->size(), 4);
    EXPECT_EQ(train->classNames(), kTen);
    const Sample sample = valueOrThrow(train->sample(1));
    EXPECT_EQ(sample.label, 5);
    EXPECT_EQ(int(sample.image.pixels->at(0)), 35);
    EXPECT_EQ(valueOrThrow(openDataset(specOf("cifar10", path), Split::Validation))->size(), 2);
  }
}

TEST(CifarPickle, OneHundredHasFineLabels) {
  const TemporaryFolder folder;
  writeBytes(folder / "train", test::cifarPickle({99, 5}, "fine_labels"));
  writeBytes(folder / "test", test::cifarPickle({1, 2}, "fine_labels"));
  EXPECT_EQ(detectDatasetKind(folder.path()), "cifar100");
  const auto train = valueOrThrow(openDataset(specOf("cifar100", folder.path()), Split::Train));
  EXPECT_EQ(valueOrThrow(train->sample(0)).label, 99);
}

TEST(CifarPickle, RefusesWhatLies) {
  EXPECT_EQ(pickleRefusal(test::cifarPickle({1, 2})), "");
  const std::string planes(2 * 3072, 'x');
  const auto with = [](const std::string& labels, const std::string& data) {
    return pickleRefusal(test::pickledDict({{"labels", labels}, {"data", data}}));
  };
  EXPECT_TRUE(hasText(with(test::pickledLabels({1}), test::pickledArray(2, planes)),
                      "another number of labels"));
  EXPECT_TRUE(
      hasText(with(test::pickledLabels({1, 2}), test::pickledArray(3, planes)), "another size"));
  EXPECT_TRUE(hasText(with(test::pickledLabels({1, 2}), test::pickledArray(2, planes, "f4")),
                      "holds no images"));
  EXPECT_TRUE(hasText(with(test::pickledText("x"), test::pickledArray(2, planes)), "no list"));
  EXPECT_TRUE(hasText(pickleRefusal("\x80\x02]."), "no list of labels"));
  EXPECT_TRUE(hasText(pickleRefusal(std::string("\x80\x02") + "cos\nsystem\n" +
                                    test::pickledText("true") + "\x85R."),
                      "nothing in it was run"));
}

TEST(CifarPickle, RefusesEveryTruncation) {
  const std::string whole = test::cifarPickle({1, 2});
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 200 ? 1 : 97)
    EXPECT_NE(pickleRefusal(whole.substr(0, bytes)), "") << bytes;
}

TEST(CifarPickle, ALabelBeyondTheClassesIsRefused) {
  const TemporaryFolder folder;
  writeBytes(folder / "data_batch_1", test::cifarPickle({3, 10}));
  const auto train = openDataset(specOf("cifar10", folder.path()), Split::Train);
  ASSERT_FALSE(train.ok());
  EXPECT_TRUE(hasText(train.error().text(), "has the label 10")) << train.error().text();
}

}  // namespace
}  // namespace headlight
