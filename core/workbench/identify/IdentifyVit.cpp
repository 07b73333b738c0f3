// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: ViT and DeiT.

#include <cmath>

#include "core/base/Translation.h"
#include "core/models/published/TimmArguments.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {

/// hidden / width, so that what a block makes of it, rounded down, is `hidden` again.
double ratioOf(int hidden, int width) {
  const double ratio = static_cast<double>(hidden) / width;
  return static_cast<int>(ratio * width) == hidden ? ratio : std::nextafter(ratio, 2 * ratio);
}

/// Pooling by attention: SigLIP's over the patches, Perception Encoder's over all tokens by 8
/// heads.
void inferPool(const TensorShapes& shapes, ModelConfig& config) {
  config.layout["pooling"] = "attention";
  config.layout["pool_ratio"] = ratioOf(shapes.extent("attn_pool.mlp.fc2.weight", 1), config.width);
  if (!config.classToken && config.registers == 0) return;
  config.layout["pool_prefix"] = true;
  if (config.classToken && config.width % 8 == 0) config.layout["pool_heads"] = 8;
}

/// What stands in names and shapes alone.
void inferKin(const TensorShapes& shapes, ModelConfig& config) {
  Json &layout = config.layout, &attention = config.attention;
  if (shapes.has("reg_token")) config.registers = shapes.extent("reg_token", 1);
  if (shapes.has("norm_pre.weight")) {
    layout["norm_pre"] = true;
    config.normEpsilon = 1e-5;  // of every released CLIP
  }
  if (shapes.has("object_head.classes.2.weight"))
    layout["object_classes"] = shapes.extent("object_head.classes.2.weight", 0);
  if (!shapes.has("blocks.0.norm1.bias")) layout["norm"] = "rms";
  if (!shapes.has("blocks.0.attn.proj.bias")) layout["branch_bias"] = false;
  if (shapes.has("patch_embed.norm.weight")) {
    layout["patch_norm"] = true;
    config.normEpsilon = 1e-5;  // of every released AIMv2
  }
  if (shapes.has("fc_norm.weight")) layout["pool_norm"] = true;
  if (shapes.has("fc_norm.weight") || !config.classToken) layout["pooling"] = "mean";
  if (shapes.has("attn_pool.latent")) inferPool(shapes, config);
  if (!shapes.has("norm.weight") && !shapes.has("fc_norm.weight")) layout["final_norm"] = false;
  if (shapes.has("blocks.0.mlp.fc1_g.weight"))
    layout["mlp"] = shapes.has("blocks.0.mlp.norm.weight") ? "swiglu_norm" : "swiglu_apart";
  else if (shapes.size("blocks.0.mlp.fc1.weight", 0) ==
           2 * shapes.size("blocks.0.mlp.fc2.weight", 1))
    layout["mlp"] = "swiglu";
  else if (shapes.has("blocks.0.mlp.norm.weight")) {
    layout["mlp"] = "plain_norm";
    config.normEpsilon = 1e-5;  // of every released BEiT-3
  }
  if (shapes.has("blocks.0.attn.q_proj.weight")) attention["apart"] = true;
  if (shapes.has("blocks.0.attn.norm.weight")) attention["inner_norm"] = true;
  if (shapes.has("blocks.0.attn.relative_position_bias_table"))
    attention["relative_positions"] = true;
}

/// What lies between the tokens and a classifier that is not timm's usual.
void inferHead(const TensorShapes& shapes, ModelConfig& config) {
  if (shapes.has("mid_pos_embed")) config.layout["mid_positions"] = true;
  if (shapes.has("pre_logits.fc.weight")) {
    config.layout["pre_logits"] = shapes.extent("pre_logits.fc.weight", 0);
    if (!shapes.has("pre_logits.fc.bias")) config.layout["cosine"] = true;
  } else if (shapes.size("head.weight", 1) == 2 * std::int64_t{config.width})
    config.layout["pooling"] = "token_mean";
}

/// Whether `head` takes the pooled token, what pre_logits makes of it, or that and the mean of all
/// patches. One of another width stands behind something that is not known here.
bool hasKnownHead(const TensorShapes& shapes, std::int64_t width) {
  const std::int64_t columns = shapes.size("head.weight", 1);
  return columns > 0 && (columns == width || columns == 2 * width ||
                         columns == shapes.size("pre_logits.fc.weight", 0));
}

/// timm's BEiT and EVA, whose keys have no bias: by their names, or by a bias that queries have.
bool hasBeitNames(const TensorShapes& shapes) {
  for (const char* name :
       {"blocks.0.gamma_1", "blocks.0.attn.q_bias", "blocks.0.attn.relative_position_bias_table",
        "blocks.0.attn.q_proj.weight"})
    if (shapes.has(name)) return true;
  return false;
}

constexpr double kDinoV3Epsilon = 1e-5;  // of every released one; timm's arguments do not have it

bool setColumnsFirst(ModelConfig& config, const char* kind, double temperature) {
  config.attention["rotary"] = kind;
  config.attention["rotary_temperature"] = temperature;
  config.attention["rotary_columns_first"] = true;
  return true;
}

/// Rotary positions of families that leave other signs than these; false: none of them.
bool inferRotary(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  if (shapes.has("rope.freqs")) return setColumnsFirst(config, "mixed", 10);
  const std::string toBeCertain = "; give a config or a model's name to be certain";
  const bool eva = config.layout.value("names", "vit") == "eva";
  const bool pool = config.layout.value("pool_prefix", false) && config.classToken;
  if (shapes.has("norm_pre.weight") && (pool || !config.layout.value("final_norm", true))) {
    notes.push_back("assuming the rotary positions of a Perception Encoder" + toBeCertain);
    config.attention["rotary_offset"] = 1;
    config.attention["rotary_reference"] = {config.grid().rows, config.grid().cols};
    return setColumnsFirst(config, "axial", 10000);
  }
  if (!eva || config.registers > 0) return false;
  notes.push_back("assuming RoPE-ViT's axial rotary positions" + toBeCertain);
  return setColumnsFirst(config, "axial", 100);
}

/// timm's keyword arguments say what leaves no trace: activations, epsilons, rotary positions.
void applyArguments(const TensorShapes& shapes, ModelConfig& config,
                    std::vector<std::string>& notes) {
  if (!shapes.arguments().empty()) {
    ModelConfig reported = config;
    applyTimmArguments(shapes.arguments(), reported);
    config.layout = reported.layout;
    config.attention = reported.attention;
    config.normEpsilon = reported.normEpsilon;
    config.layerScale = reported.layerScale;
    if (config.attention.value("rotary", "none") == "dinov3") config.normEpsilon = kDinoV3Epsilon;
    return;
  }
  if (shapes.has("norm_pre.weight") && config.layout.value("mlp", "plain") == "plain")
    notes.push_back(
        "the file does not state its activation; assuming GELU; OpenAI's CLIP has quick GELU: give "
        "a config or a model's name to be certain");
  if (config.attention.contains("relative_positions")) return;
  if (inferRotary(shapes, config, notes) || config.positions == "learned") return;
  config.normEpsilon = kDinoV3Epsilon;
  config.attention["rotary"] = "dinov3";
  config.attention["rotary_temperature"] = 100;
  notes.push_back(
      "the file has no position embedding; assuming DINOv3's rotary positions; give a config or a "
      "model's name to be certain");
}

/// Among positions with and without prefix tokens, whichever leaves a grid that agrees with the
/// rest.
void inferPositions(const TensorShapes& shapes, ModelConfig& config,
                    std::vector<std::string>& notes) {
  config.positions = shapes.has("pos_embed") ? "learned" : "none";
  if (config.positions == "none") {
    const std::int64_t rows = shapes.size("blocks.0.attn.relative_position_bias_table", 0) - 3;
    const auto side = static_cast<std::int64_t>(
        std::llround((std::sqrt(static_cast<double>(std::max<std::int64_t>(0, rows))) + 1) / 2));
    const auto said = shapes.imageSize();
    const std::int64_t patch = config.patchSize;
    const std::int64_t patches = side > 1 ? side * side
                                 : said   ? (said->first / patch) * (said->second / patch)
                                          : 16 * 16;
    inferImageSize(shapes, patches, "patch_embed.proj.weight", config, notes);
    return;
  }
  const int prefix = config.registers + (config.classToken ? 1 : 0) + (config.distilled ? 1 : 0);
  const std::int64_t positions = shapes.extent("pos_embed", 1);
  if (prefix > 0 && fitsGrid(shapes, positions, config) &&
      !fitsGrid(shapes, positions - prefix, config)) {
    config.layout["prefix_positions"] = false;
    inferImageSize(shapes, positions, "pos_embed", config, notes);
  } else {
    inferImageSize(shapes, positions - prefix, "pos_embed", config, notes);
  }
}

void inferVit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  config.width = shapes.extent("patch_embed.proj.weight", 0);
  config.patchSize = shapes.extent("patch_embed.proj.weight", 2);
  config.classes = hasKnownHead(shapes, config.width) ? shapes.extent("head.weight", 0) : 0;
  config.classToken = shapes.has("cls_token");
  config.distilled = shapes.has("dist_token");
  config.qkvBias = shapes.has("blocks.0.attn.qkv.bias") || shapes.has("blocks.0.attn.q_bias") ||
                   shapes.has("blocks.0.attn.q_proj.bias");
  config.depth = shapes.count("blocks.", ".norm1.weight");
  config.mlpRatio = ratioOf(shapes.extent("blocks.0.mlp.fc2.weight", 1), config.width);
  if (shapes.has("blocks.0.ls1.gamma") || shapes.has("blocks.0.gamma_1")) config.layerScale = 1e-5;
  if (hasBeitNames(shapes)) {
    const bool keysHaveBias = shapes.has("blocks.0.attn.qkv.bias");
    config.layout["names"] = keysHaveBias ? "eva" : "beit";
    const bool ropeVit = keysHaveBias && config.classToken && !shapes.has("norm_pre.weight");
    config.layout["pooling"] = ropeVit ? "token" : "mean";
  }
  inferKin(shapes, config);
  inferHead(shapes, config);
  if (shapes.has("blocks.0.mlp.dconv.weight"))
    config.layout["mlp_convolution"] = shapes.extent("blocks.0.mlp.dconv.weight", 2);
  // Options of these mechanisms leave no trace in names and shapes.
  refuseTensor(shapes, ".attn.dconv.", tr("linear-angular attention"));
  refuseTensor(shapes, ".attn.learned_mask_", tr("learned masks"));
  refuseOtherMechanisms(shapes);
  inferPositions(shapes, config, notes);
  applyArguments(shapes, config, notes);
  inferHeads(shapes, config, notes);
}

}  // namespace headlight
