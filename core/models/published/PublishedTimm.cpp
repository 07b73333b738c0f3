// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: timm's plain vision transformers beyond those that the papers' families list.

#include "core/config/ConfigText.h"
#include "core/models/published/Published.h"
#include "core/models/published/TimmRows.h"

namespace headlight {
namespace {

/// What people call it, by parts of its name; the first that is in it.
const std::vector<std::pair<const char*, const char*>> kTitles{
    {"deit3", "DeiT III"},
    {"dinov3", "DINOv3"},
    {"reg4_dinov2", "DINOv2 with registers"},
    {"dinov2", "DINOv2"},
    {"tipsv2", "TIPSv2"},
    {"siglip", "SigLIP"},
    {"eva02", "EVA-02"},
    {"eva_", "EVA"},
    {"clip", "CLIP"},
    {"beitv2", "BEiTv2"},
    {"beit3", "BEiT-3"},
    {"beit", "BEiT"},
    {"flexivit", "FlexiViT"},
    {"vit_pe_", "Perception Encoder"},
    {"intern300m", "InternViT"},
    {"aimv2", "AIMv2"},
    {"rope_224", "RoPE-ViT"},
    {"rope_ape", "RoPE-ViT"},
    {"rope_mixed", "RoPE-ViT"},
};

std::string titleOf(const std::string& name) {
  for (const auto& [part, title] : kTitles)
    if (name.find(part) != std::string::npos) return title;
  return "ViT";
}

void setEye(Eye eye, ModelConfig& config) {
  if (eye == Eye::Half) config.mean = config.deviation = {0.5, 0.5, 0.5};
  if (eye == Eye::AsIs) {
    config.mean = {0, 0, 0};
    config.deviation = {1, 1, 1};
  }
  if (eye != Eye::Clip) return;
  config.mean = {0.48145466, 0.4578275, 0.40821073};
  config.deviation = {0.26862954, 0.26130258, 0.27577711};
}

PublishedModel modelOf(const TimmRow& row) {
  ModelConfig config;
  config.name = row.name;
  applyTimmDefaults(row.kind, config);
  applyTimmArguments(valueOrThrow(parseConfigJson(row.arguments, row.name)), config);
  config.imageSize = row.size;
  if (row.size % config.patchSize != 0) config.layout["cut_remainder"] = true;
  config.cropFraction = row.crop;
  config.cropMode = row.squash ? "squash" : "center";
  if (row.bilinear) config.interpolation = "bilinear";
  setEye(row.eye, config);
  return {row.name, std::move(config), titleOf(row.name)};
}

}  // namespace

std::vector<PublishedModel> timmModels() {
  std::vector<PublishedModel> models;
  for (const auto& rows : {vitRows, clipRows, siglipRows, beitRows, rotaryRows})
    for (const TimmRow& row : rows())
      models.push_back(modelOf(row));
  return models;
}

}  // namespace headlight
