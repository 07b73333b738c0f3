// SPDX-License-Identifier: GPL-3.0-or-later

// A dataset written as a folder of images opens again as the same dataset.

#include "core/data/Export.h"

#include <gtest/gtest.h>

#include "tests/data/Support.h"

namespace headlight {
namespace {

DatasetSpec smallTextureShape() {
  DatasetSpec spec;
  spec.kind = "texture-shape";
  spec.imageSize = 24;
  spec.trainSamples = 18;
  spec.validationSamples = 9;
  return spec;
}

TEST(Export, RoundTripsTextureShape) {
  const test::TemporaryFolder folder;
  const auto spec = smallTextureShape();
  std::int64_t calls = 0;
  const auto report = writeImageFolders(spec, folder / "out", [&](const Progress&) { ++calls; });
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->written, 27);
  EXPECT_EQ(calls, 27);
  EXPECT_TRUE(report->skipped.empty());
  const auto original = valueOrThrow(openDataset(spec, Split::Train));
  const auto written =
      valueOrThrow(openDataset(test::specOf("image-folder", folder / "out"), Split::Train));
  ASSERT_EQ(written->size(), 18);
  int found = 0;
  for (std::int64_t i = 0; i < 18; ++i) {
    const auto copy = valueOrThrow(written->sample(i));
    for (std::int64_t j = 0; j < 18; ++j) {
      const auto source = valueOrThrow(original->sample(j));
      if (*source.image.pixels != *copy.image.pixels) continue;
      ++found;
      EXPECT_EQ(original->classNames()[source.label], written->classNames()[copy.label]);
    }
  }
  EXPECT_EQ(found, 18) << "every image is there, bit for bit, in its class";
}

TEST(Export, RefusesAFolderInUse) {
  const test::TemporaryFolder folder;
  test::writeBytes(folder / "out/precious.txt", "mine");
  EXPECT_FALSE(writeImageFolders(smallTextureShape(), folder / "out").ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "out/train"));
}

TEST(Export, ReportsSkippedSamplesAndFailedWrites) {
  const test::TemporaryFolder folder;
  test::MemoryDataset dataset(10, 8);
  dataset.fails = [](std::int64_t index) { return index == 4; };
  const auto report = writeImageFolder(dataset, folder / "out");
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->written, 9);
  ASSERT_EQ(report->skipped.size(), 1u);
  EXPECT_EQ(report->skipped[0].path, "memory #4");

  test::writeBytes(folder / "file", "not a folder");
  EXPECT_FALSE(writeImageFolder(dataset, folder / "file/out").ok());
}

TEST(Export, StopsWhenAsked) {
  const test::TemporaryFolder folder;
  test::MemoryDataset dataset(10, 8);
  std::stop_source source;
  const auto report = writeImageFolder(
      dataset, folder / "out",
      [&](const Progress& progress) {
        if (progress.done == 3) source.request_stop();
      },
      source.get_token());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Canceled);
}

TEST(Export, KeepsClassNamesInsideTheFolder) {
  class Escaping : public test::MemoryDataset {
   public:
    using MemoryDataset::MemoryDataset;
    const std::vector<std::string>& classNames() const override { return m_hostile; }

   private:
    std::vector<std::string> m_hostile{"../../etc", ".."};
  };
  const test::TemporaryFolder folder;
  const auto report = writeImageFolder(Escaping(4, 8), folder / "out");
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_TRUE(std::filesystem::exists(folder / "out/_.._.._etc/00000.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/_../00001.png"));
}

}  // namespace
}  // namespace headlight
