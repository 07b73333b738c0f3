// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The detectors of Castling-ViT (You et al. 2023, §4.2 to 4.4): LCNet, ESNet, LCNet-ViT and
// ESNet-ViT with the necks of PP-PicoDet (Yu et al. 2021) and its head.

#include <memory>
#include <vector>

#include "core/models/backbones/TrunkModel.h"
#include "core/models/detection/PanNeck.h"
#include "core/models/detection/PicoHead.h"

namespace headlight {

/// Names: backbone (TrunkModel.h), neck, head.L.
class Detector : public TrunkModel {
 public:
  Detector(const ModelConfig& config, const MaskShape& masks);
  static ModelCost cost(const ModelConfig& config);

  /// The greatest logit of each class over all cells, [B, K].
  at::Tensor classify(const at::Tensor& tokens) override;
  CellScores findInCells(const at::Tensor& tokens) override;

 private:
  static NeckShape neckOf(const ModelConfig& config);
  static HeadShape headOf(const ModelConfig& config);
  void initialize();

  std::shared_ptr<PanNeck> m_neck;
  std::shared_ptr<PicoHead> m_head;
};

}  // namespace headlight
