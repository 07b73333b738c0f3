// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

bool isDetectorFile(const TensorShapes& shapes) {
  return shapes.has("neck.lateral.0.conv.weight") && shapes.has("head.0.predict.weight");
}

bool isOfEsnet(const TensorShapes& shapes) {
  return shapes.anyNameHas("backbone.stages.0.0.left.");
}

bool hasBlocksBelow(const TensorShapes& shapes) {
  return shapes.anyNameHas("backbone.blocks.");
}

}  // namespace

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
      {"lcnet_vit", "LCNet-ViT",
       [](S s) { return isDetectorFile(s) && !isOfEsnet(s) && hasBlocksBelow(s); }, inferDetector},
      {"esnet_vit", "ESNet-ViT", [](S s) { return isDetectorFile(s) && hasBlocksBelow(s); },
       inferDetector},
      {"lcnet", "LCNet", [](S s) { return isDetectorFile(s) && !isOfEsnet(s); }, inferDetector},
      {"esnet", "ESNet", [](S s) { return isDetectorFile(s); }, inferDetector},
      {"lcnet_vit_classifier", "LCNet and ESNet classifiers",
       [](S s) { return s.has("backbone.stem.conv.weight") && s.has("head.hidden.weight"); },
       inferTrunkClassifier},
      {"vit_segmenter", "ViT segmenter",
       [](S s) {
         return s.has("pixel_decoder.mask_projection.weight") &&
                s.has("decoder.class_predictor.weight");
       },
       inferSegmenter},
  };
  return families;
}

}  // namespace headlight
