// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/SegmentMatch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "core/base/Translation.h"
#include "core/imaging/Preprocess.h"
#include "core/workbench/session/Objects.h"

namespace headlight {
namespace {

using ClassPixels = std::array<std::int64_t, kMaxPixelClasses>;

/// Columns or rows of patches, by the pixels of a side; −1: the model did not see it.
std::vector<int> patchesOfPixels(int pixels, double begin, double length, int patches) {
  std::vector<int> places;
  for (int i = 0; i < pixels; ++i) {
    const double place = std::floor((i + 0.5 - begin) / length * patches);
    places.push_back(place >= 0 && place < patches ? static_cast<int>(place) : -1);
  }
  return places;
}

/// Calls `use`(x, y, label) for every pixel with a class.
template <typename Use>
void forEachPixel(const ClassImage& truth, const Use& use) {
  std::size_t at = 0;
  for (int y = 0; y < truth.height; ++y)
    for (int x = 0; x < truth.width; ++x, ++at)
      if (truth.classes[at] != kIgnoredClass) use(x, y, truth.classes[at]);
}

/// Of each class, and of it within what is marked.
struct MarkedPixels {
  ClassPixels all{}, marked{};
  std::int64_t found = 0;  ///< marked, of any class

  double overlapOf(std::size_t label) const {
    const std::int64_t both = marked[label], either = all[label] + found - both;
    return either > 0 ? static_cast<double>(both) / static_cast<double>(either) : 0;
  }
};

MarkedPixels countMarked(const std::vector<char>& marked, const Grid& grid, const ClassImage& truth,
                         const ModelConfig& model) {
  const auto [left, top, across, down] =
      evaluationRegion(truth.width, truth.height, makePreprocessing(model));
  const std::vector<int> cols = patchesOfPixels(truth.width, left, across, grid.cols);
  const std::vector<int> rows = patchesOfPixels(truth.height, top, down, grid.rows);
  MarkedPixels counted;
  forEachPixel(truth, [&](int x, int y, std::uint8_t label) {
    const int row = rows[static_cast<std::size_t>(y)], col = cols[static_cast<std::size_t>(x)];
    const bool isMarked =
        row >= 0 && col >= 0 &&
        marked[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.cols) +
               static_cast<std::size_t>(col)];
    ++counted.all[label];
    counted.marked[label] += isMarked ? 1 : 0;
    counted.found += isMarked ? 1 : 0;
  });
  return counted;
}

}  // namespace

LabeledBoxes boxesOfClasses(const ClassImage& truth) {
  struct Corners {
    int left = std::numeric_limits<int>::max(), top = std::numeric_limits<int>::max(), right = 0,
        bottom = 0;
    std::int64_t pixels = 0;
  };
  std::array<Corners, kMaxPixelClasses> found;
  forEachPixel(truth, [&](int x, int y, std::uint8_t label) {
    Corners& one = found[label];
    one.left = std::min(one.left, x);
    one.top = std::min(one.top, y);
    one.right = std::max(one.right, x + 1);
    one.bottom = std::max(one.bottom, y + 1);
    ++one.pixels;
  });
  LabeledBoxes boxes;
  for (std::size_t label = 0; label < found.size(); ++label) {
    const Corners& one = found[label];
    if (one.pixels == 0) continue;
    const PixelBox box{double(one.left), double(one.top), double(one.right - one.left),
                       double(one.bottom - one.top)};
    boxes.push_back({box, static_cast<int>(label), static_cast<double>(one.pixels)});
  }
  return boxes;
}

TrueClassMatch bestTrueClass(const std::vector<char>& marked, const Grid& grid,
                             const ClassImage& truth, const ModelConfig& model) {
  const MarkedPixels counted = countMarked(marked, grid, truth, model);
  TrueClassMatch best;
  for (std::size_t label = 0; label < counted.all.size(); ++label) {
    if (counted.all[label] == 0) continue;
    const double overlap = counted.overlapOf(label);
    if (best.label < 0 || overlap > best.overlap) best = {overlap, static_cast<int>(label)};
  }
  return best;
}

std::string maskMatchText(const TrueClassMatch& match, const std::vector<std::string>& names) {
  if (match.label < 0) return {};
  char overlap[32];
  std::snprintf(overlap, sizeof overlap, "IoU %.2f", match.overlap);
  return tr("mask ") + std::string(overlap) + tr(" with ") +
         objectName(names, static_cast<std::size_t>(match.label));
}

}  // namespace headlight
