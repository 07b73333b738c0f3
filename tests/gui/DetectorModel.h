// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The smallest detector, as a description without weights, for windows that ask only for that.

#include <memory>
#include <vector>

#include "core/models/Registry.h"
#include "tests/gui/SyntheticInference.h"

namespace headlight::synthetic {

/// LCNet-ViT of size xs for images of 64 × 64 pixels: one layer of 4 × 4 patches, one of 2 × 2.
inline ModelConfig makeDetectorConfig(int classes = 2) {
  auto config = modelFromJson({{"name", "tiny detector"},
                               {"backbone", "lcnet_vit"},
                               {"image_size", 64},
                               {"classes", classes},
                               {"layout", {{"size", "xs"}}}},
                              modelCatalog());
  if (!config) qFatal("%s", config.error().text().c_str());
  return *config;
}

inline ModelInfo makeDetectorModel(int classes = 2) {
  ModelInfo info;
  info.experiment.model = makeDetectorConfig(classes);
  info.heads = info.experiment.model.stageHeads;
  info.grid = info.experiment.model.grid();
  info.mapMeaning = "softmax attention";
  info.device = "cpu";
  return info;
}

/// Even attention on the layers' 4 × 4 and 2 × 2 patches, a head each.
inline std::shared_ptr<InferenceResult> makePyramidMaps() {
  auto inference = std::make_shared<InferenceResult>();
  for (const int side : {4, 2}) {
    const Grid grid{side, side, 0};
    auto values = std::make_shared<std::vector<float>>(
        static_cast<std::size_t>(grid.tokens()) * grid.tokens(), 1.0f / grid.tokens());
    inference->maps.layers.push_back({1, grid, values});
    inference->locality.push_back(localityScores(inference->maps.layers.back()));
  }
  inference->maps.meaning = "softmax attention";
  inference->logits = {1, 0};
  return inference;
}

}  // namespace headlight::synthetic
