// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small detectors.

#include <ATen/ATen.h>

#include <cmath>
#include <memory>
#include <string>

#include "core/config/ExperimentTask.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/StirNorms.h"

namespace headlight {

/// All that has to be said of one.
inline Json microJson(const std::string& backbone, int pixels = 96) {
  return {
      {"backbone", backbone}, {"layout", {{"size", "xs"}}}, {"classes", 9}, {"image_size", pixels}};
}

inline ModelConfig microDetector(const std::string& backbone, int pixels = 96,
                                 const std::string& mechanism = "softmax",
                                 const Json& attention = Json::object()) {
  Json json = microJson(backbone, pixels);
  json["mechanism"] = mechanism;
  json["attention"] = attention;
  return valueOrThrow(modelFromJson(json, modelCatalog()));
}

/// As after training: norms that matter, and a head whose layers let something through.
inline void stirDetector(Model& model) {
  const at::NoGradGuard noGrad;
  seedTorch(3);
  stirNorms(model);
  for (const auto& [name, tensor] : model.trainable()) {
    if (name.ends_with("bn.weight")) at::Tensor(tensor).uniform_(0.5, 1.5);
    if (!name.starts_with("head.") || tensor.dim() < 2) continue;
    at::Tensor(tensor).normal_(0, std::sqrt(2.0 / static_cast<double>(tensor[0].numel())));
  }
}

/// A detector, or the classifier made of its network: many convolutions with batch norms.
inline bool isDetectorsNetwork(const ModelConfig& config) {
  return taskOf(config) == Task::Detect || config.backbone.ends_with(kClassifierEnding);
}

/// Batch norms whose statistics are those of what passes them, so that the images reach the cells.
inline void settleNorms(Model& model, const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  model.train();
  for (int pass = 0; pass < 40; ++pass)
    model.forward(images);
  model.eval();
}

inline std::shared_ptr<Model> stirredDetector(const ModelConfig& config) {
  auto model = makeModel(config, 1);
  stirDetector(*model);
  model->eval();
  return model;
}

inline at::Tensor noise(int batch, int height, int width) {
  seedTorch(9);
  return at::randn({batch, 3, height, width});
}

}  // namespace headlight
