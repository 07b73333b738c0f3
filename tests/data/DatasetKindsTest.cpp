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
    if (kind.name == kProceduralData) {
      EXPECT_TRUE(opened.ok());
    } else {
      ASSERT_FALSE(opened.ok()) << kind.name;
      EXPECT_EQ(opened.error().text().find("unknown dataset kind"), std::string::npos) << kind.name;
    }
    EXPECT_FALSE(kind.help.empty()) << kind.name;
  }
}

TEST(DatasetKinds, AnUnknownOneIsRefusedWithTheKnown) {
  const auto opened = openDataset(test::specOf("cifar11", "anywhere"), Split::Train);
  ASSERT_FALSE(opened.ok());
  for (const DatasetKind& kind : datasetKinds())
    EXPECT_NE(opened.error().text().find(kind.name), std::string::npos) << kind.name;
}

}  // namespace
}  // namespace headlight
