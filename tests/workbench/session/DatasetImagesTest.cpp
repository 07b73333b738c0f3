// SPDX-License-Identifier: GPL-3.0-or-later

// Samples of datasets by their addresses, and the true boxes of files.

#include "core/workbench/session/DatasetImages.h"

#include <gtest/gtest.h>

#include "core/base/files/Files.h"
#include "core/workbench/session/TrueBoxes.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

TEST(DatasetAddress, IsReadAndWrittenAgain) {
  const auto address = datasetAddressFrom("dataset:coco:12:/data/co:co");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->kind, "coco");
  EXPECT_EQ(address->index, 12);
  EXPECT_EQ(address->folder, "/data/co:co");
  EXPECT_EQ(toText(*address), "dataset:coco:12:/data/co:co");
  for (const char* other : {"dataset:coco:12:", "dataset:coco:-1:/a", "dataset:coco:1x:/a",
                            "dataset:coco:/a", "dataset:", "/photos/a.png", ""})
    EXPECT_FALSE(datasetAddressFrom(other)) << other;
}

TEST(AddressedDatasets, DrawTheSameSceneForTheSameAddress) {
  AddressedDatasets datasets, others;
  const DatasetAddress address{kTextureScenes, "drawn", 3};
  const Sample sample = valueOrThrow(datasets.sample(address));
  const Sample again = valueOrThrow(others.sample(address));
  EXPECT_EQ(*sample.image.pixels, *again.image.pixels);
  EXPECT_EQ(sample.boxes, again.boxes);
  EXPECT_FALSE(sample.boxes.empty());
  EXPECT_NE(*sample.image.pixels,
            *valueOrThrow(datasets.sample({kTextureScenes, "drawn", 4})).image.pixels);
  EXPECT_FALSE(datasets.sample({kTextureScenes, "drawn", kAddressedScenes}).ok());
  const Sample segments = valueOrThrow(datasets.sample({kTextureSegments, "drawn", 0}));
  EXPECT_EQ(segments.segments.width, segments.image.width);
}

TEST(TrueBoxes, TakeTheModelsClassOfTheSameName) {
  const TrueBoxes truth{{}, {"cat", "dog", "owl"}};
  EXPECT_EQ(classCalledAlike(1, truth, {"dog", "cat"}), 0);
  EXPECT_EQ(classCalledAlike(2, truth, {"dog", "cat"}), 2);
  EXPECT_EQ(classCalledAlike(7, truth, {"dog", "cat"}), 7);
}

TEST(TrueBoxIndex, RefusesAPlaceWithoutBoxes) {
  const auto none = TrueBoxIndex::open("/nonexistent");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().text().find("/nonexistent"), std::string::npos);
}

}  // namespace
}  // namespace headlight
