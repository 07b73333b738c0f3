// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights of a pre-trained encoder that a training of another task starts from. Torch types: core
// only.

#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// What fitPretrained() did.
struct PretrainedFit {
  std::vector<std::string> notes;  ///< to be said of it
  bool below = false;              ///< they are a backbone's, whose names begin with `backbone.`
};

/// Fits weights of an encoder to a model of another task: of a masked autoencoder (MAE) the decoder
/// and its mask token are left out, unless the model is one too. Where the model has its ViT below
/// `backbone.` (vit_segmenter) and the file does not, that comes before the names; without a class
/// token there, the file's is left out with its position, and so are distillation and register
/// tokens. Weights of a detector's backbone alone, trained on classes, fill that of a detector:
/// they have no neck, and `backbone.` before their names or not. Other weights stay as they are.
PretrainedFit fitPretrained(Checkpoint& checkpoint, const Model& model);

/// Of a report for weights that were put below `backbone.`, what they can be expected to fill.
LoadReport reportOfBackbone(LoadReport report);

}  // namespace headlight
