// SPDX-License-Identifier: GPL-3.0-or-later

// Boxes of cells against loops.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/models/detection/CellScores.h"

namespace headlight {
namespace {

/// The mean of a softmax over 0 … bins − 1.
double expectedBin(const at::Tensor& logits) {
  double sum = 0, mean = 0;
  for (std::int64_t bin = 0; bin < logits.size(0); ++bin) {
    const double weight = std::exp(logits[bin].item<double>());
    sum += weight;
    mean += weight * static_cast<double>(bin);
  }
  return mean / sum;
}

TEST(CellScores, BoxesAreCentersAndDistances) {
  CellScores scores;
  scores.levels = {{8, 2, 3}, {16, 1, 2}};
  scores.logits = at::zeros({2, 8, 3});
  scores.sides = at::randn({2, 8, 4, 8});
  const at::Tensor boxes = cellBoxes(scores);
  ASSERT_EQ(boxes.sizes(), (std::vector<std::int64_t>{2, 8, 4}));
  for (int image = 0; image < 2; ++image) {
    int cell = 0;
    for (const CellLevel& level : scores.levels)
      for (int row = 0; row < level.height; ++row)
        for (int col = 0; col < level.width; ++col, ++cell)
          for (int side = 0; side < 4; ++side) {
            const double center = ((side % 2 == 0 ? col : row) + 0.5) * level.stride;
            const double distance = expectedBin(scores.sides[image][cell][side]) * level.stride;
            EXPECT_NEAR(boxes[image][cell][side].item<double>(),
                        side < 2 ? center - distance : center + distance, 1e-4);
          }
  }
}

}  // namespace
}  // namespace headlight
