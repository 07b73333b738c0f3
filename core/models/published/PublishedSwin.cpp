// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of Swin.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

/// Swin's stages: widths and heads double from 96 and 3; patches of 4 pixels, norms with torch's
/// epsilon. Drop path as Swin trains it.
ModelConfig swinStages(const std::string& name, std::vector<int> depths, double dropPath) {
  ModelConfig config = flatConfig(name, {96, depths[0], 3}, 4, 224);
  config.backbone = "swin";
  config.depths = std::move(depths);
  config.classToken = false;
  config.dropPath = dropPath;
  config.normEpsilon = 1e-5;
  return config;
}

PublishedModel swin(const std::string& size, std::vector<int> depths, double dropPath,
                    double parametersM, double macsG) {
  const std::string name = "swin_" + size + "_patch4_window7_224";
  PublishedModel model{name,
                       swinStages(name, std::move(depths), dropPath),
                       "Swin, " + size + ": windows of 7 x 7, shifted in every second block",
                       parametersM,
                       macsG,
                       "Swin, Table 1"};
  model.config.mechanism = "window";
  model.config.positions = "none";
  model.config.attention = {{"window", 7}, {"shift", true}};
  return model;
}

/// MaiT §5.4: Swin's stages, softmax attention over the whole grid of a stage, hard masks on
/// [3, 6, 4, 0] heads, a learned position embedding and no relative bias.
PublishedModel hierarchicalMait(const std::string& size, std::vector<int> depths, double dropPath,
                                double parametersM, double macsG) {
  const std::string name = "h_mait_" + size;
  PublishedModel model{name,
                       swinStages(name, std::move(depths), dropPath),
                       "H-MaiT, " + size + ": Swin's stages, masked heads instead of windows",
                       parametersM,
                       macsG,
                       "MaiT, Table 5; masked heads counted in linear time",
                       "hmait"};
  model.maskedMacs = true;
  return model;
}

PublishedModel swinMicro() {
  PublishedModel model{"swin_micro", swinStages("swin_micro", {2, 2}, 0.0),
                       "Very small, for tests and first steps"};
  model.config.width = 24;
  model.config.heads = 2;
  model.config.imageSize = 64;
  model.config.classes = 10;
  model.config.mechanism = "window";
  model.config.positions = "none";
  model.config.attention = {{"window", 4}, {"shift", true}};
  return model;
}

}  // namespace

std::vector<PublishedModel> swinModels() {
  return {
      swin("tiny", {2, 2, 6, 2}, 0.2, 28.3, 4.5),
      swin("small", {2, 2, 18, 2}, 0.3, 50, 8.7),
      hierarchicalMait("tiny", {2, 2, 6, 2}, 0.2, 29, 4.5),
      hierarchicalMait("small", {2, 2, 18, 2}, 0.3, 50, 8.9),
      swinMicro(),
  };
}

}  // namespace headlight
