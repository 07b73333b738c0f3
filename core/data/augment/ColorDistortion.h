// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Random changes of color that leave every object where it is (SSD, Liu et al. 2016).

#include "core/base/Random.h"
#include "core/data/augment/EditedImage.h"

namespace headlight {

/// Turns every hue by `turns` of a whole turn, as in HSV; gray stays gray.
void shiftHue(EditedImage& image, double turns);

/// Brightness, contrast and saturation times a factor in 1 ± strength, and the hue turned by up to
/// ± 36 · strength of 255: each with probability ½, in random order. Strength ½ is SSD's.
void distortColors(RandomStream& draw, double strength, EditedImage& image);

}  // namespace headlight
