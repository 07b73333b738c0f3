// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/objects/ObjectMatch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/Translation.h"
#include "core/workbench/session/Objects.h"

namespace headlight {

BoxSides boxOfPatches(const PatchBox& box, const Grid& grid) {
  const double rows = grid.rows, cols = grid.cols;
  return {box.left / cols, box.top / rows, box.right / cols, box.bottom / rows};
}

BoxSides pixelSides(const BoxSides& box, int imageWidth, int imageHeight,
                    const ModelConfig& model) {
  FoundObject object;
  object.box = box;
  BoxSides pixels = boxInImage(object, imageWidth, imageHeight, model);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = std::clamp(pixels[i], 0.0, double(i % 2 == 0 ? imageWidth : imageHeight));
  return pixels;
}

bool TrueBoxMatch::isFound() const {
  return overlap > kFoundOverlap;
}

TrueBoxMatch bestTrueBox(const BoxSides& pixels, const LabeledBoxes& truth) {
  const auto& [left, top, right, bottom] = pixels;
  const PixelBox found{left, top, right - left, bottom - top};
  TrueBoxMatch best;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i].crowd) continue;
    const double overlap = overlapOf(found, truth[i].box, /*crowd=*/false);
    if (best.place < 0 || overlap > best.overlap) best = {overlap, static_cast<int>(i)};
  }
  return best;
}

std::string matchText(const TrueBoxMatch& match, const LabeledBoxes& truth,
                      const std::vector<std::string>& names) {
  if (match.place < 0) return {};
  char overlap[32];
  std::snprintf(overlap, sizeof overlap, "IoU %.2f", match.overlap);
  const int label = truth[static_cast<std::size_t>(match.place)].label;
  return overlap + std::string(tr(" with ")) + objectName(names, static_cast<std::size_t>(label));
}

std::string foundBoxText(const BoxSides& pixels) {
  const auto corner = [](double x, double y) {
    return std::to_string(std::lround(x)) + ", " + std::to_string(std::lround(y));
  };
  const auto& [left, top, right, bottom] = pixels;
  return tr("box ") + corner(left, top) + tr(" to ") + corner(right, bottom);
}

}  // namespace headlight
