// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Operations that map each value of a channel to another one, as Pillow's ImageOps.

#include "core/data/augment/EditedImage.h"

namespace headlight {

/// Each channel stretched so that its least value becomes 0 and its greatest 255.
void autoContrast(EditedImage& image);
/// Each channel mapped so that its values are about equally frequent.
void equalize(EditedImage& image);
void invert(EditedImage& image);
/// Keeps the `bits` highest bits of every value; 0 or fewer: black, 8 or more: no change.
void posterize(EditedImage& image, int bits);
/// Inverts values of at least `threshold`.
void solarize(EditedImage& image, int threshold);
/// Adds `amount` to values below 128, up to 255 (timm's SolarizeAdd).
void solarizeAdd(EditedImage& image, int amount);

}  // namespace headlight
