// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of DeiT and ViT.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

constexpr FlatSize kTiny{192, 12, 3}, kSmall{384, 12, 6}, kBase{768, 12, 12};

/// DeiT: ImageNet's mean and deviation; at 384 pixels the whole image is used.
PublishedModel deit(const std::string& size, FlatSize shape, int image, bool distilled,
                    double parametersM, double macsG, const std::string& source) {
  const std::string name =
      "deit_" + size + (distilled ? "_distilled" : "") + "_patch16_" + std::to_string(image);
  PublishedModel model{name,
                       flatConfig(name, shape, 16, image),
                       "DeiT, " + size + (distilled ? ", with a distillation token" : ""),
                       parametersM,
                       macsG,
                       source};
  model.config.distilled = distilled;
  if (image == 384) model.config.cropFraction = 1.0;
  return model;
}

/// timm's ViT: mean and deviation one half.
PublishedModel vit(const std::string& size, FlatSize shape, int patch, int image) {
  const std::string name =
      "vit_" + size + "_patch" + std::to_string(patch) + "_" + std::to_string(image);
  PublishedModel model{name, flatConfig(name, shape, patch, image), "ViT, " + size};
  model.config.mean = model.config.deviation = {0.5, 0.5, 0.5};
  if (image == 384) model.config.cropFraction = 1.0;
  return model;
}

/// MaiT: 24 layers; drop path of its Table 8.
PublishedModel mait(const std::string& size, FlatSize shape, bool layerScale, double dropPath,
                    bool constant, double parametersM, double macsG) {
  const std::string name = "mait_" + size;
  PublishedModel model{name,
                       flatConfig(name, shape, 16, 224),
                       "MaiT-" + size + ", 24 layers, masked",
                       parametersM,
                       macsG,
                       "MaiT, Table 7",
                       "sch2"};
  model.config.layerScale = layerScale ? 1e-5 : 0.0;
  model.config.dropPath = dropPath;
  if (constant) model.config.dropPathMode = "constant";
  return model;
}

/// MaiT-T of 36 layers with mixed masks (MaiT, §5.6 and Figure 3). The paper prints neither its
/// size nor its settings: LayerScale and drop path are those of MaiT-T (Table 8), none.
PublishedModel deepMait() {
  const FlatSize shape{kTiny.width, 36, kTiny.heads};
  PublishedModel model{"mait_t36", flatConfig("mait_t36", shape, 16, 224),
                       "MaiT-t, 36 layers, masked (MaiT, Figure 3)"};
  model.scheme = "mixed36";
  return model;
}

PublishedModel deitMicro(const std::string& name, bool distilled) {
  PublishedModel model{name, flatConfig(name, {48, 3, 3}, 4, 32),
                       "Very small, for tests and first steps"};
  model.config.classes = 10;
  model.config.distilled = distilled;
  return model;
}

}  // namespace

std::vector<PublishedModel> deitModels() {
  const std::string deitTable = "DeiT, Table 1";
  return {
      deit("tiny", kTiny, 224, false, 5.7, 1.3, deitTable),
      deit("small", kSmall, 224, false, 22.1, 4.6, deitTable),
      deit("base", kBase, 224, false, 86, 17.6, deitTable),
      deit("base", kBase, 384, false, 0, 0, ""),
      deit("tiny", kTiny, 224, true, 0, 0, ""),
      deit("small", kSmall, 224, true, 0, 0, ""),
      deit("base", kBase, 224, true, 0, 0, ""),
      deit("base", kBase, 384, true, 0, 0, ""),
      vit("tiny", kTiny, 16, 224),
      vit("small", kSmall, 16, 224),
      vit("small", kSmall, 32, 224),
      vit("base", kBase, 16, 224),
      vit("base", kBase, 32, 224),
      vit("tiny", kTiny, 16, 384),
      vit("small", kSmall, 16, 384),
      vit("base", kBase, 16, 384),
      mait("xt", {144, 24, 3}, true, 0.0, false, 6.3, 1.5),
      mait("t", {192, 24, 3}, false, 0.0, false, 11, 2.5),
      mait("xs", {288, 24, 3}, true, 0.1, false, 24.5, 5.3),
      mait("s", {384, 24, 6}, true, 0.1, true, 43.3, 9.1),
      deepMait(),
      deitMicro("vit_micro", false),
      deitMicro("deit_distilled_micro", true),
  };
}

}  // namespace headlight
