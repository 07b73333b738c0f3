// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Labeled boxes over an image, at the image's own pixels.

#include <string>
#include <vector>

#include "core/imaging/drawing/Drawing.h"

namespace headlight {

struct DrawnBox {
  double left = 0, top = 0, right = 0, bottom = 0;  ///< pixels; may reach beyond the image
  std::string text;                                 ///< UTF-8, in black on the color
  DrawnColor color;
  bool dashed = false;
};

/// `image` with the boxes, the first on top; labels lie at their upper left corners, within the
/// image, above all boxes. Lines and letters grow with the image's shorter side. Boxes without area
/// in the image are left out. `em`: pixels of letters, to which lines are fitted; 0: as the image.
Image drawBoxes(const Image& image, const std::vector<DrawnBox>& boxes, int em = 0);

}  // namespace headlight
