#pragma once
// The published models, family by family. Internal to core/models.

#include <string>
#include <vector>

#include "core/models/Registry.h"

namespace headlight {

struct FlatSize {
  int width, depth, heads;
};

/// A config of one stage; `patch` and `image` in pixels.
ModelConfig flatConfig(const std::string& name, FlatSize size, int patch, int image);

std::vector<PublishedModel> deitModels();  ///< DeiT, ViT and MaiT

}  // namespace headlight
