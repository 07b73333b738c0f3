// SPDX-License-Identifier: GPL-3.0-or-later

// Weights of another task as a start: of a masked autoencoder or a ViT for a segmenter, of a
// classifier's backbone for a detector. What fits is taken; what does not is refused.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <map>

#include "core/models/Registry.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/training/PretrainedStart.h"
#include "core/workbench/training/TrainingStart.h"

namespace headlight {
namespace {

ModelConfig configFrom(const Json& json) {
  return valueOrThrow(modelFromJson(json, modelCatalog()));
}

/// A grid of 4 × 4 patches.
ModelConfig segmenterConfig() {
  return configFrom({{"backbone", "vit_segmenter"},
                     {"image_size", 64},
                     {"width", 24},
                     {"heads", 3},
                     {"depth", 2},
                     {"classes", 5},
                     {"layout",
                      {{"queries", 5},
                       {"width", 16},
                       {"heads", 2},
                       {"groups", 4},
                       {"encoder_layers", 1},
                       {"encoder_hidden", 24},
                       {"decoder_layers", 1},
                       {"decoder_hidden", 24},
                       {"position_grid", 0}}}});
}

Json encoderJson(int pixels) {
  return {{"image_size", pixels}, {"width", 24}, {"heads", 3}, {"depth", 2}, {"classes", 5}};
}

Checkpoint initialWeights(const ModelConfig& config) {
  Checkpoint checkpoint;
  for (const auto& [name, tensor] : makeModel(config, 1)->state())
    checkpoint.tensors.emplace_back(name, tensor.detach().clone());
  return checkpoint;
}

std::map<std::string, at::Tensor> byName(const NamedTensors& tensors) {
  return {tensors.begin(), tensors.end()};
}

/// What a run would do with them; throws where it would refuse.
struct StartedModel {
  std::shared_ptr<Model> model;
  PretrainedFit fit;
  LoadReport report;
};

StartedModel startWith(Checkpoint checkpoint, const ModelConfig& config) {
  StartedModel start{makeModel(config, 2), {}, {}};
  start.fit = fitPretrained(checkpoint, *start.model);
  const LoadPlan plan = planFor(*start.model, checkpoint, {}, "w.safetensors");
  start.report = plan.report;
  requireStart(start.fit.below ? reportOfBackbone(plan.report) : plan.report, "w.safetensors");
  applyWeights(*start.model, plan, std::nullopt);
  return start;
}

std::string startRefusalOf(const Checkpoint& checkpoint, const ModelConfig& config) {
  const auto started = guarded("", [&] { startWith(checkpoint, config); });
  return started ? "" : started.error().text();
}

/// Every block of the file is in the model's backbone, to the bit, and nothing else of it.
void expectEncoderOf(const Checkpoint& file, const StartedModel& start) {
  EXPECT_TRUE(start.fit.below);
  const auto now = byName(start.model->state());
  int taken = 0;
  for (const auto& [name, tensor] : file.tensors)
    if (name.starts_with("blocks.") || name.starts_with("patch_embed.") ||
        name.starts_with("norm.")) {
      EXPECT_TRUE(at::equal(now.at("backbone." + name), tensor)) << name;
      ++taken;
    }
  EXPECT_GT(taken, 20);
  for (const std::string& name : start.report.missing)
    EXPECT_FALSE(name.starts_with("backbone.")) << name;
  EXPECT_NE(start.report.summary().find("missing"), std::string::npos);
}

TEST(PretrainedStart, ASegmenterStartsFromAVit) {
  const Checkpoint file = initialWeights(configFrom(encoderJson(64)));
  const StartedModel start = startWith(file, segmenterConfig());
  expectEncoderOf(file, start);
  const at::Tensor positions = byName(file.tensors).at("pos_embed");  // [1, 1 + 16, 24]
  EXPECT_TRUE(
      at::equal(byName(start.model->state()).at("backbone.pos_embed"), positions.narrow(1, 1, 16)));
  EXPECT_EQ(start.fit.notes.size(), 2u);
}

TEST(PretrainedStart, PositionsOfAnotherGridAreResizedAndThatIsSaid) {
  const Checkpoint file = initialWeights(configFrom(encoderJson(96)));
  const StartedModel start = startWith(file, segmenterConfig());
  expectEncoderOf(file, start);
  ASSERT_EQ(start.report.resized.size(), 1u);
  EXPECT_EQ(start.report.resized[0].name, "backbone.pos_embed");
  EXPECT_NE(start.report.summary().find("1 resized"), std::string::npos);
}

TEST(PretrainedStart, ASegmenterStartsFromAnAutoencoder) {
  Json json = encoderJson(64);
  json["backbone"] = "mae";
  json["classes"] = 0;
  json["layout"] = {{"decoder_width", 16}, {"decoder_depth", 1}, {"decoder_heads", 2}};
  Checkpoint file = initialWeights(configFrom(json));
  const StartedModel start = startWith(file, segmenterConfig());
  expectEncoderOf(file, start);
  EXPECT_TRUE(at::equal(byName(start.model->state()).at("backbone.pos_embed"),
                        byName(file.tensors).at("pos_embed").narrow(1, 1, 16)));
  EXPECT_NE(start.fit.notes.at(0).find("decoder"), std::string::npos);
}

/// As timm's with no_embed_class: register tokens beside the class token, positions of patches.
TEST(PretrainedStart, PositionsOfPatchesAloneStayWhole) {
  Checkpoint file = initialWeights(configFrom(encoderJson(64)));
  for (auto& [name, tensor] : file.tensors)
    if (name == "pos_embed") tensor = tensor.narrow(1, 1, 16).contiguous();
  file.tensors.emplace_back("reg_token", at::zeros({1, 4, 24}));
  const StartedModel start = startWith(file, segmenterConfig());
  EXPECT_TRUE(at::equal(byName(start.model->state()).at("backbone.pos_embed"),
                        byName(file.tensors).at("pos_embed")));
}

TEST(PretrainedStart, WhatFillsNoBackboneIsRefused) {
  Json wide = encoderJson(64);
  wide["width"] = 48;
  EXPECT_NE(startRefusalOf(initialWeights(configFrom(wide)), segmenterConfig()), "");
  Checkpoint other;
  other.tensors.emplace_back("layer1.0.conv1.weight", at::zeros({8, 3, 3, 3}));
  EXPECT_NE(startRefusalOf(other, segmenterConfig()), "");
}

// ---- Detectors ------------------------------------------------------------------------------------

ModelConfig detectorConfig(const std::string& backbone) {
  return configFrom(
      {{"backbone", backbone}, {"image_size", 64}, {"classes", 5}, {"layout", {{"size", "xs"}}}});
}

/// The backbone of a detector with a classifier of its own, with or without `backbone.`.
Checkpoint classifierOf(const std::string& backbone, const std::string& before) {
  Checkpoint checkpoint;
  const std::string own = "backbone.";
  for (const auto& [name, tensor] : initialWeights(detectorConfig(backbone)).tensors)
    if (name.starts_with(own)) checkpoint.tensors.emplace_back(before + name.substr(9), tensor);
  checkpoint.tensors.emplace_back("head.weight", at::zeros({1000, 1280}));
  return checkpoint;
}

TEST(PretrainedStart, ADetectorStartsFromItsBackboneTrainedOnClasses) {
  for (const std::string backbone : {"lcnet_vit", "esnet_vit"})
    for (const std::string before : {"", "backbone."}) {
      const Checkpoint file = classifierOf(backbone, before);
      const StartedModel start = startWith(file, detectorConfig(backbone));
      EXPECT_TRUE(start.fit.below) << backbone;
      const auto now = byName(start.model->state());
      for (const auto& [name, tensor] : file.tensors) {
        if (name == "head.weight") continue;
        const std::string below = before.empty() ? "backbone." + name : name;
        EXPECT_TRUE(at::equal(now.at(below), tensor)) << below;
      }
    }
}

ModelConfig classifierConfig(const std::string& trunk) {
  return configFrom({{"backbone", trunk + "_classifier"},
                     {"image_size", 64},
                     {"classes", 7},
                     {"layout", {{"size", "xs"}}}});
}

TEST(PretrainedStart, ADetectorStartsFromTheClassifierOfItsNetwork) {
  for (const std::string trunk : {"lcnet", "esnet", "lcnet_vit", "esnet_vit"}) {
    SCOPED_TRACE(trunk);
    Checkpoint file = initialWeights(classifierConfig(trunk));
    const StartedModel start = startWith(file, detectorConfig(trunk));
    EXPECT_TRUE(start.fit.below);
    const auto now = byName(start.model->state());
    for (const auto& [name, tensor] : file.tensors) {
      if (!name.starts_with("backbone.")) continue;
      EXPECT_TRUE(at::equal(now.at(name), tensor)) << name;
    }
  }
}

TEST(PretrainedStart, AClassifiersOwnWeightsStayAsTheyAre) {
  Checkpoint file = initialWeights(classifierConfig("lcnet"));
  const auto model = makeModel(classifierConfig("lcnet"), 2);
  EXPECT_FALSE(fitPretrained(file, *model).below);
  EXPECT_TRUE(planFor(*model, file).report.complete());
}

TEST(PretrainedStart, AnotherDetectorsBackboneIsRefused) {
  EXPECT_NE(startRefusalOf(classifierOf("esnet_vit", ""), detectorConfig("lcnet_vit")), "");
}

TEST(PretrainedStart, ADetectorsOwnWeightsStayAsTheyAre) {
  Checkpoint file = initialWeights(detectorConfig("lcnet_vit"));
  const auto model = makeModel(detectorConfig("lcnet_vit"), 2);
  EXPECT_FALSE(fitPretrained(file, *model).below);
  EXPECT_TRUE(planFor(*model, file).report.complete());
}

}  // namespace
}  // namespace headlight
