// SPDX-License-Identifier: GPL-3.0-or-later

// Every row of a batch is in one part, beside its mirror image.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/data/BatchRows.h"

namespace headlight {
namespace {

TEST(BatchRows, AreAllInOnePartBesideTheirMirrorImages) {
  for (const std::int64_t rows : {1, 2, 7, 8, 9, 64, 65})
    for (const std::int64_t parts : {1, 2, 3, 4, 8}) {
      std::vector<std::int64_t> all;
      for (std::int64_t part = 0; part < parts; ++part) {
        const auto taken = rowsOfPart(rows, part, parts);
        EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
        for (std::size_t i = 0; i < taken.size(); ++i)
          EXPECT_EQ(taken[i] + taken[taken.size() - 1 - i], rows - 1);
        all.insert(all.end(), taken.begin(), taken.end());
      }
      std::sort(all.begin(), all.end());
      std::vector<std::int64_t> expected(static_cast<std::size_t>(rows));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected) << rows << " rows, " << parts << " parts";
    }
}

TEST(BatchRows, AreAboutAsManyInEveryPart) {
  for (std::int64_t part = 0; part < 8; ++part)
    EXPECT_EQ(rowsOfPart(1024, part, 8).size(), 128u);
}

}  // namespace
}  // namespace headlight
