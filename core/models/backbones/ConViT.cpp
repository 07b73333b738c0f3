// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/ConViT.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/attention/softmax/GatedPositionalAttention.h"

namespace headlight {
namespace {

int localLayers(const ModelConfig& config) {
  ConvitLayout layout;
  valueOrThrow(readParameters(ConViT::optionTable(), config.layout, &layout, "model.layout"));
  return std::min(layout.localLayers, config.classToken ? config.depth - 1 : config.depth);
}

Grid convitGrid(const ModelConfig& config, int layer) {
  Grid grid = config.grid();
  if (layer < localLayers(config)) grid.prefix = 0;
  return grid;
}

BlockOptions convitBlockOf(const ModelConfig& config, int layer) {
  const std::string mechanism = layer < localLayers(config) ? config.mechanism : "softmax";
  return {
      .mechanism = mechanism,
      .attention = {.layer = layer,
                    .layerInStage = layer,
                    .width = config.width,
                    .heads = config.heads,
                    .qkvBias = config.qkvBias,
                    .grid = convitGrid(config, layer),
                    .options = mechanism == config.mechanism ? config.attention : Json::object()},
      .mlpRatio = config.mlpRatio,
      .layerScale = config.layerScale,
      .dropPath = dropPathRate(config, layer, config.depth),
      .normEpsilon = config.normEpsilon};
}

}  // namespace

const ParameterTable& ConViT::optionTable() {
  static const ParameterTable table =
      TableBuilder<ConvitLayout>()
          .integer(
              &ConvitLayout::localLayers, "local_layers", 0, 256,
              "Blocks with the mechanism before the class token joins; at least one block follows.")
          .build();
  return table;
}

ConViT::ConViT(const ModelConfig& config, const MaskShape& masks) : Model(config, masks) {
  const int width = config.width;
  if (config.classToken) m_classToken = register_parameter("cls_token", at::zeros({1, 1, width}));
  if (config.positions == "learned")
    m_positions = register_parameter("pos_embed", at::zeros({1, config.grid().patches(), width}));
  m_patches =
      register_module("patch_embed", std::make_shared<PatchEmbedding>(config.patchSize, width));
  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config.depth; ++l)
    m_blocks.push_back(blocks->register_module(
        std::to_string(l), std::make_shared<TransformerBlock>(convitBlockOf(config, l))));
  m_norm = register_module("norm", makeNorm(width, config.normEpsilon));
  m_head = register_module("head", torch::nn::Linear(width, config.classes));
  initialize();
}

/// As timm: class token and positions from N(0, 0.02²), local blocks as convolutions.
void ConViT::initialize() {
  const at::NoGradGuard noGrad;
  if (m_classToken.defined()) m_classToken.normal_(0, 0.02);
  if (m_positions.defined()) m_positions.normal_(0, 0.02);
  m_patches->initialize();
  initializeLinears(*this);
  for (const auto& block : m_blocks)
    if (auto* gated = dynamic_cast<GatedPositionalAttention*>(&block->attention()))
      gated->initializeLocally();
}

Grid ConViT::grid(int layer) const {
  return convitGrid(config(), layer);
}

std::string ConViT::mapMeaning() const {
  const int last = config().depth - 1, local = localLayers(config());
  if (local == 0 || local > last || config().mechanism == "softmax") return Model::mapMeaning();
  return Model::mapMeaning() + " From layer " + std::to_string(local) +
         " on: " + m_blocks[last]->attention().mapMeaning();
}

at::Tensor ConViT::embed(const at::Tensor& images) {
  checkImages(images, config());
  const at::Tensor patches = m_patches->forward(images);
  return m_positions.defined() ? patches + m_positions : patches;
}

at::Tensor ConViT::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  if (!m_classToken.defined() || layer != localLayers(config()))
    return m_blocks[layer]->forward(tokens, tap);
  const at::Tensor classToken = m_classToken.expand({tokens.size(0), -1, -1});
  return m_blocks[layer]->forward(at::cat({classToken, tokens}, 1), tap);
}

at::Tensor ConViT::classify(const at::Tensor& tokens) {
  return m_head(m_classToken.defined() ? m_norm(tokens.select(1, 0)) : m_norm(tokens).mean(1));
}

ModelCost ConViT::cost(const ModelConfig& config) {
  const std::int64_t width = config.width, patches = config.grid().patches();
  CostCounter counter;
  if (config.classToken) counter.parameters("cls_token", width);
  if (config.positions == "learned") counter.parameters("pos_embed", patches * width);
  counter.convolution("patch_embed.proj", 3, width, config.patchSize, 1, true, patches);
  for (int l = 0; l < config.depth; ++l)
    TransformerBlock::count(counter, "blocks." + std::to_string(l) + ".", convitBlockOf(config, l));
  counter.parameters("norm", 2 * width);
  counter.linear("head", width, config.classes, true, 1);
  return counter.cost();
}

}  // namespace headlight
