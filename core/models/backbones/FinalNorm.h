// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The features of every token: what a model's own final norm makes of them, before its classifier.

#include <ATen/core/Tensor.h>

namespace headlight {

class Model;

/// Tokens as features.
struct NormedTokens {
  at::Tensor tokens;    ///< [B, T, D]
  bool normed = false;  ///< off: as they are, because the model has no final norm for this width
};

/// `tokens` [B, T, D] that leave some block, through the model's final norm (timm's `norm`). A
/// model that normalizes after pooling, or not at all (LeViT), and the narrower tokens of earlier
/// stages have none: those stay as they are.
NormedTokens finalNormed(const Model& model, const at::Tensor& tokens);

}  // namespace headlight
