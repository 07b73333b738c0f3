// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// "texture-scenes": synthetic images of several textured shapes with their boxes, for detectors,
// and with the class of every pixel.

#include <cstdint>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/data/drawn/TextureShape.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

struct TextureScene {
  Image image;
  /// One to four, in the order in which they are drawn: around the pixels that show the shape
  /// (covered to a half or more, by no later one), whose number is the area. Labels as
  /// textureShapeClassNames().
  LabeledBoxes boxes;
};

/// The image `index` of the stream `seed`, size × size: shapes with sides of about 1/6 to 1/2 of
/// it, of which little is hidden or cut off (boxes overlap by an IoU of at most 0.2). A function of
/// its arguments alone, computed in double precision from signed distances, so platforms agree.
/// The same (seed, index) at another size is the same scene. Its shapes are of the first `classes`
/// classes. Throws Failure(InvalidArgument) as drawTextureShape does.
TextureScene drawTextureScene(int size, std::uint64_t seed, std::uint64_t index,
                              int classes = kTextureShapeClasses);

/// The same scene's class of every pixel: [size, size], row-major; 0 is the background, else 1 +
/// label.
std::vector<std::uint8_t> drawSceneClasses(int size, std::uint64_t seed, std::uint64_t index,
                                           int classes = kTextureShapeClasses);

}  // namespace headlight
