// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: CaiT.

#include "core/workbench/identify/Identify.h"

namespace headlight {

void inferCait(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  config.backbone = "cait";
  config.mechanism = "talking_heads";
  config.width = shapes.extent("patch_embed.proj.weight", 0);
  config.patchSize = shapes.extent("patch_embed.proj.weight", 2);
  config.classes = shapes.extent("head.weight", 0);
  config.heads = shapes.extent("blocks.0.attn.proj_l.weight", 0);
  config.depth = shapes.count("blocks.", ".attn.proj_l.weight");
  config.classDepth = shapes.count("blocks_token_only.", ".attn.q.weight");
  config.qkvBias = shapes.has("blocks.0.attn.qkv.bias");
  config.mlpRatio = inferMlpRatio(shapes, "blocks.0.mlp.fc1.weight");
  config.layerScale = shapes.has("blocks.0.gamma_1") ? 1e-5 : 0.0;  // the file has the values
  config.cropFraction = 1.0;                                        // of every released CaiT
  inferImageSize(shapes, shapes.extent("pos_embed", 1), "pos_embed", config, notes);
}

}  // namespace headlight
