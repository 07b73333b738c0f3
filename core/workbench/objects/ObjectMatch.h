// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The box of a found object in an image, beside the true boxes of its dataset. No torch type here.

#include <array>
#include <string>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/masks/Grid.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/objects/PatchRegion.h"

namespace headlight {

/// Left, top, right, bottom.
using BoxSides = std::array<double, 4>;

/// In [0, 1] of what the model sees.
BoxSides boxOfPatches(const PatchBox& box, const Grid& grid);
/// The same in pixels of the original image, of which the model saw a part; within the image.
BoxSides pixelSides(const BoxSides& box, int imageWidth, int imageHeight, const ModelConfig& model);

/// The true box that overlaps most with a found one.
struct TrueBoxMatch {
  double overlap = 0;    ///< IoU in [0, 1]
  int place = -1;        ///< in the list of true boxes; −1: none is known
  bool isFound() const;  ///< IoU > kFoundOverlap
};
/// As CorLoc has it (Deselaers, Alexe & Ferrari 2010).
inline constexpr double kFoundOverlap = 0.5;

/// `pixels`: of the found box. Boxes of crowds are left out: they are of no single object.
TrueBoxMatch bestTrueBox(const BoxSides& pixels, const LabeledBoxes& truth);

/// "IoU 0.62 with cat"; empty where no true box is known. `names`: of the dataset's classes.
std::string matchText(const TrueBoxMatch& match, const LabeledBoxes& truth,
                      const std::vector<std::string>& names);

/// "box 12, 8 to 60, 72": the corners of a found box in whole pixels.
std::string foundBoxText(const BoxSides& pixels);

}  // namespace headlight
