// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model learns from where only the time of a step counts. Torch types: core only.

#include <cstdint>

#include "core/config/ModelConfig.h"
#include "core/data/Loader.h"

namespace headlight {

/// `images` random images of the model's size with what its task learns from: random classes; for a
/// detector boxes, for a segmenter classes of pixels of drawn scenes (TextureScene.h), so that as
/// many cells and queries learn as in a training on those.
Batch drawnBatch(const ModelConfig& config, std::int64_t images);

}  // namespace headlight
