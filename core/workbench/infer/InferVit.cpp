// Of Families.h, ViT and DeiT.

#include "core/workbench/infer/Families.h"

namespace headlight {
namespace {

void inferHeads(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  if (const auto heads = shapes.argument("num_heads", 256)) {
    config.heads = *heads;
    return;
  }
  constexpr int kUsualHeadWidth = 64;
  const int usual = config.width % kUsualHeadWidth == 0 ? config.width / kUsualHeadWidth : 0;
  config.heads = usual > 0 ? usual : 3;
  notes.push_back("the file does not say how many heads there are: assumed " +
                  std::to_string(config.heads) + "; give a config or a model's name to be certain");
}

}  // namespace

void inferVit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  config.width = shapes.extent("patch_embed.proj.weight", 0);
  config.patchSize = shapes.extent("patch_embed.proj.weight", 2);
  config.classes = shapes.extent("head.weight", 0);
  config.classToken = shapes.has("cls_token");
  config.distilled = shapes.has("dist_token");
  config.qkvBias = shapes.has("blocks.0.attn.qkv.bias");
  config.depth = shapes.count("blocks.", ".attn.qkv.weight");
  config.mlpRatio = inferMlpRatio(shapes, "blocks.0.mlp.fc1.weight");
  if (shapes.has("blocks.0.ls1.gamma")) config.layerScale = 1e-5;
  if (shapes.has("blocks.0.mlp.dconv.weight"))
    config.layout["mlp_convolution"] = shapes.extent("blocks.0.mlp.dconv.weight", 2);
  // Options of these mechanisms leave no trace in names and shapes.
  refuseTensor(shapes, ".attn.dconv.", "linear-angular attention");
  refuseTensor(shapes, ".attn.learned_mask_", "learned masks");
  const int prefix = (config.classToken ? 1 : 0) + (config.distilled ? 1 : 0);
  inferImageSize(shapes, shapes.extent("pos_embed", 1) - prefix, "pos_embed", config, notes);
  inferHeads(shapes, config, notes);
}

}  // namespace headlight
