// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/identify/Identify.h"

namespace headlight {

const std::vector<ModelFamily>& modelFamilies() {
  using S = const TensorShapes&;
  static const std::vector<ModelFamily> families{
      {"cait", "CaiT", [](S s) { return s.anyNameHas("blocks_token_only."); }, inferCait},
      {"swin", "Swin", [](S s) { return s.anyNameHas("layers.0.blocks."); }, inferSwin},
      {"convit", "ConViT", [](S s) { return s.anyNameHas(".attn.pos_proj."); }, inferConvit},
      {"levit", "LeViT",
       [](S s) { return s.anyNameHas("attention_biases") || s.anyNameHas("attn_downsample"); },
       inferLevit},
      {"mvitv2", "MViTv2",
       [](S s) { return s.anyNameHas(".attn.rel_pos_h") || s.anyNameHas(".attn.pool_q."); },
       inferMvit},
  };
  return families;
}

}  // namespace headlight
