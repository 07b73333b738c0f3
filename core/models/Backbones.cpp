#include "core/models/Backbones.h"

#include <algorithm>

#include "core/models/VisionTransformer.h"

namespace headlight {
namespace {

/// A class that is constructed from a ModelConfig and counts its cost. `mechanisms`: those it
/// takes; empty: every general one.
template <typename M>
Backbone backbone(std::string name, std::string help, const ParameterTable* options = nullptr,
                  std::vector<std::string> mechanisms = {}) {
  return {{std::move(name), std::move(help), options, true, std::move(mechanisms)},
          [](const ModelConfig& config) { return std::make_shared<M>(config); },
          M::cost};
}

}  // namespace

const std::vector<Backbone>& backbones() {
  static const std::vector<Backbone> all{
      backbone<VisionTransformer>("vit", "ViT and DeiT: one stage of equal blocks."),
  };
  return all;
}

const Backbone& backboneOf(const std::string& name) {
  const auto& all = backbones();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Backbone& b) { return b.variant.name == name; });
  if (found == all.end())
    throw Failure(
        {ErrorCode::InvalidConfig, "no backbone is called \"" + name + "\"", "model.backbone"});
  return *found;
}

}  // namespace headlight
