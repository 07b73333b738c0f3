// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: Swin.

#include <cmath>

#include "core/base/Translation.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

const std::string kFirstAttention = "layers.0.blocks.0.attn.";
const std::string kTable = "relative_position_bias_table";

/// A table has (2M − 1)² rows for windows of M × M.
int windowOf(const TensorShapes& shapes) {
  const int rows = shapes.extent(kFirstAttention + kTable, 0);
  const auto side = std::llround(std::sqrt(static_cast<double>(rows)));
  if (side * side != rows || side % 2 == 0)
    throw Failure({ErrorCode::InvalidFile,
                   std::to_string(rows) + tr(" rows do not form a square window"), kTable});
  return static_cast<int>((side + 1) / 2);
}

/// Heads of a stage: the columns of its table. H-MaiT has none, and heads twice as many from stage
/// to stage.
int headsOf(const TensorShapes& shapes, int stage) {
  const std::string name = "layers." + std::to_string(stage) + ".blocks.0.attn." + kTable;
  if (shapes.has(name)) return shapes.extent(name, 1);
  const Json given = shapes.argument("num_heads");
  if (given.is_array() && static_cast<int>(given.size()) > stage &&
      given[stage].is_number_integer() && given[stage] >= 1 && given[stage] <= 256)
    return given[stage].get<int>();
  throw Failure(
      {ErrorCode::UnsupportedFile,
       tr("it has no relative positions (as H-MaiT) and does not state the number of heads"),
       kTable});
}

void inferStages(const TensorShapes& shapes, ModelConfig& config) {
  const int stages = shapes.stages("layers.", ".blocks.0.norm1.weight");
  for (int s = 0; s < stages; ++s) {
    const std::string blocks = "layers." + std::to_string(s) + ".blocks.";
    config.depths.push_back(shapes.count(blocks, ".norm1.weight"));
    config.stageWidths.push_back(shapes.extent(blocks + "0.norm1.weight", 0));
    config.stageHeads.push_back(headsOf(shapes, s));
  }
  config.depth = config.depths[0];
  config.heads = config.stageHeads[0];
}

/// Weights fit every image size. Where the file does not tell: as in every published Swin, the last
/// stage is one window.
void inferPixels(const TensorShapes& shapes, int window, ModelConfig& config,
                 std::vector<std::string>& notes) {
  if (const auto said = shapes.imageSize()) {
    setImageSize(said->first, said->second, "img_size", config);
    return;
  }
  const std::int64_t pixels = (std::int64_t{config.patchSize} * window) << (config.stages() - 1);
  setImageSize(pixels, pixels, kTable, config);
  notes.push_back("the file does not state the training image size; assuming " +
                  std::to_string(config.imageSize) + ", where the last stage is one window");
}

void refuseOtherThanSwin(const TensorShapes& shapes) {
  refuseTensor(
      shapes, ".attn.logit_scale",
      tr("Swin V2, whose window no tensor tells: open its transformers folder, with config.json"));
  refuseTensor(shapes, ".attn.dynamic_scale",
               tr("ViT-LSLA, whose options cannot be inferred from shapes"));
  refuseTensor(shapes, ".attn.dconv.", tr("linear-angular attention in Swin's stages"));
  refuseTensor(shapes, ".attn.learned_mask_", tr("learned masks in Swin's stages"));
  refuseOtherMechanisms(shapes);
  refuseTensor(
      shapes, "layers.0.downsample.",
      tr("a Swin with the tensor names of an older timm, where a stage ends with patch merging"));
}

}  // namespace

void inferSwin(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  refuseOtherThanSwin(shapes);
  config.backbone = "swin";
  config.width = shapes.extent("patch_embed.proj.weight", 0);
  config.patchSize = shapes.extent("patch_embed.proj.weight", 2);
  config.classes = shapes.has("head.fc.weight") ? shapes.extent("head.fc.weight", 0) : 0;
  config.classToken = false;
  config.normEpsilon = 1e-5;  // torch's, as Swin has it
  config.qkvBias = shapes.has(kFirstAttention + "qkv.bias");
  config.mlpRatio = inferMlpRatio(shapes, "layers.0.blocks.0.mlp.fc1.weight");
  shapes.extent(kFirstAttention + "qkv.weight", 0);
  inferStages(shapes, config);
  config.positions = shapes.has("pos_embed") ? "learned" : "none";
  if (shapes.has(kFirstAttention + kTable)) {
    const int window = windowOf(shapes);
    config.mechanism = "window";
    config.attention = {{"window", window}, {"shift", true}};
    inferPixels(shapes, window, config, notes);
  } else {
    inferImageSize(shapes, shapes.extent("pos_embed", 1), "pos_embed", config, notes);
  }
}

}  // namespace headlight
