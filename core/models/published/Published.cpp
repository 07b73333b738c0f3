// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/published/Published.h"

namespace headlight {

ModelConfig flatConfig(const std::string& name, FlatSize size, int patch, int image) {
  ModelConfig config;
  config.name = name;
  config.width = size.width;
  config.depth = size.depth;
  config.heads = size.heads;
  config.patchSize = patch;
  config.imageSize = image;
  return config;
}

}  // namespace headlight
