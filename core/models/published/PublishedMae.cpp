// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of MAE, and Castling-ViT's (Table 4, rows "Y").

#include "core/models/published/Published.h"

namespace headlight {
namespace {

PublishedModel mae(const std::string& size, FlatSize shape, int patch) {
  const std::string name = "mae_vit_" + size;
  PublishedModel model{name, flatConfig(name, shape, patch, 224), "MAE, " + size};
  model.config.backbone = "mae";
  model.config.classes = 0;
  model.config.positions = "none";  // fixed sines
  return model;
}

/// With ViT-B's sizes. As published: the auxiliary branch helps training and inference goes without.
PublishedModel castlingMae() {
  PublishedModel model = mae("base", {768, 12, 12}, 16);
  model.name = model.config.name = "castling_mae_vit_base";
  model.description = "MAE, base, with linear-angular attention";
  model.config.mechanism = "linear_angular";
  model.config.attention["without_branch"] = true;
  return model;
}

}  // namespace

std::vector<PublishedModel> maeModels() {
  return {mae("base", {768, 12, 12}, 16), mae("large", {1024, 24, 16}, 16),
          mae("huge", {1280, 32, 16}, 14), castlingMae()};
}

}  // namespace headlight
