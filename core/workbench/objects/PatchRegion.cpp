// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/PatchRegion.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

std::vector<char> connectedPatches(const std::vector<char>& mask, int rows, int cols, int seed) {
  std::vector<char> found(mask.size(), 0);
  std::vector<int> waiting;
  const auto reach = [&](int row, int col) {
    if (row < 0 || col < 0 || row >= rows || col >= cols) return;
    const auto place = static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                       static_cast<std::size_t>(col);
    if (!mask[place] || found[place]) return;
    found[place] = 1;
    waiting.push_back(static_cast<int>(place));
  };
  reach(seed / cols, seed % cols);
  while (!waiting.empty()) {
    const int row = waiting.back() / cols, col = waiting.back() % cols;
    waiting.pop_back();
    reach(row - 1, col);
    reach(row + 1, col);
    reach(row, col - 1);
    reach(row, col + 1);
  }
  return found;
}

PatchBox boxAround(const std::vector<char>& patches, int cols) {
  PatchBox box{static_cast<int>(patches.size()) / cols, cols, 0, 0};
  for (int p = 0; p < static_cast<int>(patches.size()); ++p) {
    if (!patches[static_cast<std::size_t>(p)]) continue;
    box.top = std::min(box.top, p / cols);
    box.left = std::min(box.left, p % cols);
    box.bottom = std::max(box.bottom, p / cols + 1);
    box.right = std::max(box.right, p % cols + 1);
  }
  return box;
}

PatchRegion regionAround(int seed, std::vector<char> mask, std::vector<double> scores, int rows,
                         int cols) {
  PatchRegion region;
  region.component = connectedPatches(mask, rows, cols, seed);
  region.box = boxAround(region.component, cols);
  region.mask = std::move(mask);
  region.scores = std::move(scores);
  region.seed = seed;
  return region;
}

void requireComparable(const PatchFeatures& features) {
  const int patches = features.patches();
  if (patches < 2)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("compares patches with each other, so at least two are needed"), "patches"});
  if (patches > kMostComparedPatches)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("compares every pair of patches, at most of ") +
                       std::to_string(kMostComparedPatches) + tr(" patches; here are ") +
                       std::to_string(patches) + tr("; choose a smaller image size"),
                   "patches"});
  if (!std::all_of(features.values.begin(), features.values.end(),
                   [](double value) { return std::isfinite(value); }))
    throw Failure({ErrorCode::Internal,
                   tr("the features of this image are not all numbers (NaN or infinite), so no "
                      "object can be found by them"),
                   "features"});
}

}  // namespace headlight
