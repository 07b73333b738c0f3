// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/foreign/TransformersFamilies.h"

#include <cmath>
#include <map>

#include "core/base/Translation.h"

namespace headlight {

const std::vector<TransformersFamily>& transformersFamilies() {
  static const std::vector<TransformersFamily> families{
      {"vit", "", readVit},
      {"deit", "", readVit},
      {"vit_mae", "", readVit},
      {"vit_msn", "", readVit},
      {"ijepa", "", readVit},
      {"yolos", "", readVit},
      {"beit", "", readBeit},
      {"data2vec-vision", "", readBeit},
      {"dinov2", "", readDinoV2},
      {"dinov2_with_registers", "", readDinoV2},
      {"depth_anything", "backbone_config", readDinoV2},
      {"dinov3_vit", "", readDinoV3},
      {"clip", "vision_config", readClip},
      {"clip_vision_model", "", readClip},
      {"siglip", "vision_config", readSiglip},
      {"siglip_vision_model", "", readSiglip},
      {"siglip2", "vision_config", readSiglip},
      {"siglip2_vision_model", "", readSiglip},
      {"swin", "", readSwin},
      {"swinv2", "", readSwin},
  };
  return families;
}

void setHidden(int hidden, ModelConfig& model) {
  const double ratio = static_cast<double>(hidden) / model.width;
  const bool exact = static_cast<int>(ratio * model.width) == hidden;
  model.mlpRatio = exact ? ratio : std::nextafter(ratio, 2 * ratio);
}

std::string activationNamed(const ConfigValues& tower, const char* key,
                            const std::string& otherwise) {
  static const std::map<std::string, std::string> known{{"gelu", "gelu"},
                                                        {"gelu_new", "gelu_tanh"},
                                                        {"gelu_pytorch_tanh", "gelu_tanh"},
                                                        {"gelu_fast", "gelu_tanh"},
                                                        {"quick_gelu", "quick_gelu"},
                                                        {"relu", "relu"},
                                                        {"silu", "silu"},
                                                        {"swish", "silu"}};
  const std::string name = tower.text(key, otherwise);
  const auto found = known.find(name);
  if (found == known.end())
    tower.refuse(key, "\"" + name + tr("\" is not supported; this model cannot be opened"));
  return found->second;
}

void requireColors(const ConfigValues& tower) {
  const int channels = tower.whole("num_channels", 3);
  if (channels != 3 && channels != 1)
    tower.refuse("num_channels", tr("the model takes images of ") + std::to_string(channels) +
                                     tr(" channels; only models of color or gray images open"));
}

void readCommon(const ConfigValues& tower, double epsilon, const char* activation,
                ModelConfig& model) {
  constexpr int kMostLayers = 256;
  requireColors(tower);
  model.width = tower.whole("hidden_size", 768);
  model.depth = tower.whole("num_hidden_layers", 12, 1, kMostLayers);
  model.heads = tower.whole("num_attention_heads", 12);
  const auto [height, width] = tower.size("image_size", {224, 224});
  model.imageSize = height;
  model.imageWidth = width == height ? 0 : width;
  const auto [patch, other] = tower.size("patch_size", {16, 16});
  if (patch != other)
    tower.refuse("patch_size", tr("patches that are not square are not supported"));
  model.patchSize = patch;
  model.normEpsilon = tower.number("layer_norm_eps", epsilon);
  model.qkvBias = tower.flag("qkv_bias", true);
  const std::string kind = activationNamed(tower, "hidden_act", activation);
  if (kind != "gelu") model.layout["activation"] = kind;
  setHidden(tower.whole("intermediate_size", 3072), model);
  model.classes = 0;
  model.layout["position_filter"] = "bicubic";
}

}  // namespace headlight
