// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: MViTv2.

#include <algorithm>

#include "core/base/Translation.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

/// Patches along an axis of the first stage, whose queries are not pooled: the table has an entry
/// for every distance of two of them.
std::int64_t patchesAlong(const TensorShapes& shapes, const char* table) {
  const std::string name = std::string("stages.0.blocks.0.attn.") + table;
  return (shapes.extent(name, 0) + 1) / 2;
}

/// Names and shapes do not tell how much keys are pooled, nor whether pooling is residual.
void inferPooling(const TensorShapes& shapes, Json& layout, std::vector<std::string>& notes) {
  constexpr int kUsualStride = 4;
  const Json given = shapes.argument("stride_kv_adaptive");
  if (given.is_array() && given.size() == 2) {
    if (given[0] != given[1] || !given[0].is_number_integer())
      throw Failure({ErrorCode::UnsupportedFile,
                     tr("keys are pooled differently in rows and columns"), "stride_kv_adaptive"});
    layout["key_stride"] = given[0];
  } else {
    layout["key_stride"] = kUsualStride;
    notes.push_back("the file does not state the key pooling; assuming 4 x 4, as published");
  }
  const Json residual = shapes.argument("residual_pooling");
  layout["residual_pooling"] = residual.is_boolean() ? residual : Json(true);
}

void refuseOtherThanMvit(const TensorShapes& shapes) {
  refuseTensor(shapes, ".attn.dconv.",
               tr("Castling-MViTv2, whose options cannot be inferred from shapes"));
  refuseTensor(shapes, "shortcut_proj_mlp",
               tr("an MViTv2 that widens in its MLPs, which is not supported"));
  refuseTensor(shapes, "cls_token", tr("an MViTv2 with a class token, which is not supported"));
}

}  // namespace

void inferMvit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  refuseOtherThanMvit(shapes);
  config.backbone = "mvitv2";
  config.width = shapes.extent("patch_embed.proj.weight", 0);
  config.patchSize = (shapes.extent("patch_embed.proj.weight", 2) + 1) / 2;  // patches overlap
  config.classes = shapes.extent("head.fc.weight", 0);
  config.classToken = false;
  config.positions = shapes.has("pos_embed") ? "learned" : "none";
  config.qkvBias = shapes.has("stages.0.blocks.0.attn.qkv.bias");
  config.mlpRatio = inferMlpRatio(shapes, "stages.0.blocks.0.mlp.fc1.weight");
  const int headWidth = shapes.extent("stages.0.blocks.0.attn.rel_pos_h", 1),
            stages = shapes.stages("stages.", ".blocks.0.attn.qkv.weight");
  for (int s = 0; s < stages; ++s) {
    const std::string blocks = "stages." + std::to_string(s) + ".blocks.";
    config.depths.push_back(shapes.count(blocks, ".attn.qkv.weight"));
    config.stageWidths.push_back(shapes.extent(blocks + "0.norm2.weight", 0));
    config.stageHeads.push_back(config.stageWidths.back() /
                                shapes.extent(blocks + "0.attn.rel_pos_h", 1));
  }
  config.heads = std::max(1, config.width / headWidth);
  config.depth = config.depths[0];
  setImageSize(patchesAlong(shapes, "rel_pos_h") * config.patchSize,
               patchesAlong(shapes, "rel_pos_w") * config.patchSize, "rel_pos_h", config);
  inferPooling(shapes, config.layout, notes);
}

}  // namespace headlight
