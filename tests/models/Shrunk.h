// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The same kind of model, small enough to run in a test.

#include <algorithm>

#include "core/config/ExperimentTask.h"
#include "core/config/ModelConfig.h"
#include "core/models/Registry.h"
#include "core/models/published/DetectorSizes.h"

namespace headlight {

/// Strides 4 to 32 of 64 pixels: 4 × 4 patches, of which the coarsest map has 2 × 2 cells.
inline ModelConfig shrunkSegmenter(ModelConfig config) {
  config.imageSize = 64;
  config.imageWidth = 0;
  config.heads = 3;
  config.width = 24;
  config.depth = 3;
  config.layout = {{"queries", 5},        {"width", 16},          {"heads", 2},
                   {"groups", 4},         {"encoder_layers", 1},  {"encoder_hidden", 24},
                   {"decoder_layers", 3}, {"decoder_hidden", 24}, {"position_grid", 0}};
  return config;
}

/// Three blocks, or two a stage, on 4 × 4 patches (8 × 8 in the first of several stages), heads 8
/// wide, 7 classes. Windows and class-attention blocks stay. Detectors have a size for this; the
/// decoders of segmenters become small too. An MAE has no classes and a decoder of one block.
inline ModelConfig shrunk(ModelConfig config) {
  config.classes = 7;
  if (taskOf(config) == Task::Detect || config.backbone.ends_with(kClassifierEnding)) {
    config.imageSize = 64;
    config.layout["size"] = "xs";
    deriveDetector(config);
    return config;
  }
  if (config.backbone == "mae") {
    config.classes = 0;
    config.layout.update({{"decoder_width", 16}, {"decoder_depth", 1}, {"decoder_heads", 2}});
  }
  if (config.backbone == "vit_segmenter") return shrunkSegmenter(config);
  config.classDepth = std::min(config.classDepth, 2);
  if (!config.staged()) config.heads = std::min(config.heads, 12);  // AFT has one a feature
  config.width = config.heads * 8;
  if (!config.staged()) {
    config.imageSize = 32;
    config.patchSize = 8;
    config.depth = 3;
    return config;
  }
  // LeViT's stem alone leaves a sixteenth; elsewhere 8 × 8 patches give the last stage at least
  // one.
  config.imageSize = (config.backbone == "levit" ? 4 : 8) * config.patchSize;
  for (const auto& [list, value] :
       {std::pair{"key_widths", 8}, std::pair{"downsample_key_widths", 8},
        std::pair{"downsample_heads", 2}})
    if (config.layout.contains(list))
      for (Json& entry : config.layout[list])
        entry = value;
  for (int stage = 0; stage < config.stages(); ++stage) {
    config.depths[stage] = 2;
    if (!config.stageWidths.empty()) config.stageWidths[stage] = 8 * config.stageHeadCount(stage);
  }
  if (config.attention.contains("window")) config.attention["window"] = 4;
  return config;
}

}  // namespace headlight
