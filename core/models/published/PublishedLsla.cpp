// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of ViT-LSLA.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

/// ViT-LSLA §3.1: Swin's stages with a stem and mergings of convolutions, depths [2, 4, 8, 2] and
/// MLPs of twice the width. The text leaves these open; the published sizes of its three variants
/// fix them. The published counts are those of IP102's 102 classes: Swin-T stands beside them with
/// 27.6 M, not the 28.3 M that it has for ImageNet's 1000.
PublishedModel lsla(const std::string& suffix, const std::string& what, const std::string& variant,
                    bool projection, double parametersM, double macsG) {
  const std::string name = "vit_lsla" + suffix;
  PublishedModel model{name,
                       flatConfig(name, {96, 2, 3}, 4, 224),
                       "ViT-LSLA for 102 classes (IP102)" + what,
                       parametersM,
                       macsG,
                       "ViT-LSLA, Table 4"};
  ModelConfig& config = model.config;
  config.backbone = "swin";
  config.mechanism = "lsla";
  config.depths = {2, 4, 8, 2};
  config.classes = 102;
  config.mlpRatio = 2.0;
  config.classToken = false;
  config.positions = "none";
  config.dropPath = 0.2;  // "the training setting follows Swin"
  config.normEpsilon = 1e-5;
  config.attention = {{"variant", variant}, {"projection", projection}, {"window", 7}};
  config.layout = {{"stem", "conv"}, {"merging", "conv"}};
  return model;
}

}  // namespace

std::vector<PublishedModel> lslaModels() {
  return {
      lsla("", "", "qxx", true, 18.9, 3.5),
      lsla("_qxv", ", values projected instead of the output", "qxv", false, 18.9, 3.5),
      lsla("_qkv", ", with keys and values of their own", "qkv", true, 24.0, 4.4),
      lsla("_no_projection", ", without the last projection", "qxx", false, 16.4, 3.1),
  };
}

}  // namespace headlight
