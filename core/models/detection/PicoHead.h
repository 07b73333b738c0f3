// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The head of PP-PicoDet (Yu et al. 2021): of every cell a logit for each class and, for each side
// of its box, logits of distances (Generalized Focal Loss, Li et al. 2020). Internal to
// core/models.

#include <vector>

#include "core/models/detection/CellScores.h"
#include "core/models/detection/ConvBlock.h"

namespace headlight {

/// Distances 0 … 7 in units of the stride.
constexpr int kDistanceBins = 8;

struct HeadShape {
  int width;
  int layers;   ///< n
  int classes;  ///< K

  int outputs() const { return classes + 4 * kDistanceBins; }
};

/// n separable 5 × 5 convolutions, then one of 1 × 1 with bias, whose channels are the classes',
/// then the distances' side by side: layers.I, predict.
class HeadLevel : public torch::nn::Module {
 public:
  explicit HeadLevel(const HeadShape& shape);
  static void count(CostCounter& counter, const std::string& name, const HeadShape& shape,
                    std::int64_t positions);
  /// [B, c, H, W] → [B, H·W, K + 32].
  at::Tensor forward(at::Tensor maps);
  /// Weights from N(0, 0.01²); the last layer's biases give every class a probability of 0.01.
  void initialize();

 private:
  std::vector<std::shared_ptr<SeparableBlock>> m_layers;
  torch::nn::Conv2d m_predict{nullptr};
};

/// One for each level, no weights shared: 0, 1, 2, 3.
class PicoHead : public torch::nn::Module {
 public:
  explicit PicoHead(const HeadShape& shape);
  /// For an image of so many pixels.
  static void count(CostCounter& counter, const HeadShape& shape, std::int64_t height,
                    std::int64_t width);
  /// Maps of strides 8, 16, 32 and 64.
  CellScores forward(const std::vector<at::Tensor>& maps);
  void initialize();

 private:
  int m_classes;
  std::vector<std::shared_ptr<HeadLevel>> m_levels;
};

}  // namespace headlight
