// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: LeViT.

#include "core/base/Translation.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

std::string stageOf(int stage) {
  return "stages." + std::to_string(stage) + ".";
}

/// Widths of a head's keys and values. `projected` is the sum of `keyParts` keys and a value of
/// every head, `joined` the values alone.
struct HeadWidths {
  int keys, values;
};

HeadWidths headWidths(std::int64_t projected, std::int64_t joined, std::int64_t heads, int keyParts,
                      const std::string& tensor) {
  const std::int64_t keys = (projected - joined) / (heads * keyParts), values = joined / heads;
  if (keys < 1 || values < 1 || heads * (keyParts * keys + values) != projected)
    throw Failure({ErrorCode::InvalidFile,
                   std::to_string(projected) + tr(" features do not match keys and values of ") +
                       std::to_string(heads) + " heads",
                   tensor});
  return {static_cast<int>(keys), static_cast<int>(values)};
}

HeadWidths attentionWidths(const TensorShapes& shapes, int stage) {
  const std::string attention = stageOf(stage) + "blocks.0.attn.";
  return headWidths(shapes.extent(attention + "qkv.linear.weight", 0),
                    shapes.extent(attention + "proj.ln.linear.weight", 1),
                    shapes.extent(attention + "attention_biases", 0), 2, attention + "qkv");
}

HeadWidths downsampleWidths(const TensorShapes& shapes, int stage) {
  const std::string attention = stageOf(stage) + "downsample.attn_downsample.";
  return headWidths(shapes.extent(attention + "kv.linear.weight", 0),
                    shapes.extent(attention + "proj.ln.linear.weight", 1),
                    shapes.extent(attention + "attention_biases", 0), 1, attention + "kv");
}

/// LeViT has one ratio for all stages.
double commonRatio(const std::vector<HeadWidths>& widths) {
  const double ratio = static_cast<double>(widths[0].values) / widths[0].keys;
  for (const auto& [keys, values] : widths)
    if (values != static_cast<int>(ratio * keys))
      throw Failure({ErrorCode::UnsupportedFile,
                     tr("stages differ in the ratio of value to key width"), "attn.qkv"});
  return ratio;
}

void inferLayout(const TensorShapes& shapes, int stages, Json& layout) {
  if (shapes.has("stages.0.blocks.0.attn.pool.k.linear.weight")) layout["token_pooling"] = true;
  std::vector<HeadWidths> inside, between;
  std::vector<int> keys, betweenKeys, betweenHeads;
  for (int s = 0; s < stages; ++s) {
    inside.push_back(attentionWidths(shapes, s));
    keys.push_back(inside.back().keys);
    if (s == 0) continue;
    between.push_back(downsampleWidths(shapes, s));
    betweenKeys.push_back(between.back().keys);
    betweenHeads.push_back(
        shapes.extent(stageOf(s) + "downsample.attn_downsample.attention_biases", 0));
  }
  layout["key_widths"] = keys;
  layout["attention_ratio"] = commonRatio(inside);
  if (between.empty()) return;
  layout["downsample_key_widths"] = betweenKeys;
  layout["downsample_heads"] = betweenHeads;
  layout["downsample_attention_ratio"] = commonRatio(between);
  layout["downsample_mlp_ratio"] =
      inferMlpRatio(shapes, stageOf(1) + "downsample.mlp.ln1.linear.weight");
}

}  // namespace

void inferLevit(const TensorShapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  refuseTensor(shapes, ".attn.dconv.",
               tr("Castling-LeViT, whose options cannot be inferred from shapes"));
  refuseTensor(shapes, ".q.pool.",
               tr("Castling-LeViT, whose options cannot be inferred from shapes"));
  if (shapes.size("stages.0.blocks.0.attn.qkv.linear.weight", 3) > 0)
    throw Failure({ErrorCode::UnsupportedFile,
                   tr("it is the variant with 1 x 1 convolutions, which is not supported"),
                   "attn.qkv.linear.weight"});
  const int stages = shapes.stages("stages.", ".blocks.0.attn.qkv.linear.weight");
  config.backbone = "levit";
  config.patchSize = 16;
  config.classToken = false;
  config.distilled = shapes.has("head_dist.linear.weight");
  config.positions = "none";
  config.classes = shapes.extent("head.linear.weight", 0);
  config.width = shapes.extent("stages.0.blocks.0.attn.qkv.linear.weight", 1);
  for (int s = 0; s < stages; ++s) {
    const std::string first = stageOf(s) + "blocks.0.attn.";
    config.depths.push_back(shapes.count(stageOf(s) + "blocks.", ".attn.qkv.linear.weight"));
    config.stageWidths.push_back(shapes.extent(first + "qkv.linear.weight", 1));
    config.stageHeads.push_back(shapes.extent(first + "attention_biases", 0));
  }
  config.depth = config.depths[0];
  config.heads = config.stageHeads[0];
  config.mlpRatio = inferMlpRatio(shapes, "stages.0.blocks.0.mlp.ln1.linear.weight");
  inferLayout(shapes, stages, config.layout);
  inferImageSize(shapes, shapes.extent("stages.0.blocks.0.attn.attention_biases", 1),
                 "attention_biases", config, notes);
}

}  // namespace headlight
