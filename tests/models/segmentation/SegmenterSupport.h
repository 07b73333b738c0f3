// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small segmenters, and parts of them.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <memory>
#include <string>

#include "core/models/Registry.h"
#include "core/models/backbones/Segmenter.h"
#include "core/models/layers/Parts.h"
#include "tests/models/segmentation/NaiveSegmenter.h"

namespace headlight {

constexpr int kMicroDecoderHeads = 2, kMicroGroups = 4;

/// All that has to be said of one.
inline Json microSegmenterJson(int pixels = 64) {
  return {{"backbone", "vit_segmenter"},
          {"image_size", pixels},
          {"classes", 5},
          {"width", 24},
          {"heads", 3},
          {"depth", 2},
          {"layout",
           {{"queries", 6},
            {"width", 16},
            {"heads", kMicroDecoderHeads},
            {"groups", kMicroGroups},
            {"encoder_layers", 2},
            {"encoder_hidden", 24},
            {"decoder_layers", 4},
            {"decoder_hidden", 20},
            {"position_grid", 3}}}};
}

inline ModelConfig microSegmenter(int pixels = 64, const std::string& mechanism = "softmax",
                                  const Json& attention = Json::object()) {
  Json json = microSegmenterJson(pixels);
  json["mechanism"] = mechanism;
  json["attention"] = attention;
  return valueOrThrow(modelFromJson(json, modelCatalog()));
}

/// As after training: nothing that begins as zeros or ones is left so, and masks have both signs.
inline void stirSegmenter(torch::nn::Module& module) {
  const at::NoGradGuard noGrad;
  seedTorch(3);
  for (const auto& item : module.named_buffers())
    if (item.key().find("running_") != std::string::npos) item.value().uniform_(0.5, 1.5);
  for (const auto& item : module.named_parameters()) {
    at::Tensor values = item.value();
    if (item.key().find("sampling_offsets.bias") != std::string::npos)
      values.normal_(0, 1.5);
    else if (values.dim() > 1)
      values.normal_(0, item.key().ends_with("embed") ? 1.0 : 0.3);
    else
      values.add_(at::randn_like(values), 0.2);
  }
}

inline std::shared_ptr<Model> stirredSegmenter(const ModelConfig& config) {
  auto model = makeModel(config, 1);
  stirSegmenter(*model);
  model->eval();
  return model;
}

inline at::Tensor segmenterNoise(int batch, int height, int width) {
  seedTorch(9);
  return at::randn({batch, 3, height, width});
}

/// A part under the name "part", in double precision and evaluation mode, stirred, and its naive
/// one.
template <typename Part>
std::pair<std::shared_ptr<Part>, NaiveSegmenter> stirredPart(std::shared_ptr<Part> part,
                                                             int heads) {
  Holder holder;
  holder.register_module("part", part);
  holder.to(at::kDouble);
  holder.eval();
  stirSegmenter(holder);
  ModelTensors state;
  for (const auto& item : holder.named_parameters())
    state.emplace_back(item.key(), item.value());
  return {part, NaiveSegmenter(state, heads)};
}

inline void expectNear(const at::Tensor& found, const at::Tensor& expected, double tolerance,
                       const std::string& what) {
  ASSERT_EQ(found.sizes(), expected.sizes()) << what;
  const double size = expected.abs().max().item<double>();
  EXPECT_GT(expected.std().item<double>(), 1e-3) << what;
  EXPECT_LT((found.to(at::kDouble) - expected.to(at::kDouble)).abs().max().item<double>(),
            tolerance * size)
      << what;
}

inline void expectNear(const SegmentScores& found, const SegmentScores& expected,
                       double tolerance) {
  ASSERT_EQ(found.classes.size(), expected.classes.size());
  ASSERT_EQ(found.masks.size(), expected.masks.size());
  for (std::size_t i = 0; i < found.masks.size(); ++i) {
    expectNear(found.classes[i], expected.classes[i], tolerance, "classes " + std::to_string(i));
    expectNear(found.masks[i], expected.masks[i], tolerance, "masks " + std::to_string(i));
  }
}

}  // namespace headlight
