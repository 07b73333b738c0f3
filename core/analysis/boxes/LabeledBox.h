// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A box of an image with the class of what is in it.

#include <vector>

#include "core/analysis/boxes/PixelBox.h"

namespace headlight {

struct LabeledBox {
  PixelBox box;        ///< in pixels of the image that it belongs to
  int label = 0;       ///< a class of the dataset
  double area = 0;     ///< as the dataset says, of the object's outline, in square pixels
  bool crowd = false;  ///< many objects in one box: nothing is learned from it

  bool operator==(const LabeledBox&) const = default;
};
using LabeledBoxes = std::vector<LabeledBox>;

}  // namespace headlight
