#include "core/models/Backbones.h"

#include <algorithm>

#include "core/models/CaiT.h"
#include "core/models/ConViT.h"
#include "core/models/LeViT.h"
#include "core/models/MViT.h"
#include "core/models/Swin.h"
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
      backbone<VisionTransformer>("vit", "ViT and DeiT: one stage of equal blocks.",
                                  &VisionTransformer::layout()),
      backbone<ConViT>("convit",
                       "ConViT: the class token joins after blocks between patches alone.",
                       &ConViT::layout(), {"gated_positional", "softmax", "learned_mask"}),
      backbone<CaiT>("cait", "CaiT: patch layers, then class-attention layers; LayerScale."),
      backbone<LeViT>("levit", "LeViT and Castling-LeViT: batch norms, keys narrower than tokens.",
                      &levitParameters(), {"softmax", "linear_angular"}),
      backbone<MViT>("mvitv2", "MViTv2: stages of pooling attention, and Castling-MViTv2.",
                     &MViT::options(), {"softmax", "linear_angular"}),
      backbone<Swin>("swin", "Swin, H-MaiT and ViT-LSLA: stages that halve the grid.",
                     &Swin::options()),
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
