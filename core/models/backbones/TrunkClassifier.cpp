// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/TrunkClassifier.h"

#include <ATen/ATen.h>

#include "core/models/layers/LevitParts.h"

namespace headlight {
namespace {

constexpr int kLastStride = 32;
constexpr int kHiddenFeatures = 1280;

}  // namespace

TrunkClassifierHead::TrunkClassifierHead(int width, int classes) {
  using torch::nn::LinearOptions;
  m_hidden = register_module("hidden",
                             torch::nn::Linear(LinearOptions(width, kHiddenFeatures).bias(false)));
  m_classifier = register_module("fc", torch::nn::Linear(LinearOptions(kHiddenFeatures, classes)));
}

void TrunkClassifierHead::count(CostCounter& counter, int width, int classes) {
  counter.linear("hidden", width, kHiddenFeatures, /*bias=*/false, 1);
  counter.linear("fc", kHiddenFeatures, classes, /*bias=*/true, 1);
}

at::Tensor TrunkClassifierHead::forward(const at::Tensor& features) {
  return m_classifier(hardSwish(m_hidden(features)));
}

TrunkClassifier::TrunkClassifier(const ModelConfig& config, const MaskShape& masks)
    : TrunkModel(config, masks) {
  m_head = register_module("head", std::make_shared<TrunkClassifierHead>(
                                       trunkOf(config).channelsAt(kLastStride), config.classes));
  startTrunk();
}

at::Tensor TrunkClassifier::pooledFeatures(const at::Tensor& tokens) {
  return mapsFrom(tokens).back().mean({2, 3});
}

at::Tensor TrunkClassifier::classify(const at::Tensor& tokens) {
  return m_head->forward(pooledFeatures(tokens));
}

ModelCost TrunkClassifier::cost(const ModelConfig& config) {
  CostCounter counter;
  countTrunk(counter, config);
  counter.enter("head.");
  TrunkClassifierHead::count(counter, trunkOf(config).channelsAt(kLastStride), config.classes);
  return counter.cost();
}

}  // namespace headlight
