// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What detection tokens say of objects: a class and a box each (DETR, Carion et al. 2020; YOLOS,
// Fang et al. 2021).

#include "core/attention/base/Cost.h"
#include "core/models/layers/Parts.h"

namespace headlight {

/// Class logits [B, N, K + 1] of N detection tokens, "no object" last, and boxes [B, N, 4]: center
/// x and y, width and height, in [0, 1] of the image that the model sees.
struct ObjectScores {
  at::Tensor logits, boxes;
};

/// Two MLPs of three layers with ReLU between them; boxes end in a sigmoid. Names: classes.{0,1,2},
/// boxes.{0,1,2}.
class ObjectHead : public torch::nn::Module {
 public:
  /// `classes`: with "no object".
  ObjectHead(int width, int classes);
  static void count(CostCounter& counter, int width, int classes, std::int64_t tokens);

  /// [B, N, D], after the final norm.
  ObjectScores forward(const at::Tensor& tokens);

 private:
  using Layers = std::vector<torch::nn::Linear>;
  Layers makeLayers(const char* name, int width, int outputs);

  Layers m_classes, m_boxes;
};

}  // namespace headlight
