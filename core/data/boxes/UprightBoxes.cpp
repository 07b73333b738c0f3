// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/UprightBoxes.h"

#include "core/imaging/codecs/Orientation.h"

namespace headlight {
namespace {

/// Its own inverse, in pixels of the file as stored.
PixelBox flippedBox(const PixelBox& box, const ImageSize& stored, const UprightTurn& turn) {
  return {turn.mirrored ? double(stored.width) - box.x - box.width : box.x,
          turn.upsideDown ? double(stored.height) - box.y - box.height : box.y, box.width,
          box.height};
}

PixelBox transposedBox(const PixelBox& box) {
  return {box.y, box.x, box.height, box.width};
}

}  // namespace

bool annotatesStored(const ImageSize& stored, int width, int height) {
  if (stored.orientation == 1) return false;
  const ImageSize upright = stored.upright();
  const bool said = width > 0 && height > 0;
  const bool ofUpright = said && width == upright.width && height == upright.height;
  return !ofUpright || (width == stored.width && height == stored.height);
}

PixelBox uprightBox(const PixelBox& box, const ImageSize& stored) {
  const UprightTurn turn = uprightTurn(stored.orientation);
  const PixelBox flipped = flippedBox(box, stored, turn);
  return turn.transposed ? transposedBox(flipped) : flipped;
}

PixelBox storedBox(const PixelBox& upright, const ImageSize& stored) {
  const UprightTurn turn = uprightTurn(stored.orientation);
  return flippedBox(turn.transposed ? transposedBox(upright) : upright, stored, turn);
}

LabeledBoxes uprightBoxes(LabeledBoxes boxes, const ImageSize& stored) {
  for (LabeledBox& box : boxes)
    box.box = uprightBox(box.box, stored);
  return boxes;
}

}  // namespace headlight
