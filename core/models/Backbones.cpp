// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/Backbones.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/backbones/CaiT.h"
#include "core/models/backbones/ConViT.h"
#include "core/models/backbones/LeViT.h"
#include "core/models/backbones/MViT.h"
#include "core/models/backbones/Swin.h"
#include "core/models/backbones/VisionTransformer.h"

namespace headlight {
namespace {

/// A class that is constructed from a ModelConfig and its mask shape and counts its cost.
template <typename M>
Backbone backbone(Variant variant) {
  return {
      std::move(variant),
      [](const ModelConfig& config) { return std::make_shared<M>(config, makeMaskShape(config)); },
      M::cost};
}

FixedParameter oneStage(const std::string& name) {
  return {"depths", Json::array(), name + " has one stage: set depth, or use the backbone swin"};
}
FixedParameter noClassBlocks(const std::string& name) {
  return {"class_depth", 0,
          name + " has no class-attention blocks: set it to 0, or use the backbone cait"};
}
FixedParameter noClassToken(const std::string& name) {
  return {"class_token", false, name + " averages its patches and has no class token: turn it off"};
}
FixedParameter notDistilled(const std::string& name) {
  return {"distilled", false, name + " has no distillation token: turn it off"};
}
FixedParameter noLayerScale(const std::string& name) {
  return {"layer_scale", 0.0, name + " has no LayerScale: set it to 0"};
}

Variant levitVariant() {
  return {.name = "levit",
          .help = "LeViT and Castling-LeViT: batch norms, keys narrower than tokens.",
          .options = &LeViT::optionTable(),
          .mechanisms = {"softmax", "linear_angular"},
          // A key's width is an option; the two heads of classes read the same features.
          .rules = {.headsDivideWidth = false, .distilledNeedsClassToken = false},
          .fixed = {
              noClassBlocks("LeViT"),
              {"patch_size", 16, "LeViT's stem halves an image four times: patches are 16 pixels"},
              {"class_token", false, "LeViT has no class token, even if distilled: turn it off"},
              {"positions", "none", "LeViT uses attention biases for positions: choose none"},
              noLayerScale("LeViT"),
              {"norm_epsilon", ModelConfig{}.normEpsilon,
               "LeViT has no layer norms, and its batch norms always have the epsilon 1e-5: leave "
               "norm_epsilon at 1e-6"},
              {"qkv_bias", true,
               "LeViT's queries, keys and values have the bias of their batch norm: leave it "
               "on"}}};
}

}  // namespace

const std::vector<Backbone>& backbones() {
  static const std::vector<Backbone> all{
      backbone<VisionTransformer>({.name = "vit",
                                   .help = "ViT, DeiT, DINO, CLIP, BEiT, EVA-02: equal blocks.",
                                   .options = &VisionTransformer::optionTable(),
                                   .rules = {.needsClassifier = false, .takesRegisters = true},
                                   .fixed = {oneStage("ViT"), noClassBlocks("ViT")}}),
      backbone<ConViT>(
          {.name = "convit",
           .help = "ConViT: blocks of patches only, then the class token joins.",
           .options = &ConViT::optionTable(),
           .mechanisms = {"gated_positional", "softmax", "learned_mask"},
           .fixed = {oneStage("ConViT"), noClassBlocks("ConViT"), notDistilled("ConViT")}}),
      backbone<CaiT>(
          {.name = "cait",
           .help = "CaiT: patch layers, then class-attention layers; LayerScale.",
           .fixed = {oneStage("CaiT"),
                     {"class_token", true, "CaiT classifies by its class token: turn it on"},
                     notDistilled("CaiT")}}),
      backbone<LeViT>(levitVariant()),
      backbone<MViT>({.name = "mvitv2",
                      .help = "MViTv2: stages of pooling attention, and Castling-MViTv2.",
                      .options = &MViT::optionTable(),
                      .mechanisms = {"softmax", "linear_angular"},
                      .fixed = {notDistilled("MViTv2"), noClassToken("MViTv2"),
                                noClassBlocks("MViTv2"), noLayerScale("MViTv2")}}),
      backbone<Swin>(
          {.name = "swin",
           .help = "Swin, H-MaiT and ViT-LSLA: stages that halve the grid.",
           .options = &Swin::optionTable(),
           .rules = {.needsClassifier = false},
           .fixed = {notDistilled("The backbone swin"), noClassToken("The backbone swin"),
                     noClassBlocks("The backbone swin")}}),
  };
  return all;
}

const Backbone& findBackbone(const std::string& name) {
  const auto& all = backbones();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Backbone& b) { return b.variant.name == name; });
  if (found == all.end())
    throw Failure(
        {ErrorCode::InvalidConfig, tr("unknown backbone \"") + name + "\"", "model.backbone"});
  return *found;
}

std::shared_ptr<Model> makeModel(const ModelConfig& given, std::uint64_t seed) {
  // Options that a config built by hand leaves out get their defaults, and nonsense is refused.
  const ModelConfig config = checkedAndCompleted(given);
  const Backbone& backbone = findBackbone(config.backbone);
  requireMemoryFor(backbone.cost(config).parameters);
  const auto random = holdTorchRandom();
  seedTorch(seed);
  return backbone.make(config);
}

}  // namespace headlight
