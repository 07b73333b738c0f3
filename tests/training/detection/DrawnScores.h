// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Scores of cells and true boxes that are drawn at random.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>

#include "core/models/backbones/Model.h"
#include "core/training/detection/BoxAssignment.h"

namespace headlight {

inline constexpr std::int64_t kDrawnClasses = 5, kDrawnBins = 8;

/// 64 pixels square: strides 8, 16 and 32.
inline CellLevels drawnLevels() {
  return {{8, 8, 8}, {16, 4, 4}, {32, 2, 2}};
}

inline CellScores drawnScores(std::int64_t images, std::uint64_t seed) {
  std::int64_t cells = 0;
  for (const CellLevel& level : drawnLevels())
    cells += level.cells();
  const auto random = holdTorchRandom();
  seedTorch(seed);
  CellScores scores;
  scores.logits = at::randn({images, cells, kDrawnClasses}, at::kDouble) * 2 - 2;
  scores.sides = at::randn({images, cells, 4, kDrawnBins}, at::kDouble) * 1.5;
  scores.levels = drawnLevels();
  return scores;
}

/// Up to `most` boxes on a grid of 4 pixels, so that sizes, places and centers are often equal;
/// some reach beyond the image.
inline LabeledBoxes drawnBoxes(int most, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % unsigned(below)); };
  LabeledBoxes boxes(static_cast<std::size_t>(draw(most + 1)));
  for (LabeledBox& box : boxes) {
    box.box = {4.0 * draw(16) - 4, 4.0 * draw(16) - 4, 4.0 * (1 + draw(14)), 4.0 * (1 + draw(14))};
    box.label = draw(kDrawnClasses);
    box.area = box.box.area();
  }
  return boxes;
}

}  // namespace headlight
