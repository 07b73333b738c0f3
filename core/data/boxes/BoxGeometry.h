// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Boxes that move with the pixels of their image.

#include "core/analysis/boxes/LabeledBox.h"

namespace headlight {

/// Whether a detector learns from it: no crowd, and with an area (its own and its object's).
bool mayLearn(const LabeledBox& box);
/// Those that mayLearn().
LabeledBoxes learnableBoxes(const LabeledBoxes& boxes);

/// The part of `box` within `region`; of no size where they do not meet.
PixelBox clippedTo(const PixelBox& region, const PixelBox& box);
/// Whether its center is in `region`, the right and the lower edge left out.
bool hasCenterIn(const PixelBox& region, const PixelBox& box);

/// The boxes in an image of width × height pixels that shows `region` of theirs: moved, scaled and
/// clipped, without those of which nothing is left. Areas shrink and grow as the boxes do.
LabeledBoxes boxesInView(const LabeledBoxes& boxes, const PixelBox& region, double width,
                         double height);

/// In an image of `width` pixels that is mirrored, left for right.
LabeledBoxes mirroredBoxes(LabeledBoxes boxes, double width);

}  // namespace headlight
