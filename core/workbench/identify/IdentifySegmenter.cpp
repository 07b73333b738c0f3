// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: a ViT with Mask2Former's decoders.

#include <cmath>
#include <numeric>

#include "core/base/Translation.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {
namespace {

constexpr int kPlacesOfHead = 12;  // of deformable attention: 3 levels of 4 points
constexpr int kUsualGroups = 32, kUsualSide = 512;

/// The side of the square of learned positions.
int sideOfPositions(const TensorShapes& shapes) {
  const int places = shapes.extent("backbone.pos_embed", 1);
  const int side = static_cast<int>(std::lround(std::sqrt(places)));
  if (side * side == places) return side;
  throw Failure({ErrorCode::UnsupportedFile,
                 tr("its positions are no square; give its model by config (--model)"),
                 "backbone.pos_embed"});
}

void inferDecoders(const TensorShapes& shapes, ModelConfig& config,
                   std::vector<std::string>& notes) {
  const std::string encoder = "pixel_decoder.encoder.layers.", decoder = "decoder.layers.";
  const int width = shapes.extent("pixel_decoder.mask_projection.weight", 0),
            groups = std::gcd(width, kUsualGroups);
  config.layout = {
      {"queries", shapes.extent("decoder.queries_features", 0)},
      {"width", width},
      {"heads", shapes.extent(encoder + "0.self_attn.attention_weights.weight", 0) / kPlacesOfHead},
      {"groups", groups},
      {"encoder_layers", shapes.count(encoder, ".fc1.weight")},
      {"encoder_hidden", shapes.extent(encoder + "0.fc1.weight", 0)},
      {"decoder_layers", shapes.count(decoder, ".fc1.weight")},
      {"decoder_hidden", shapes.extent(decoder + "0.fc1.weight", 0)},
      {"position_grid", sideOfPositions(shapes)}};
  if (groups != kUsualGroups)
    notes.push_back("the file does not state the groups of its group norms; assuming " +
                    std::to_string(groups));
}

}  // namespace

void inferSegmenter(const TensorShapes& shapes, ModelConfig& config,
                    std::vector<std::string>& notes) {
  requireSoftmaxBackbone(shapes);
  config.backbone = "vit_segmenter";
  config.classToken = false;
  config.patchSize = shapes.extent("backbone.patch_embed.proj.weight", 2);
  config.width = shapes.extent("backbone.patch_embed.proj.weight", 0);
  config.depth = shapes.count("backbone.blocks.", ".norm1.weight");
  config.mlpRatio = inferMlpRatio(shapes, "backbone.blocks.0.mlp.fc1.weight");
  config.qkvBias = shapes.has("backbone.blocks.0.attn.qkv.bias");
  config.layerScale = shapes.has("backbone.blocks.0.ls1.gamma") ? 1e-5 : 0;
  config.classes = shapes.extent("decoder.class_predictor.weight", 0) - 1;
  config.imageSize = kUsualSide;
  config.cropMode = kPadMode;
  config.cropFraction = 1;
  inferDecoders(shapes, config, notes);
  inferHeads(shapes, config, notes);
  notes.push_back("the file does not say for which image size it was trained; assuming 512 pixels");
}

}  // namespace headlight
