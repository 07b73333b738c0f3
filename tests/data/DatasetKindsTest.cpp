// SPDX-License-Identifier: GPL-3.0-or-later

// Whatever a config may name can be opened.

#include <gtest/gtest.h>

#include "core/config/DatasetKinds.h"
#include "tests/data/Support.h"

namespace headlight {
namespace {

TEST(DatasetKinds, EveryKindIsOpenedBySomething) {
  ASSERT_GE(datasetKinds().size(), 5u);
  for (const DatasetKind& kind : datasetKinds()) {
    const TemporaryFolder empty;
    const auto opened = openDataset(test::specOf(kind.name, empty.path()), Split::Train);
    if (isDrawnData(kind.name)) {
      EXPECT_TRUE(opened.ok());
    } else {
      ASSERT_FALSE(opened.ok()) << kind.name;
      EXPECT_EQ(opened.error().text().find("unknown dataset kind"), std::string::npos) << kind.name;
    }
    EXPECT_FALSE(kind.help.empty()) << kind.name;
  }
}

TEST(DatasetKinds, BoxesAreWhatKindsSay) {
  for (const DatasetKind& kind : datasetKinds())
    EXPECT_EQ(hasBoxes(kind.name), kind.boxes);
  EXPECT_FALSE(hasBoxes("cifar11"));
  EXPECT_TRUE(hasBoxes(kTextureScenes) && hasBoxes(kCocoBoxes) && hasBoxes(kVocBoxes));
  for (const std::string& name : datasetKindNames(true))
    EXPECT_FALSE(hasBoxes(name)) << "sequence models learn from images with a class";
}

TEST(DatasetKinds, SegmentsAreWhatKindsSay) {
  for (const DatasetKind& kind : datasetKinds()) {
    EXPECT_EQ(hasSegments(kind.name), kind.segments);
    EXPECT_FALSE(kind.segments && (kind.boxes || kind.sequences)) << kind.name;
  }
  EXPECT_FALSE(hasSegments("cifar11"));
  EXPECT_TRUE(hasSegments(kTextureSegments) && hasSegments(kAde20k) && hasSegments(kCityscapes) &&
              hasSegments(kSegmentFolder));
  EXPECT_TRUE(isDrawnData(kTextureSegments));
}

TEST(DatasetKinds, AnUnknownOneIsRefusedWithTheKnown) {
  const auto opened = openDataset(test::specOf("cifar11", "anywhere"), Split::Train);
  ASSERT_FALSE(opened.ok());
  for (const DatasetKind& kind : datasetKinds())
    EXPECT_NE(opened.error().text().find(kind.name), std::string::npos) << kind.name;
}

}  // namespace
}  // namespace headlight
