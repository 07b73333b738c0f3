// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What heads are worth: how much worse a model is without a head's output (Michel, Levy & Neubig
// 2019). Torch types: core only.

#include <ATen/core/Tensor.h>

#include <functional>
#include <stop_token>
#include <vector>

#include "core/models/backbones/Model.h"

namespace headlight {

/// [layer][head].
using HeadTable = std::vector<std::vector<double>>;

struct ImportanceTask {
  at::Tensor images;  ///< [B, 3, H, W] on the model's device
  /// [B] int64, the model's classes: what counts is the loss. Undefined: the probability of the
  /// class that the model, whole, predicts.
  at::Tensor labels = {};
  /// Called after each layer of exactImportance and each image of firstOrderImportance.
  std::function<void()> afterStep = {};
};

/// Silences one head while it lives: its columns of the layer's projection are 0. They come back
/// bit for bit.
class SilentHead {
 public:
  SilentHead(const at::Tensor& projection, int head, int heads);
  SilentHead(const SilentHead&) = delete;
  SilentHead& operator=(const SilentHead&) = delete;
  ~SilentHead();

 private:
  at::Tensor m_columns, m_kept;
};

/// The fall of the probability, or the rise of the loss, without each head, its mean over the
/// images; one pass a head, of the blocks from its layer on. NaN in layers without a projection.
/// `model` is in evaluation mode, and afterwards as it was, bit for bit, whatever is thrown:
/// Failure (Canceled).
HeadTable exactImportance(Model& model, const ImportanceTask& task, std::stop_token stop);

/// |Σ output · ∂/∂output| of the same quantity for each head, its mean over the images; one
/// backward an image for all heads. Where an activation follows (HeadProjection), both are taken
/// behind it. As above; nothing keeps a gradient.
HeadTable firstOrderImportance(Model& model, const ImportanceTask& task, std::stop_token stop);

}  // namespace headlight
