// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the heads of a layer give and which values they weigh, and numbers of both. Torch types:
// core only.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/attention/base/AttentionHook.h"

namespace headlight {

/// Whether `outputs` [B, T, H·e] of a layer are weights times values and nothing else: one product,
/// of all images and heads.
bool areWeighedValues(const std::vector<WeighedValues>& products, const at::Tensor& outputs,
                      int heads);

/// [head]: the median of ‖v‖ over the tokens of one image, of values [H, T, e]; NaN where they are
/// undefined, or those of fewer heads.
std::vector<double> medianValueNorms(const at::Tensor& values, int heads);

/// [head]: effective rank of its outputs over tokens (Roy & Vetterli 2007), exp of the entropy of
/// the singular values, of outputs [T, H·e]; NaN where they are undefined, or 0.
std::vector<double> outputRanks(const at::Tensor& outputs, int heads);

/// Keeps the map of the layer that runs, what its heads give and what they weigh.
class HeadOutputsHook : public CollectingHook {
 public:
  explicit HeadOutputsHook(int heads) : m_heads(heads) {}
  void follow(int layer, FollowedMap map) override;
  at::Tensor heads(const at::Tensor& outputs) override;

  at::Tensor values;   ///< [B, H, T, e]; undefined where outputs are not weights times values
  at::Tensor outputs;  ///< [B, T', H·e]; undefined where the mechanism does not say

 private:
  int m_heads;
  std::vector<WeighedValues> m_products;
};

}  // namespace headlight
