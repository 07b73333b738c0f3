// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of Castling-ViT.

#include "core/models/published/LevitSizes.h"
#include "core/models/published/Published.h"

namespace headlight {
namespace {

const std::string kTable = "Castling-ViT, Table 2";

/// As published: the auxiliary branch helps training and inference goes without it.
void withoutBranch(ModelConfig& config) {
  config.mechanism = "linear_angular";
  config.attention["without_branch"] = true;
}

PublishedModel castlingDeit(const std::string& size, FlatSize shape, double parametersM,
                            double macsG) {
  const std::string name = "castling_deit_" + size;
  PublishedModel model{name,
                       flatConfig(name, shape, 16, 224),
                       "Castling-DeiT, " + size + ": DeiT with linear-angular attention",
                       parametersM,
                       macsG,
                       parametersM > 0 ? kTable : ""};
  withoutBranch(model.config);
  return model;
}

/// §3.1 and Table 1: LeViT without feature pooling (queries and keys as wide as values) and with
/// queries that are pooled after their projection and added to the output, which makes them as wide
/// as the values there too: four times the width before, as LeViT's values. Between stages the
/// attention stays softmax: the MACs of Table 2 say so (linear-angular attention there would leave
/// them 7 % below).
PublishedModel castlingLevit(const std::string& size, const LevitSize& shape, double parametersM,
                             double macsG) {
  const std::string name = "castling_levit_" + size;
  PublishedModel model{name,
                       levitConfig(name, shape),
                       "Castling-LeViT-" + size + ": LeViT with linear-angular attention",
                       parametersM,
                       macsG,
                       kTable};
  Json& layout = model.config.layout;
  std::vector<int> downsampleHeads;
  for (std::size_t s = 0; s + 1 < shape.widths.size(); ++s)
    downsampleHeads.push_back(shape.widths[s] / shape.keyWidth);
  layout["key_widths"] = {2 * shape.keyWidth};
  layout["attention_ratio"] = 1.0;
  layout["downsample_key_widths"] = {4 * shape.keyWidth};
  layout["downsample_heads"] = downsampleHeads;
  layout["downsample_attention_ratio"] = 1.0;
  layout["query_pooling"] = "after";
  layout["query_residual"] = true;
  withoutBranch(model.config);
  return model;
}

}  // namespace

std::vector<PublishedModel> castlingModels() {
  return {
      castlingDeit("tiny", {192, 12, 3}, 5.64, 1.18), castlingDeit("small", {384, 12, 6}, 0, 0),
      castlingDeit("base", {768, 12, 12}, 0, 0),      castlingLevit("128", kLevit128, 10.5, 0.49),
      castlingLevit("192", kLevit192, 12.7, 0.82),    castlingLevit("256", kLevit256, 22.0, 1.40),
      castlingLevit("384", kLevit384, 45.8, 2.90),
  };
}

}  // namespace headlight
