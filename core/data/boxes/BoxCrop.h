// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Random crops that keep objects in sight (SSD, Liu et al. 2016, as PaddleDetection's RandomCrop
// has them).

#include "core/analysis/boxes/LabeledBox.h"
#include "core/base/Random.h"

namespace headlight {

/// A region of an image of width × height, at whole pixels. The thresholds none, 0, 0.1, 0.3, 0.5,
/// 0.7 and 0.9 are tried in random order: "none" shows the whole image; for the others up to 50
/// crops are drawn, of scale s in [0.3, 1] and aspect a in [max(½, s²), min(2, s⁻²)], with sides
/// width·s·√a and height·s/√a, until some box has at least that IoU with the crop and some box has
/// its center in it. Where no threshold gives a crop, the whole image.
PixelBox randomBoxCrop(RandomStream& draw, int width, int height, const LabeledBoxes& boxes);

/// The boxes whose center is in `crop`, clipped, in its pixels.
LabeledBoxes boxesInCrop(const LabeledBoxes& boxes, const PixelBox& crop);

}  // namespace headlight
