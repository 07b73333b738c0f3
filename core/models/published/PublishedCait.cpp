// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of CaiT.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

constexpr FlatSize kXxs24{192, 24, 4}, kXxs36{192, 36, 4}, kXs24{288, 24, 6}, kS24{384, 24, 8},
    kS36{384, 36, 8};

struct CaitRecipe {
  double layerScale, dropPath;  ///< CaiT, Table 3, and its released code
};

/// Two class-attention layers; the whole image is used (timm's crop of 1).
ModelConfig caitConfig(const std::string& name, FlatSize shape, int image, CaitRecipe recipe) {
  ModelConfig config = flatConfig(name, shape, 16, image);
  config.backbone = "cait";
  config.mechanism = "talking_heads";
  config.classDepth = 2;
  config.layerScale = recipe.layerScale;
  config.dropPath = recipe.dropPath;
  config.dropPathMode = "constant";
  config.cropFraction = 1.0;
  return config;
}

PublishedModel cait(const std::string& size, FlatSize shape, int image, CaitRecipe recipe,
                    double parametersM, double macsG) {
  const std::string name = "cait_" + size + "_" + std::to_string(image);
  return {
      name,           caitConfig(name, shape, image, recipe), "CaiT, " + size, parametersM, macsG,
      "CaiT, Table 3"};
}

/// The paper masks CaiT without saying which heads: the scheme is the one of its 24-layer MaiT.
PublishedModel maskedCait(const std::string& size, FlatSize shape, CaitRecipe recipe,
                          double parametersM, double macsG) {
  const std::string name = "masked_cait_" + size + "_224";
  return {name,
          caitConfig(name, shape, 224, recipe),
          "Masked CaiT, " + size + ": MaiT's masks in its patch layers",
          parametersM,
          macsG,
          "MaiT, Table 7",
          "sch2"};
}

PublishedModel caitMicro() {
  PublishedModel model{"cait_micro", caitConfig("cait_micro", {48, 3, 4}, 32, {0.1, 0.0}),
                       "CaiT, very small, for tests and first steps"};
  model.config.patchSize = 4;
  model.config.classes = 10;
  return model;
}

}  // namespace

std::vector<PublishedModel> caitModels() {
  constexpr CaitRecipe kLight{1e-5, 0.05}, kMiddle{1e-5, 0.1}, kDeep{1e-6, 0.2};
  return {
      cait("xxs24", kXxs24, 224, kLight, 12.0, 2.5),
      cait("xxs36", kXxs36, 224, kMiddle, 17.3, 3.8),
      cait("xs24", kXs24, 224, kLight, 26.6, 5.4),
      cait("s24", kS24, 224, kMiddle, 46.9, 9.4),
      cait("s36", kS36, 224, kDeep, 68.2, 13.9),
      cait("xxs24", kXxs24, 384, kLight, 12.0, 9.5),
      cait("xxs36", kXxs36, 384, kMiddle, 17.3, 14.2),
      cait("xs24", kXs24, 384, kLight, 26.6, 19.3),
      cait("s24", kS24, 384, kMiddle, 46.9, 32.2),
      cait("s36", kS36, 384, kDeep, 68.2, 48.0),
      maskedCait("xxs24", kXxs24, kLight, 12, 2.5),
      maskedCait("s24", kS24, kMiddle, 46.9, 9.4),
      caitMicro(),
  };
}

}  // namespace headlight
