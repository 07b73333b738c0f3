// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Classifiers of PP-LCNet (Cui et al. 2021) and ESNet (Yu et al. 2021), with and without
// Castling-ViT's transformer blocks: what detectors of Table 3 are pre-trained as (You et al. 2023).

#include <torch/nn/modules/linear.h>

#include <memory>

#include "core/models/backbones/TrunkModel.h"

namespace headlight {

/// linear(hard-swish(1 × 1 to 1,280 of the mean of the last map)): hidden (no bias), fc.
class TrunkClassifierHead : public torch::nn::Module {
 public:
  TrunkClassifierHead(int width, int classes);
  static void count(CostCounter& counter, int width, int classes);
  /// [B, C] → [B, K].
  at::Tensor forward(const at::Tensor& features);

 private:
  torch::nn::Linear m_hidden{nullptr}, m_classifier{nullptr};
};

/// Names: backbone (TrunkModel.h), as in a detector, which these weights start; head.
class TrunkClassifier : public TrunkModel {
 public:
  TrunkClassifier(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);

  at::Tensor classify(const at::Tensor& tokens) override;
  at::Tensor pooledFeatures(const at::Tensor& tokens) override;

 private:
  std::shared_ptr<TrunkClassifierHead> m_head;
};

}  // namespace headlight
