// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Detector.h"

#include <ATen/ATen.h>

namespace headlight {

NeckShape Detector::neckOf(const ModelConfig& config) {
  const TrunkShape trunk = trunkOf(config);
  return {config.backbone.starts_with("lcnet") ? "lc_pan" : "csp_pan",
          {trunk.channelsAt(8), trunk.channelsAt(16), trunk.channelsAt(32)},
          sizeOf(config).neckWidth};
}

HeadShape Detector::headOf(const ModelConfig& config) {
  return {sizeOf(config).neckWidth, sizeOf(config).headLayers, config.classes};
}

Detector::Detector(const ModelConfig& config, const MaskShape& masks) : TrunkModel(config, masks) {
  m_neck = register_module("neck", std::make_shared<PanNeck>(neckOf(config)));
  m_head = register_module("head", std::make_shared<PicoHead>(headOf(config)));
  initialize();
}

/// Convolutions of the neck begin Kaiming uniform (He et al. 2015), as PaddleDetection's.
void Detector::initialize() {
  const at::NoGradGuard noGrad;
  startTrunk();
  startConvolutions(*m_neck, [](at::Tensor weight, double scale) {
    weight.uniform_(-scale * std::sqrt(3.0), scale * std::sqrt(3.0));
  });
  m_head->initialize();
}

CellScores Detector::findInCells(const at::Tensor& tokens) {
  return m_head->forward(m_neck->forward(mapsFrom(tokens)));
}

at::Tensor Detector::classify(const at::Tensor& tokens) {
  return findInCells(tokens).logits.amax(1);
}

ModelCost Detector::cost(const ModelConfig& config) {
  const std::int64_t height = config.imageHeightPixels(), width = config.imageWidthPixels();
  CostCounter counter;
  countTrunk(counter, config);
  counter.enter("neck.");
  PanNeck::count(counter, neckOf(config), height, width);
  counter.enter("head.");
  PicoHead::count(counter, headOf(config), height, width);
  return counter.cost();
}

}  // namespace headlight
