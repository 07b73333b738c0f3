// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Boxes in an image, and how much two of them overlap.

namespace headlight {

/// In pixels from the image's left top corner; width and height are 0 or more.
struct PixelBox {
  double x = 0, y = 0, width = 0, height = 0;

  double area() const { return width * height; }
  bool operator==(const PixelBox&) const = default;
};

/// The area that both have, divided by the area that either has (IoU); with a crowd as `truth`, by
/// the area of `found`. 0 where they do not meet.
double overlapOf(const PixelBox& found, const PixelBox& truth, bool crowd);

/// GIoU (Rezatofighi et al. 2019) of two boxes, one of which has an area: their IoU, less the share
/// of the smallest box around both that neither has. In (-1, 1].
double generalizedOverlap(const PixelBox& a, const PixelBox& b);

}  // namespace headlight
