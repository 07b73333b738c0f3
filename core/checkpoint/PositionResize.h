// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Position embeddings of a file on the grid of a model. Internal.

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// "pos_embed", alone or as the last part of a name.
bool isPositionEmbedding(const std::string& name);

struct ResizedPositions {
  at::Tensor value;    ///< [1, T, D] in the dtype of the model
  std::string how;     ///< "bicubic", and what became of prefix tokens
  std::string change;  ///< "14×14 → 12×12"
};

/// `file` [1, T', D] → the shape of `model` [1, T, D]. The patches' grid in the file is what the
/// file says, else the model's own or a square; it is resized as timm's resample_abs_pos_embed
/// does: bicubic, antialiased, corners not aligned, in float32; or by the filter of the layout. Prefix positions (class,
/// distillation) are kept; those the file lacks keep the model's values, those the model lacks are
/// dropped. `filePrefix`: how many prefix tokens the file names; used where its size allows it.
/// Nothing if that cannot be done.
std::optional<ResizedPositions> resizePositions(const at::Tensor& file, const at::Tensor& model,
                                                const PositionLayout& layout,
                                                std::int64_t filePrefix);

}  // namespace headlight
