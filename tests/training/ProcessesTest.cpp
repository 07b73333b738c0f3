// SPDX-License-Identifier: GPL-3.0-or-later

// One run computed by 1, 2 and 4 processes: the same weights but for rounding, whatever is drawn,
// mixed or normalized in it. The processes are this program again (Ranks.cpp).

#include <gtest/gtest.h>

#include "core/checkpoint/Checkpoint.h"
#include "tests/TemporaryFolder.h"
#include "tests/training/Ranks.h"

namespace headlight {
namespace {

NamedTensors trainedBy(int count, const TemporaryFolder& folder,
                       const std::string& what = "steps") {
  const auto file = folder / (what + std::to_string(count) + ".safetensors");
  startRanks(count, {what, file.string()});
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

/// Every mechanism of sequence models, with dropout, a moving average and validations; five
/// sequences a step, of which processes have different numbers, and with six processes each all.
TEST(Processes, ChangeNothingButRoundingOfSequences) {
  const TemporaryFolder folder;
  const NamedTensors alone = trainedBy(1, folder, "sequences");
  ASSERT_GT(alone.size(), 100u);
  ASSERT_EQ(alone.front().second.size(0), 20 + 3);
  for (const int count : {2, 3, 6}) {
    const NamedTensors together = trainedBy(count, folder, "sequences");
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      ASSERT_EQ(together[i].first, alone[i].first);
      EXPECT_LT((together[i].second - alone[i].second).abs().max().item<double>(), 1e-9)
          << count << " processes, " << alone[i].first;
    }
  }
}

/// The head alone at first, then LoRA, whose dropout is of whole batches.
TEST(Processes, FineTuneAsOne) {
  const TemporaryFolder folder;
  const NamedTensors alone = trainedBy(1, folder, "adapted"),
                     together = trainedBy(2, folder, "adapted");
  ASSERT_GT(alone.size(), 100u);
  ASSERT_EQ(together.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_LT((together[i].second - alone[i].second).abs().max().item<double>(), 1e-9)
        << alone[i].first;
}

/// Also where rows are dealt anew since images could not be read.
TEST(Processes, EveryProcessHasTheBoxesOfItsRows) {
  for (const std::string failing : {"-1", "2"})
    for (const int count : {1, 2, 3})
      startRanks(count, {"boxes", failing});
}

}  // namespace
}  // namespace headlight
