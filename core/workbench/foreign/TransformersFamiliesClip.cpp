// SPDX-License-Identifier: GPL-3.0-or-later

// TransformersFamilies.h: the image halves of CLIP and SigLIP, and Swin.

#include <algorithm>
#include <cmath>

#include "core/base/Translation.h"
#include "core/workbench/foreign/TransformersFamilies.h"

namespace headlight {
namespace {

void noteHalf(const TransformersSource& source, ForeignModel& model) {
  if (source.whole.has("text_config")) model.notes.push_back(kTextHalfNote);
}

void setSecondVersion(const ConfigValues& config, ModelConfig& model) {
  const std::vector<int> trained = config.wholes("pretrained_window_sizes", {0, 0, 0, 0}, 0);
  if (trained.size() < model.depths.size())
    config.refuse("pretrained_window_sizes", tr("must have one window for each stage"));
  if (std::any_of(trained.begin(), trained.end(), [](int window) { return window > 0; }))
    model.attention["pretrained_windows"] = trained;
  model.attention["cosine"] = true;
  model.layout["merging"] = "patch_norm";
  model.layout["post_norm"] = true;
}

}  // namespace

void readClip(const TransformersSource& source, ForeignModel& model) {
  ModelConfig& ours = model.model;
  readCommon(source.tower, 1e-5, "quick_gelu", ours);
  ours.patchSize = source.tower.whole("patch_size", 32);
  ours.layout["norm_pre"] = true;
  model.shortSide = true;
  noteHalf(source, model);
  const std::string& name = source.architecture;
  if (source.classifies()) {
    ours.classes = source.labels;
    ours.layout["pooling"] = "mean";
    ours.layout["final_norm"] = false;
  } else if (name != "CLIPVisionModel" && (source.type == "clip" || name.ends_with("Projection"))) {
    ours.classes = source.whole.whole("projection_dim", 512);
    model.notes.push_back("its " + std::to_string(ours.classes) + kEmbeddingNote);
  }
}

void readSiglip(const TransformersSource& source, ForeignModel& model) {
  constexpr int kMostPatches = 1 << 20;
  const ConfigValues& config = source.tower;
  ModelConfig& ours = model.model;
  readCommon(config, 1e-6, "gelu_pytorch_tanh", ours);
  ours.classToken = false;
  if (source.type.starts_with("siglip2") && !config.has("image_size")) {
    const int patches = config.whole("num_patches", 256, 1, kMostPatches);
    ours.layout["position_filter"] = "bilinear";
    ours.imageSize = ours.patchSize * static_cast<int>(std::lround(std::sqrt(patches)));
    model.notes.push_back(
        "it takes images of any proportions; here they are squashed to a square of as many "
        "patches: choose another size with --image-size");
  }
  noteHalf(source, model);
  const bool pools = config.flag("vision_use_head", true) && !source.classifies();
  ours.layout["pooling"] = pools ? "attention" : "mean";
  if (source.classifies()) ours.classes = source.labels;
}

void readSwin(const TransformersSource& source, ForeignModel& model) {
  const ConfigValues& config = source.tower;
  ModelConfig& ours = model.model;
  requireColors(config);
  if (activationNamed(config, "hidden_act", "gelu") != "gelu")
    config.refuse("hidden_act", tr("only gelu is supported in a Swin"));
  ours.backbone = "swin";
  ours.mechanism = "window";
  ours.attention = {{"window", config.whole("window_size", 7, 1, 64)}, {"shift", true}};
  ours.classToken = false;
  ours.positions = config.flag("use_absolute_embeddings", false) ? "learned" : "none";
  const auto [height, width] = config.size("image_size", {224, 224});
  ours.imageSize = height;
  ours.imageWidth = width == height ? 0 : width;
  ours.patchSize = config.whole("patch_size", 4);
  ours.width = config.whole("embed_dim", 96);
  ours.depths = config.wholes("depths", {2, 2, 6, 2});
  ours.stageHeads = config.wholes("num_heads", {3, 6, 12, 24});
  ours.depth = ours.depths[0];
  ours.heads = ours.stageHeads[0];
  ours.mlpRatio = config.number("mlp_ratio", 4);
  ours.qkvBias = config.flag("qkv_bias", true);
  ours.normEpsilon = config.number("layer_norm_eps", 1e-5);
  ours.classes = source.classifies() ? source.labels : 0;
  if (source.type == "swinv2") setSecondVersion(config, ours);
}

}  // namespace headlight
