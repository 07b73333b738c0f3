// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/Backbones.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/config/ExperimentTask.h"
#include "core/models/Registry.h"
#include "core/models/backbones/AttentionStart.h"
#include "core/models/backbones/CaiT.h"
#include "core/models/backbones/ConViT.h"
#include "core/models/backbones/Detector.h"
#include "core/models/backbones/LeViT.h"
#include "core/models/backbones/MViT.h"
#include "core/models/backbones/MaskedAutoencoder.h"
#include "core/models/backbones/Segmenter.h"
#include "core/models/backbones/Swin.h"
#include "core/models/backbones/TrunkClassifier.h"
#include "core/models/backbones/VisionTransformer.h"
#include "core/models/published/DetectorSizes.h"

namespace headlight {
namespace {

/// A class that is constructed from a ModelConfig and its mask shape and counts its cost.
template <typename M>
Backbone backbone(Variant variant) {
  variant.task = backboneTask(variant.name);
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

/// Options and classes say all that is to be said of these networks.
Variant trunkVariant(const std::string& name, const std::string& help) {
  const bool plain = !trunkName(name).ends_with("_vit");
  return {.name = name,
          .help = help,
          .options = &TrunkModel::optionTable(),
          .mechanisms = plain ? std::vector<std::string>{"softmax"} : std::vector<std::string>(),
          .rules = {.withoutBlocks = plain},
          .derive = deriveDetector,
          .derived = derivedOfDetectors()};
}

Variant detectorVariant(const std::string& name, const std::string& help) {
  Variant variant = trunkVariant(name, help);
  variant.fixed = {{"crop_mode", "squash", "A detector sees images whole: choose squash"},
                   {"crop_fraction", 1.0, "A detector sees images whole: set it to 1"}};
  variant.defaults = {{"crop_mode", "squash"}, {"crop_fraction", 1.0}};
  return variant;
}

Variant autoencoderVariant() {
  const std::string name = "An MAE";
  return {.name = "mae",
          .help = "MAE: reconstructs images of which it sees some patches; pre-trains ViTs.",
          .options = &MaskedAutoencoder::optionTable(),
          // The others have weights or windows of positions, and need every patch.
          .mechanisms = {"softmax", "talking_heads", "linear_angular", "aft_simple", "taylor_shift",
                         "differential", "gated_softmax", "linear_transformer", "performer"},
          .rules = {.needsClassifier = false},
          .fixed = {oneStage(name),
                    noClassBlocks(name),
                    {"classes", 0, "An MAE has no classifier: set it to 0"},
                    {"class_token", true, "An MAE has a class token: turn it on"},
                    notDistilled(name),
                    {"positions", "none",
                     "An MAE's positions are fixed sines and not learned: choose none"},
                    noLayerScale(name)},
          .defaults = {{"classes", 0}, {"positions", "none"}}};
}

/// An image is seen whole unless a config says otherwise: its classes are those of all its pixels.
Variant segmenterVariant() {
  return {.name = "vit_segmenter",
          .help = "ViT with Mask2Former's decoders: a class for every pixel (Castling-ViT).",
          .options = &Segmenter::optionTable(),
          .rules = {.takesAnySides = true},
          .fixed = {oneStage("The segmenter"),
                    noClassBlocks("The segmenter"),
                    {"class_token", false, "The segmenter has no class token: turn it off"},
                    notDistilled("The segmenter"),
                    {"positions", "learned", "The segmenter learns its positions: choose learned"}},
          .defaults = {{"class_token", false},
                       {"image_size", 512},
                       {"crop_mode", kPadMode},
                       {"crop_fraction", 1.0}}};
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
      backbone<MaskedAutoencoder>(autoencoderVariant()),
      backbone<Detector>(
          detectorVariant("lcnet_vit", "LCNet-ViT: detects objects (Castling-ViT).")),
      backbone<Detector>(
          detectorVariant("esnet_vit", "ESNet-ViT: detects objects (Castling-ViT).")),
      backbone<Detector>(
          detectorVariant("lcnet", "LCNet: detects objects (PicoDet), without attention.")),
      backbone<Detector>(
          detectorVariant("esnet", "ESNet: detects objects (PicoDet), without attention.")),
      backbone<TrunkClassifier>(
          trunkVariant("lcnet_vit_classifier", "LCNet-ViT: classifies; starts its detector.")),
      backbone<TrunkClassifier>(
          trunkVariant("esnet_vit_classifier", "ESNet-ViT: classifies; starts its detector.")),
      backbone<TrunkClassifier>(trunkVariant(
          "lcnet_classifier", "LCNet: classifies, without attention; starts its detector.")),
      backbone<TrunkClassifier>(trunkVariant(
          "esnet_classifier", "ESNet: classifies, without attention; starts its detector.")),
      backbone<Segmenter>(segmenterVariant()),
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
  const std::shared_ptr<Model> model = backbone.make(config);
  startAttention(*model, seed);
  return model;
}

}  // namespace headlight
