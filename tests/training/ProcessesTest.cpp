// SPDX-License-Identifier: GPL-3.0-or-later

// One run computed by 1, 2 and 4 processes: the same weights but for rounding, whatever is drawn,
// mixed or normalized in it. The processes are this program again (Ranks.cpp).

#include <gtest/gtest.h>

#include "core/checkpoint/Checkpoint.h"
#include "tests/TemporaryFolder.h"
#include "tests/training/Ranks.h"

namespace headlight {
namespace {

NamedTensors trainedBy(int count, const TemporaryFolder& folder) {
  const auto file = folder / (std::to_string(count) + ".safetensors");
  startRanks(count, {"steps", file.string()});
  return valueOrThrow(readCheckpoint(file)).tensors;
}

/// Every mechanism on every backbone, 50 steps in double precision with drop path, Mixup, CutMix
/// and an edit of the masks; an odd batch, so that the processes' rows are not alike in number.
TEST(Processes, ChangeNothingButRounding) {
  const TemporaryFolder folder;
  const NamedTensors alone = trainedBy(1, folder);
  ASSERT_GT(alone.size(), 500u);
  for (const int count : {2, 4}) {
    const NamedTensors together = trainedBy(count, folder);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      ASSERT_EQ(together[i].first, alone[i].first);
      EXPECT_LT((together[i].second - alone[i].second).abs().max().item<double>(), 1e-9)
          << count << " processes, " << alone[i].first;
    }
  }
}

}  // namespace
}  // namespace headlight
