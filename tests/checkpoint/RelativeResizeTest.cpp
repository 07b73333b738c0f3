// SPDX-License-Identifier: GPL-3.0-or-later

// Tables of relative positions on another grid, as timm makes them.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/checkpoint/RelativeResize.h"
#include "tests/checkpoint/CheckpointTesting.h"

namespace headlight {
namespace {

TEST(RelativeResize, IsTimms) {
  const Checkpoint golden =
      valueOrThrow(readCheckpoint(HEADLIGHT_GOLDEN_DIR "/relative_resize.safetensors"));
  const std::map<std::string, at::Tensor> tables(golden.tensors.begin(), golden.tensors.end());
  struct Case {
    const char* name;
    std::int64_t rows, cols;
  };
  for (const Case& c : {Case{"to_12x12", 12, 12}, Case{"to_10x14", 10, 14}, Case{"to_5x6", 5, 6}}) {
    const at::Tensor& expected = tables.at(c.name);
    const auto resized = resizeRelativeTable(tables.at("file"), at::zeros_like(expected),
                                             {.prefixTokens = 1, .rows = c.rows, .cols = c.cols});
    ASSERT_TRUE(resized.has_value()) << c.name;
    EXPECT_LT((resized->value - expected).abs().max().item<double>(), 1e-5) << c.name;
    EXPECT_NE(resized->change.find("8×8 → "), std::string::npos);
  }
}

TEST(RelativeResize, WhatIsNoTableOfTheGridIsLeft) {
  const PositionLayout grid{.prefixTokens = 1, .rows = 4, .cols = 4};
  const at::Tensor model = at::zeros({7 * 7 + 3, 2});
  EXPECT_FALSE(resizeRelativeTable(at::zeros({60, 2}), model, grid));      // no square
  EXPECT_FALSE(resizeRelativeTable(at::zeros({36 + 3, 2}), model, grid));  // an even side
  EXPECT_FALSE(resizeRelativeTable(at::zeros({25 + 3, 3}), model, grid));  // other heads
  EXPECT_FALSE(resizeRelativeTable(at::zeros({2, 2}), model, grid));
  EXPECT_FALSE(resizeRelativeTable(at::zeros({25 + 3, 2}), at::zeros({49, 2}), grid));
  EXPECT_TRUE(resizeRelativeTable(at::zeros({25 + 3, 2}), model, grid));
}

}  // namespace
}  // namespace headlight
