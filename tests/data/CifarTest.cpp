// SPDX-License-Identifier: GPL-3.0-or-later

// CIFAR's binary files: layout, names, and files that lie.

#include <gtest/gtest.h>

#include "core/base/Log.h"
#include "tests/data/Refusals.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

using test::specOf;
using test::TemporaryFolder;

constexpr int kPlane = 32 * 32;

/// One record; red counts pixels, green is the label, blue is 7.
std::string record(int label, bool coarse = false) {
  std::string bytes;
  if (coarse) bytes += '\x03';
  bytes += static_cast<char>(label);
  for (int i = 0; i < kPlane; ++i)
    bytes += static_cast<char>(i % 256);
  bytes.append(kPlane, static_cast<char>(label));
  bytes.append(kPlane, '\x07');
  return bytes;
}

std::string records(int count, int classes, bool coarse = false) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += record(i % classes, coarse);
  return bytes;
}

TEST(Cifar, ReadsTenClassesWithPlanesFirst) {
  const TemporaryFolder folder;
  for (int i = 1; i <= 5; ++i)
    test::writeBytes(folder / ("data_batch_" + std::to_string(i) + ".bin"), records(20, 10));
  test::writeBytes(folder / "test_batch.bin", records(10, 10));
  const auto train = openDataset(specOf("cifar10", folder.path()), Split::Train);
  ASSERT_TRUE(train.ok()) << train.error().text();
  EXPECT_EQ((*train)->size(), 100);
  EXPECT_EQ(valueOrThrow(openDataset(specOf("cifar10", folder.path()), Split::Validation))->size(),
            10);
  EXPECT_EQ((*train)->classNames().at(6), "frog");
  const auto sample = valueOrThrow((*train)->sample(46));
  EXPECT_EQ(sample.label, 6);
  EXPECT_EQ(sample.image.width, 32);
  EXPECT_EQ(sample.image.height, 32);
  const std::uint8_t* pixel = sample.image.row(2) + 3 * 5;
  EXPECT_EQ(pixel[0], 2 * 32 + 5);
  EXPECT_EQ(pixel[1], 6);
  EXPECT_EQ(pixel[2], 7);
  EXPECT_TRUE(contains((*train)->describe(46), "data_batch_3.bin #6"));
  EXPECT_EQ(detectDatasetKind(folder.path()), "cifar10");
}

TEST(Cifar, ReadsHundredFineClassesFromTheArchivesFolder) {
  const TemporaryFolder folder;
  const std::string inner = "cifar-100-binary/";
  test::writeBytes(folder / (inner + "train.bin"), records(200, 100, true));
  test::writeBytes(folder / (inner + "test.bin"), records(100, 100, true));
  std::string names;
  for (int i = 0; i < 100; ++i)
    names += "fine" + std::to_string(i) + "\r\n";
  test::writeBytes(folder / (inner + "fine_label_names.txt"), names + "\n");
  const auto train = openDataset(specOf("cifar100", folder.path()), Split::Train);
  ASSERT_TRUE(train.ok()) << train.error().text();
  EXPECT_EQ((*train)->size(), 200);
  EXPECT_EQ((*train)->classNames().at(42), "fine42");
  const auto sample = valueOrThrow((*train)->sample(142));
  EXPECT_EQ(sample.label, 42);
  EXPECT_EQ(sample.image.row(0)[1], 42);
  EXPECT_EQ(detectDatasetKind(folder.path()), "cifar100");
  EXPECT_EQ(detectDatasetKind(folder / "cifar-100-binary"), "cifar100");
}

TEST(Cifar, SharesOutTrainingWithoutATestBatchAndWarnsOfMissingFiles) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "data_batch_1.bin", records(100, 10));
  std::string warned;
  setLogSink([&](LogLevel, const std::string& message) { warned += message; });
  const auto spec = specOf("cifar10", folder.path());
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Train))->size(), 90);
  EXPECT_EQ(valueOrThrow(openDataset(spec, Split::Validation))->size(), 10);
  setLogSink({});
  EXPECT_TRUE(contains(warned, "1 of the 5 training files")) << warned;
}

TEST(Cifar, RefusesDamagedFiles) {
  setLogSink({});
  const TemporaryFolder folder;
  const auto spec = specOf("cifar10", folder.path());
  EXPECT_TRUE(contains(refusal(spec), "data_batch_1.bin"));
  const auto batch = folder / "data_batch_1.bin";
  test::writeBytes(batch, records(4, 10).substr(0, 3 * 3073 + 100));
  EXPECT_TRUE(contains(refusal(spec), "not a multiple"));
  test::writeBytes(batch, "");
  EXPECT_TRUE(contains(refusal(spec), "not a multiple"));
  test::writeBytes(batch, records(4, 4) + record(10));
  EXPECT_TRUE(contains(refusal(spec), "record 4 has the label 10"));
  test::writeBytes(batch, records(4, 1));
  EXPECT_TRUE(contains(refusal(spec), "same label"));
  test::writeBytes(batch, records(20, 10));
  test::writeBytes(folder / "batches.meta.txt", "a\nb\n");
  EXPECT_TRUE(contains(refusal(spec), "2 class names; expected 10"));
  std::filesystem::remove(batch);
  test::writeBytes(folder / "test_batch.bin", records(10, 10));
  EXPECT_TRUE(contains(refusal(spec, Split::Train), "no data_batch_1.bin"));
}

TEST(Cifar, RefusesAFileOfAnAbsurdSizeWithoutReadingIt) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "train.bin", "x");
  std::filesystem::resize_file(folder / "train.bin", std::uintmax_t(3074)
                                                         << 28);  // sparse, 768 GiB
  EXPECT_TRUE(contains(refusal(specOf("cifar100", folder.path())), "at most"));
}

TEST(Cifar, DoesNotTakeEveryTrainBinForItsOwn) {
  const TemporaryFolder folder;
  test::writeBytes(folder / "train.bin", "tokens of some text");
  EXPECT_EQ(detectDatasetKind(folder.path()), "");
}

}  // namespace
}  // namespace headlight
