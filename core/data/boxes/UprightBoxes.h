// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Boxes of images that EXIF turns: annotations are of the pixels as stored, unless their size says
// that they are of the upright image.

#include "core/analysis/boxes/LabeledBox.h"
#include "core/imaging/codecs/ImageSize.h"

namespace headlight {

/// Whether annotations for `width` × `height` pixels (0: they do not say) have to move with the
/// pixels of an image file.
bool annotatesStored(const ImageSize& stored, int width, int height);

/// From the pixels of a file as stored to the upright image, and back.
PixelBox uprightBox(const PixelBox& box, const ImageSize& stored);
PixelBox storedBox(const PixelBox& upright, const ImageSize& stored);

LabeledBoxes uprightBoxes(LabeledBoxes boxes, const ImageSize& stored);

}  // namespace headlight
