// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of LeViT.

#include "core/models/published/LevitSizes.h"
#include "core/models/published/Published.h"

namespace headlight {
namespace {

/// LeViT as timm names it: trained with distillation, so with two heads.
PublishedModel levit(const std::string& name, const LevitSize& size, double parametersM,
                     double macsG) {
  return {"levit_" + name,
          levitConfig("levit_" + name, size),
          "LeViT-" + name + ", distilled",
          parametersM,
          macsG,
          "LeViT (Graham et al. 2021), distilled"};
}

PublishedModel levitMicro() {
  PublishedModel model{"levit_micro",
                       levitConfig("levit_micro", {{32, 48, 64}, {2, 3, 4}, {1, 1, 1}, 8}),
                       "LeViT, very small, for tests and first steps"};
  model.config.imageSize = 64;
  model.config.classes = 10;
  model.config.distilled = false;
  return model;
}

}  // namespace

ModelConfig levitConfig(const std::string& name, const LevitSize& size) {
  ModelConfig config = flatConfig(name, {size.widths[0], size.depths[0], size.heads[0]}, 16, 224);
  config.backbone = "levit";
  config.stageWidths = size.widths;
  config.stageHeads = size.heads;
  config.depths = size.depths;
  config.mlpRatio = 2.0;
  config.classToken = false;
  config.distilled = true;
  config.positions = "none";
  config.layout["key_widths"] = {size.keyWidth};
  return config;
}

std::vector<PublishedModel> levitModels() {
  return {
      levit("128s", {{128, 256, 384}, {4, 6, 8}, {2, 3, 4}, 16}, 7.8, 0.305),
      levit("128", kLevit128, 9.2, 0.406),
      levit("192", kLevit192, 10.9, 0.658),
      levit("256", kLevit256, 18.9, 1.120),
      levit("384", kLevit384, 39.1, 2.353),
      levitMicro(),
  };
}

}  // namespace headlight
