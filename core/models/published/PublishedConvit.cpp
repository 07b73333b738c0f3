// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of ConViT.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

/// Heads are 48 wide; the first ten blocks are local. No bias on queries, keys and values.
PublishedModel convit(const std::string& size, int heads, double parametersM,
                      const std::string& source) {
  const std::string name = "convit_" + size;
  PublishedModel model{name,
                       flatConfig(name, {48 * heads, 12, heads}, 16, 224),
                       "ConViT, " + size + ": gated positional attention in ten blocks",
                       parametersM,
                       0,
                       source};
  model.config.backbone = "convit";
  model.config.mechanism = "gated_positional";
  model.config.qkvBias = false;
  model.config.cropFraction = 0.875;
  return model;
}

}  // namespace

std::vector<PublishedModel> convitModels() {
  PublishedModel micro = convit("micro", 4, 0, "");
  micro.description = "Very small ConViT, for tests and first steps";
  micro.config.width = 48;
  micro.config.depth = 3;
  micro.config.patchSize = 4;
  micro.config.imageSize = 32;
  micro.config.classes = 10;
  micro.config.layout = {{"local_layers", 2}};
  return {convit("tiny", 4, 6, "IBiT, Table 1"), convit("small", 9, 0, ""),
          convit("base", 16, 0, ""), micro};
}

}  // namespace headlight
