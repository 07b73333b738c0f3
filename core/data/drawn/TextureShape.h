// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// "texture-shape": synthetic images whose class is a texture together with a shape ("striped
// disc"). Telling the texture takes a look at one place, telling the shape a look at the whole, and
// neither alone names the class: what a study of local against global attention needs.

#include <cstdint>
#include <string>
#include <vector>

#include "core/imaging/codecs/Image.h"

namespace headlight {

inline constexpr int kMinTextureShapeSize = 16;
inline constexpr int kMaxTextureShapeSize = 2048;
inline constexpr int kTextureShapeClasses = 9;

/// Nine names, texture-major: label = 3 · texture + shape.
const std::vector<std::string>& textureShapeClassNames();

/// Throws Failure(InvalidArgument) for a side outside of kMinTextureShapeSize to
/// kMaxTextureShapeSize.
void requireDrawnSize(int size);

/// The image `index` of the stream `seed`, size × size, showing class `label`. A function of its
/// arguments alone: shape, texture, colors, places and noise come from counters, and what is drawn
/// is computed in double precision from signed distances, so platforms agree. The same (seed,
/// index, label) at another size is the same scene. Throws Failure(InvalidArgument) outside the
/// ranges.
Image drawTextureShape(int size, std::uint64_t seed, std::uint64_t index, int label);

}  // namespace headlight
