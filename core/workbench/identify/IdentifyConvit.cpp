// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: ConViT.

#include "core/workbench/identify/Identify.h"

namespace headlight {

void inferConvit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  config.backbone = "convit";
  config.mechanism = "gated_positional";
  config.width = shapes.extent("patch_embed.proj.weight", 0);
  config.patchSize = shapes.extent("patch_embed.proj.weight", 2);
  config.classes = shapes.extent("head.weight", 0);
  config.heads = shapes.extent("blocks.0.attn.pos_proj.weight", 0);
  config.depth = shapes.count("blocks.", ".attn.proj.weight");
  config.layout["local_layers"] = shapes.count("blocks.", ".attn.pos_proj.weight");
  config.classToken = shapes.has("cls_token");
  config.qkvBias = shapes.has("blocks.0.attn.qk.bias");
  config.mlpRatio = inferMlpRatio(shapes, "blocks.0.mlp.fc1.weight");
  config.cropFraction = 0.875;  // of every released ConViT
  config.positions = shapes.has("pos_embed") ? "learned" : "none";
  if (config.positions == "learned")
    inferImageSize(shapes, shapes.extent("pos_embed", 1), "pos_embed", config, notes);
  else if (const auto said = shapes.imageSize())
    setImageSize(said->first, said->second, "img_size", config);
  else
    notes.push_back("the file does not state the training image size; assuming " +
                    std::to_string(config.imageSize));
}

}  // namespace headlight
