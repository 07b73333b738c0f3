// SPDX-License-Identifier: GPL-3.0-or-later

// TransformersFamilies.h: ViT, DeiT, MAE, MSN, I-JEPA, BEiT, Data2Vec, DINOv2, DINOv3.

#include "core/base/Translation.h"
#include "core/workbench/foreign/TransformersFamilies.h"

namespace headlight {
namespace {

void readDistillation(const TransformersSource& source, ForeignModel& model) {
  model.model.distilled = source.architecture.find("WithTeacher") != std::string::npos;
  if (model.model.distilled) return;
  // The other token is there and looked at, but nothing reads it.
  model.model.registers = 1;
  model.notes.push_back("its distillation token is opened as a register: no classifier reads it");
}

void readDetection(const TransformersSource& source, ForeignModel& model) {
  const ConfigValues& config = source.tower;
  const auto [height, width] = config.size("image_size", {512, 864});
  model.model.imageSize = height;
  model.model.imageWidth = width == height ? 0 : width;
  model.model.registers = config.whole("num_detection_tokens", 100, 1, 1024);
  if (config.flag("use_mid_position_embeddings", true)) model.model.layout["mid_positions"] = true;
  if (source.architecture.ends_with("ForObjectDetection"))
    model.model.layout["object_classes"] = source.labels + 1;
}

/// As DINOv2's authors: two thirds, in steps of 8.
int gatedWidth(int width, double ratio) {
  const int hidden = static_cast<int>(width * ratio);
  return (hidden * 2 / 3 + 7) / 8 * 8;
}

void classifyByBoth(const TransformersSource& source, ForeignModel& model) {
  if (!source.classifies()) return;
  model.model.classes = source.labels;
  model.model.layout["pooling"] = "token_mean";
}

}  // namespace

void readVit(const TransformersSource& source, ForeignModel& model) {
  const bool msn = source.type == "vit_msn";
  readCommon(source.tower, msn ? 1e-6 : 1e-12, "gelu", model.model);
  if (source.classifies()) model.model.classes = source.labels;
  if (source.type == "deit") readDistillation(source, model);
  if (source.type == "yolos") readDetection(source, model);
  if (source.type == "ijepa") model.model.classToken = false;
}

void readBeit(const TransformersSource& source, ForeignModel& model) {
  const ConfigValues& config = source.tower;
  ModelConfig& ours = model.model;
  readCommon(config, 1e-12, "gelu", ours);
  ours.qkvBias = true;
  ours.layout["names"] = "beit";
  ours.layerScale = config.number("layer_scale_init_value", 0.1);
  ours.positions = config.flag("use_absolute_position_embeddings", false) ? "learned" : "none";
  ours.attention["relative_positions"] = config.flag("use_relative_position_bias", false) ||
                                         config.flag("use_shared_relative_position_bias", false);
  const bool masked = source.architecture.find("ForMaskedImageModeling") != std::string::npos;
  const bool mean = config.flag("use_mean_pooling", true) && !masked;
  ours.layout["pooling"] = mean ? "mean" : "token";
  ours.layout["pool_norm"] = mean;
  if (source.classifies()) ours.classes = source.labels;
}

void readDinoV2(const TransformersSource& source, ForeignModel& model) {
  const ConfigValues& config = source.tower;
  ModelConfig& ours = model.model;
  const bool registers = source.type == "dinov2_with_registers";
  if (source.type != "dinov2" && !registers)
    config.refuse("model_type", tr("only Depth Anything with DINOv2 is supported"));
  readCommon(config, 1e-6, "gelu", ours);
  ours.patchSize = config.whole("patch_size", registers ? 16 : 14);
  const double ratio = config.number("mlp_ratio", 4);
  if (!(ratio > 0 && ratio <= 64)) config.refuse("mlp_ratio", tr("must be above 0, at most 64"));
  const bool gated = config.flag("use_swiglu_ffn", false);
  setHidden(gated ? gatedWidth(ours.width, ratio) : static_cast<int>(ours.width * ratio), ours);
  if (gated) ours.layout["mlp"] = "swiglu";
  ours.layerScale = config.number("layerscale_value", 1);
  ours.registers = registers ? config.whole("num_register_tokens", 4, 0, 4096) : 0;
  if (ours.registers > 0) ours.layout["prefix_positions"] = false;
  if (registers) ours.layout.erase("position_filter");  // as here
  classifyByBoth(source, model);
  model.anySize = true;
}

void readDinoV3(const TransformersSource& source, ForeignModel& model) {
  const ConfigValues& config = source.tower;
  ModelConfig& ours = model.model;
  readCommon(config, 1e-5, "gelu", ours);
  ours.width = config.whole("hidden_size", 384);
  ours.heads = config.whole("num_attention_heads", 6);
  setHidden(config.whole("intermediate_size", 1536), ours);
  config.requireFlag("proj_bias", true);
  config.requireFlag("mlp_bias", true);
  const bool keys = config.flag("key_bias", false);
  ours.qkvBias = keys || config.flag("query_bias", true) || config.flag("value_bias", true);
  ours.layout["names"] = keys ? "eva" : "beit";
  ours.layout["pooling"] = "token";
  if (config.flag("use_gated_mlp", false)) {
    if (activationNamed(config, "hidden_act", "gelu") != "silu")
      config.refuse("hidden_act", tr("a gated MLP with another activation than silu is not "
                                     "supported; this model cannot be opened"));
    ours.layout.erase("activation");
    ours.layout["mlp"] = "swiglu_apart";
  }
  ours.layerScale = config.number("layerscale_value", 1);
  ours.registers = config.whole("num_register_tokens", 0, 0, 4096);
  ours.positions = "none";
  ours.layout.erase("position_filter");
  ours.attention["rotary"] = "dinov3";
  const ConfigValues rope = config.part("rope_parameters");
  ours.attention["rotary_temperature"] =
      config.number("rope_theta", rope.number("rope_theta", 100));
  if (source.classifies()) ours.classes = source.labels;
  model.anySize = true;
}

}  // namespace headlight
