// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of MViTv2.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

struct MvitSize {
  std::vector<int> depths;
  double dropPath;  ///< of the released recipes
};

MvitSize mvitTiny() {
  return {{1, 2, 5, 2}, 0.1};
}
MvitSize mvitSmall() {
  return {{1, 2, 11, 2}, 0.1};
}
MvitSize mvitBase() {
  return {{2, 3, 16, 3}, 0.3};
}

/// Patches of 4 pixels, widths and heads doubled from stage to stage, no class token, no absolute
/// positions.
ModelConfig mvitConfig(const std::string& name, const MvitSize& size) {
  ModelConfig config = flatConfig(name, {96, 12, 1}, 4, 224);
  config.backbone = "mvitv2";
  config.depths = size.depths;
  config.classToken = false;
  config.positions = "none";
  config.dropPath = size.dropPath;
  return config;
}

PublishedModel mvit(const std::string& size, const MvitSize& shape, double parametersM,
                    double macsG) {
  const std::string name = "mvitv2_" + size;
  return {name, mvitConfig(name, shape), "MViTv2, " + size, parametersM, macsG, "MViTv2, Table 1"};
}

/// The figures are those of inference, without the auxiliary branch.
PublishedModel castlingMvit(const std::string& size, const MvitSize& shape, double parametersM,
                            double macsG, const std::string& note = "") {
  const std::string name = "castling_mvitv2_" + size;
  PublishedModel model{name,
                       mvitConfig(name, shape),
                       "Castling-MViTv2, " + size + ", linear-angular attention",
                       parametersM,
                       macsG,
                       "Castling-ViT, Table 2"};
  model.config.mechanism = "linear_angular";
  model.config.attention["without_branch"] = true;
  model.note = note;
  return model;
}

PublishedModel mvitMicro() {
  PublishedModel model{"mvitv2_micro", mvitConfig("mvitv2_micro", {{1, 2}, 0.0}),
                       "MViTv2, very small, for tests and first steps"};
  model.config.width = 24;
  model.config.imageSize = 64;
  model.config.classes = 10;
  return model;
}

}  // namespace

std::vector<PublishedModel> mvitModels() {
  const std::string tried =
      "the first block of each later stage keeps softmax attention. With linear-angular attention "
      "in "
      "every block, another reading of the paper, multiply-accumulates are 7 to 8 % below the "
      "published number";
  return {
      mvit("tiny", mvitTiny(), 24, 4.7),
      mvit("small", mvitSmall(), 35, 7.0),
      mvit("base", mvitBase(), 52, 10.2),
      castlingMvit("tiny", mvitTiny(), 24.1, 4.50, tried),
      castlingMvit("small", mvitSmall(), 34.7, 6.95, tried),
      castlingMvit("base", mvitBase(), 51.9, 9.82),
      mvitMicro(),
  };
}

}  // namespace headlight
