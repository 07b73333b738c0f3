// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What detectors and classifiers of PP-LCNet and ESNet have in common, with and without Castling-ViT's
// transformer blocks in the last stages (You et al. 2023, §4.2 to 4.4): LCNet, ESNet, LCNet-ViT and
// ESNet-ViT.

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/models/backbones/Model.h"
#include "core/models/detection/DetectorTrunk.h"
#include "core/models/detection/TokenMaps.h"
#include "core/models/layers/TransformerBlock.h"

namespace headlight {

/// `model.layout` of these backbones.
struct TrunkLayout {
  std::string size = "s";
};

/// Tokens between blocks hold maps (TokenMaps.h): the grid's tokens first, then what a neck needs of
/// finer strides. In LCNet-ViT a block begins with the layer of stride 2 of its stage, so its tokens
/// lie on a grid of stride 16, then 32; in ESNet-ViT both blocks are on stride 32. LCNet and ESNet
/// have no block: what embed() gives is of stride 32. Images have any sides that are multiples of
/// 32, not only the config's, as far as masks and the attention take them. Names: backbone.stem,
/// backbone.stages.S.I, backbone.blocks.L.
class TrunkModel : public Model {
 public:
  static const ParameterTable& optionTable();

  Grid grid(int layer) const override;
  at::Tensor embed(const at::Tensor& images) override;
  at::Tensor block(int layer, const at::Tensor& tokens, AttentionHook* tap) override;
  at::Tensor gridTokens(int blocks, const at::Tensor& tokens) const override;
  Attention& attention(int layer) override { return m_blocks[layer]->attention(); }

 protected:
  /// Throws Failure(InvalidConfig) for sides that are not multiples of 32.
  TrunkModel(const ModelConfig& config, const MaskShape& masks);
  static void countTrunk(CostCounter& counter, const ModelConfig& config);
  static TrunkShape trunkOf(const ModelConfig& config);
  static const DetectorSize& sizeOf(const ModelConfig& config);

  /// Convolutions begin Kaiming normal (He et al. 2015), as PaddleDetection's; linear layers of the
  /// whole model as timm's. Without gradients.
  void startTrunk();
  /// What left the last block, from fine to coarse: strides 8, 16 and 32.
  std::vector<at::Tensor> mapsFrom(const at::Tensor& tokens) const;

 private:
  std::vector<at::Tensor> mapsForBlock(int layer, const at::Tensor& tokens);

  std::vector<PackedMaps> m_maps;  ///< [layers + 1]: what enters each block, and leaves the last
  std::shared_ptr<DetectorTrunk> m_trunk;
  std::vector<std::shared_ptr<TransformerBlock>> m_blocks;
};

/// `start` gets each weight of the convolutions in `module`, and the root of 2 over its fan-in.
/// Biases become 0.
template <typename Start>
void startConvolutions(torch::nn::Module& module, Start start) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    auto* conv = child->as<torch::nn::Conv2dImpl>();
    if (!conv) continue;
    start(conv->weight, std::sqrt(2.0 / static_cast<double>(conv->weight[0].numel())));
    if (conv->bias.defined()) conv->bias.zero_();
  }
}

}  // namespace headlight
