// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of what a model attends to while it trains, for the event file: small, and few.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/imaging/Preprocess.h"
#include "core/imaging/codecs/Image.h"
#include "core/models/backbones/Model.h"
#include "core/training/tensorboard/EventMessages.h"

namespace headlight {

/// The probe images that are drawn.
inline constexpr std::int64_t kProbeImages = 4;

/// A row of maps for each layer whose map is tokens × tokens ("probe/layer_3"): what the class
/// token, or where there is none the mean over patches, attends to, as the mean over heads; each
/// map from its least to its greatest value, signed ones about 0. `images`: [B, 3, H, W],
/// normalized, on the model's device. Without autograd, in evaluation mode, drawing no random
/// number.
std::vector<EventImage> mapImages(Model& model, const at::Tensor& images);

/// One image [3, H, W] as it was before it was normalized, at most `longest` pixels wide and high
/// (0: as large as it is).
Image seenImage(const at::Tensor& image, const Preprocessing& preprocessing, int longest = 0);

/// The images themselves, in the same order ("probe/images").
EventImage probeImages(const at::Tensor& images, const Preprocessing& preprocessing);

}  // namespace headlight
