// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The gradient of one class's logit, carried from the classifier back through a model block by
// block: what stands in the graph at any time is one block, whatever the depth. Torch types: core
// only.

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/attention/base/AttentionHook.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// One image through a model, with what each block took in. Called after every block, `step` may
/// throw to stop.
struct CapturedPass {
  std::vector<at::Tensor>
      tokens;         ///< [layers + 1]: what enters each block, and what leaves the last
  at::Tensor logits;  ///< [classes]; undefined for a model without classifier
};
/// `image` [1, 3, H, W], normalized, where the model is.
CapturedPass capturedPass(Model& model, const at::Tensor& image, const std::function<void()>& step);

/// What the gradient is in one block.
struct BlockGradient {
  FollowedMap map;                       ///< of its attention, where that was asked for
  std::vector<at::Tensor> ofMixed;       ///< of each product's `mixed`; undefined: 0
  at::Tensor entering, ofEntering = {};  ///< [1, T, D]: the tokens that enter its attention
};

/// What the model says of each class, [1, classes], given what leaves its last block; of a detector
/// in one cell, or for −1 the greatest over the cells. Throws Failure for a cell that there is not.
at::Tensor classLogits(Model& model, const at::Tensor& tokens, int cell = -1);

class ClassGradient {
 public:
  /// Of the class's logit in classLogits(). Throws Failure for a class that the model does not
  /// have.
  ClassGradient(Model& model, const CapturedPass& pass, int classIndex, int cell = -1);

  /// The block that stepBack() goes through next, from the last to 0; −1 behind the first.
  int nextBlock() const { return m_next; }
  /// At the tokens that leave nextBlock(): [1, T, D].
  const at::Tensor& atTokens() const { return m_gradient; }
  /// Whether the classifier reads the class token, rather than patches.
  bool readsClassToken() const;

  /// Through one block, by the kernels that run it anyway; `withMap`: with what its map weighs.
  /// Throws Failure where the mechanism does not say that.
  BlockGradient stepBack(bool withMap);

 private:
  Model& m_model;
  const CapturedPass& m_pass;
  int m_next;
  at::Tensor m_gradient;
};

/// mean_h((∇A ⊙ A)⁺) of a block over all its tokens (Chefer, Gur & Wolf 2021, Eq. 5): [T, T] on the
/// host. ∇A is computed head by head, from the gradient of what the weights make of the values.
at::Tensor relevanceFactor(const BlockGradient& block);

}  // namespace headlight
