// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Everything about images that a program needs: decoding, what the model sees, color maps,
// overlays, composed figures.

#include "core/imaging/ColorMap.h"
#include "core/imaging/Preprocess.h"
#include "core/imaging/Resample.h"
#include "core/imaging/codecs/Image.h"
#include "core/imaging/drawing/Figure.h"

namespace headlight {

/// The Preprocessing that a model's config describes.
Preprocessing makePreprocessing(const struct ModelConfig& model);

}  // namespace headlight
