// SPDX-License-Identifier: GPL-3.0-or-later

// A segmenter trained and evaluated by 1, 2 and 4 processes: the same but for rounding. The
// processes are another program (ranks_main.cpp).

#include <gtest/gtest.h>

#include "core/checkpoint/Checkpoint.h"
#include "tests/TemporaryFolder.h"
#include "tests/training/Ranks.h"

namespace headlight {
namespace {

NamedTensors segmenterTrainedBy(int count, const TemporaryFolder& folder) {
  const auto file = folder / (std::to_string(count) + ".safetensors");
  startRanks(count, {file.string()});
  return valueOrThrow(readCheckpoint(file)).tensors;
}

/// With an odd batch, and a step whose two images every process computes.
TEST(SegmentProcesses, ChangeNothingButRounding) {
  const TemporaryFolder folder;
  const NamedTensors alone = segmenterTrainedBy(1, folder);
  ASSERT_EQ(alone.size(), 9u);  // weights and biases of four layers, and what was measured
  for (const int count : {2, 4}) {
    const NamedTensors together = segmenterTrainedBy(count, folder);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      ASSERT_EQ(together[i].first, alone[i].first);
      const bool measured = alone[i].first == "measured";  // in float32
      EXPECT_LT((together[i].second - alone[i].second).abs().max().item<double>(),
                measured ? 1e-5 : 1e-9)
          << count << " processes, " << alone[i].first;
    }
  }
}

}  // namespace
}  // namespace headlight
