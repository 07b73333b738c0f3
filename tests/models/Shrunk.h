// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The same kind of model, small enough to run in a test.

#include <algorithm>

#include "core/config/ModelConfig.h"

namespace headlight {

/// Three blocks, or two a stage, on 4 × 4 patches (8 × 8 in the first of several stages), heads 8
/// wide, 7 classes. Windows and class-attention blocks stay.
inline ModelConfig shrunk(ModelConfig config) {
  config.classes = 7;
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
