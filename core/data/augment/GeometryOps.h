// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Operations that move pixels, as Pillow's Image.transform(AFFINE) and Image.rotate: what comes
// from outside the image is filled with one color.

#include "core/data/augment/EditedImage.h"
#include "core/imaging/Preprocess.h"

namespace headlight {

/// How the moving operations read between pixels, and what they put outside.
struct Resampling {
  Interpolation interpolation = Interpolation::Bicubic;
  RgbColor fill{128, 128, 128};
};

/// Pixel (x, y) is read at (x + factor · y, y), shearY's at (x, y + factor · x).
void shearX(EditedImage& image, double factor, const Resampling& resampling);
void shearY(EditedImage& image, double factor, const Resampling& resampling);
/// Read `share` of the width further right, or of the height further down.
void translateX(EditedImage& image, double share, const Resampling& resampling);
void translateY(EditedImage& image, double share, const Resampling& resampling);
/// Counter-clockwise around the center.
void rotate(EditedImage& image, double degrees, const Resampling& resampling);

}  // namespace headlight
