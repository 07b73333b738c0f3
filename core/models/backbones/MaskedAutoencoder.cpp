// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/MaskedAutoencoder.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/ModelPart.h"
#include "core/base/Translation.h"
#include "core/models/pretraining/KeptPatches.h"
#include "core/models/pretraining/SinePositions.h"

namespace headlight {
namespace {

[[noreturn]] void refuseAutoencoder(const std::string& key, const std::string& why) {
  throw Failure({ErrorCode::InvalidConfig, why, "model." + key});
}

AutoencoderLayout autoencoderLayoutOf(const ModelConfig& config) {
  AutoencoderLayout layout;
  valueOrThrow(
      readParameters(MaskedAutoencoder::optionTable(), config.layout, &layout, "model.layout"));
  if (layout.decoderWidth % layout.decoderHeads != 0)
    refuseAutoencoder("layout.decoder_heads", tr("must divide model.layout.decoder_width ") +
                                                  std::to_string(layout.decoderWidth));
  const std::string sines =
      tr("must be a multiple of 4: positions are sines and cosines of rows and "
         "columns");
  if (config.width % 4 != 0) refuseAutoencoder("width", sines);
  if (layout.decoderWidth % 4 != 0) refuseAutoencoder("layout.decoder_width", sines);
  if (config.grid().patches() < 2)
    refuseAutoencoder("patch_size", tr("leaves one patch, of which none can be dropped; choose "
                                       "smaller patches"));
  return layout;
}

std::int64_t keptOf(const ModelConfig& config, const AutoencoderLayout& layout) {
  return keptCount(config.grid().patches(), layout.maskRatio);
}

BlockOptions encoderBlockOf(const ModelConfig& config, int layer, const Grid& grid) {
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .layerInStage = layer,
                        .width = config.width,
                        .heads = config.heads,
                        .qkvBias = config.qkvBias,
                        .normEpsilon = config.normEpsilon,
                        .grid = grid,
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .dropPath = dropPathRate(config, layer, config.depth),
          .normEpsilon = config.normEpsilon};
}

/// As published: softmax attention, an MLP four times as wide.
BlockOptions decoderBlockOf(const ModelConfig& config, const AutoencoderLayout& layout, int layer) {
  return {.attention = {.layer = layer,
                        .layerInStage = layer,
                        .width = layout.decoderWidth,
                        .heads = layout.decoderHeads,
                        .normEpsilon = config.normEpsilon,
                        .grid = config.grid()},
          .normEpsilon = config.normEpsilon};
}

int pixelsOfPatch(const ModelConfig& config) {
  return config.patchSize * config.patchSize * 3;
}

/// Uniform within √(6 / (fan-in + fan-out)) (Glorot & Bengio 2010).
void startGlorot(at::Tensor weight) {
  const auto outputs = static_cast<double>(weight.size(0));
  const double inputs = static_cast<double>(weight.numel()) / outputs;
  const double bound = std::sqrt(6.0 / (inputs + outputs));
  weight.uniform_(-bound, bound);
}

void startLinearsGlorot(torch::nn::Module& module) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    auto* linear = child->as<torch::nn::LinearImpl>();
    if (!linear) continue;
    startGlorot(linear->weight);
    if (linear->bias.defined()) linear->bias.zero_();
  }
}

/// Masks of heads are of the encoder's layers alone: the decoder's products have no heads to mask.
ModelCost withoutDecoderMasks(ModelCost cost) {
  for (LayerCost& entry : cost.layers)
    if (entry.name.starts_with("decoder_")) entry.headWidth = 0;
  return cost;
}

/// [B, K] as an index along the tokens of [B, .., width].
at::Tensor alongTokens(const at::Tensor& kept, std::int64_t width) {
  return kept.unsqueeze(-1).expand({kept.size(0), kept.size(1), width});
}

}  // namespace

const ParameterTable& MaskedAutoencoder::optionTable() {
  using L = AutoencoderLayout;
  static const ParameterTable table =
      TableBuilder<L>()
          .number(&L::maskRatio, "mask_ratio", 0.01, 0.99,
                  "Share of the patches of each image that the encoder does not see in training.")
          .integer(&L::decoderWidth, "decoder_width", 4, 16384,
                   "Token width of the decoder; a multiple of 4 and of decoder_heads.")
          .integer(&L::decoderDepth, "decoder_depth", 1, 256, "Number of decoder blocks.")
          .integer(&L::decoderHeads, "decoder_heads", 1, 4096, "Attention heads per decoder block.")
          .boolean(&L::normalizedTargets, "normalized_targets",
                   "Reconstruct each patch at mean 0 and variance 1, not its pixels.")
          .build();
  return table;
}

MaskedAutoencoder::MaskedAutoencoder(const ModelConfig& config, const MaskShape& masks)
    : Model(config, masks), m_layout(autoencoderLayoutOf(config)) {
  makeEncoder();
  makeDecoder();
  initialize();
}

void MaskedAutoencoder::makeEncoder() {
  const int width = config().width;
  m_classToken = register_parameter("cls_token", at::zeros({1, 1, width}));
  m_positions = register_buffer("pos_embed", sinePositions(config().grid(), width));
  m_patches =
      register_module("patch_embed", std::make_shared<PatchEmbedding>(config().patchSize, width));
  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config().depth; ++l)
    m_blocks.push_back(blocks->register_module(
        std::to_string(l),
        std::make_shared<TransformerBlock>(encoderBlockOf(config(), l, config().grid()))));
  m_norm = register_module("norm", std::make_shared<TokenNorm>(width, config().normEpsilon));
}

void MaskedAutoencoder::makeDecoder() {
  const int width = m_layout.decoderWidth;
  m_decoderEmbed = register_module("decoder_embed", torch::nn::Linear(config().width, width));
  m_maskToken = register_parameter("mask_token", at::zeros({1, 1, width}));
  m_decoderPositions = register_buffer("decoder_pos_embed", sinePositions(config().grid(), width));
  auto blocks = register_module("decoder_blocks", std::make_shared<Holder>());
  for (int l = 0; l < m_layout.decoderDepth; ++l)
    m_decoderBlocks.push_back(blocks->register_module(
        std::to_string(l),
        std::make_shared<TransformerBlock>(decoderBlockOf(config(), m_layout, l))));
  m_decoderNorm =
      register_module("decoder_norm", std::make_shared<TokenNorm>(width, config().normEpsilon));
  m_decoderPredict =
      register_module("decoder_pred", torch::nn::Linear(width, pixelsOfPatch(config())));
}

/// As facebookresearch/mae: tokens from N(0, 0.02²), all matrices as Glorot.
void MaskedAutoencoder::initialize() {
  const at::NoGradGuard noGrad;
  m_classToken.normal_(0, 0.02);
  m_maskToken.normal_(0, 0.02);
  m_patches->initialize();
  for (const auto& item : m_patches->named_parameters())
    if (item.key().ends_with("weight")) startGlorot(item.value());
  startLinearsGlorot(*this);
}

at::Tensor MaskedAutoencoder::embeddedPatches(const at::Tensor& images) {
  checkImages(images, config());
  return m_patches->forward(images) + m_positions.slice(1, 1);
}

at::Tensor MaskedAutoencoder::withClassToken(const at::Tensor& patches) {
  const at::Tensor token = m_classToken + m_positions.slice(1, 0, 1);
  return at::cat({token.expand({patches.size(0), -1, -1}), patches}, 1);
}

at::Tensor MaskedAutoencoder::embed(const at::Tensor& images) {
  m_kept = at::Tensor();
  return withClassToken(embeddedPatches(images));
}

/// Also called again in the backward pass of the same images (Recomputation.h).
at::Tensor MaskedAutoencoder::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  m_blocks[layer]->setKept(m_kept);
  return m_blocks[layer]->forward(tokens, tap);
}

at::Tensor MaskedAutoencoder::classify(const at::Tensor& tokens) {
  return tokens.new_empty({tokens.size(0), 0});
}

at::Tensor MaskedAutoencoder::pooledFeatures(const at::Tensor& tokens) {
  return m_norm->forward(tokens.slice(1, 0, 1)).select(1, 0);
}

void MaskedAutoencoder::requireUnmasked() const {
  if (masks().maskedHeads() == 0) return;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("heads cannot be masked while patches are dropped: masks are defined on the "
                    "whole grid; use none"),
                 "masks"});
}

at::Tensor MaskedAutoencoder::rebuild(const at::Tensor& images, const at::Tensor& kept,
                                      AttentionHook* tap) {
  requireUnmasked();
  const at::Tensor seen = inPart(ModelPart::Embedding, [&] {
    const at::Tensor patches = embeddedPatches(images);
    m_kept = kept.to(patches.device());
    return withClassToken(patches.gather(1, alongTokens(m_kept, patches.size(2))));
  });
  const at::Tensor tokens = throughBlocks(seen, tap);
  const PartScope scope(ModelPart::Head);
  return inFloat32(decoded(tokens, m_kept));
}

at::Tensor MaskedAutoencoder::decoded(const at::Tensor& tokens, const at::Tensor& kept) {
  const at::Tensor given = inFloat32(m_decoderEmbed(m_norm->forward(tokens)));
  const std::int64_t width = given.size(2), patches = m_decoderPositions.size(1) - 1;
  const at::Tensor whole = m_maskToken.expand({given.size(0), patches, width})
                               .scatter(1, alongTokens(kept, width), given.slice(1, 1));
  at::Tensor x = at::cat({given.slice(1, 0, 1), whole}, 1) + m_decoderPositions;
  for (const auto& block : m_decoderBlocks)
    x = block->forward(x, nullptr);
  return m_decoderPredict(m_decoderNorm->forward(x.slice(1, 1)));
}

ModelCost MaskedAutoencoder::cost(const ModelConfig& config) {
  const AutoencoderLayout layout = autoencoderLayoutOf(config);
  const std::int64_t patches = config.grid().patches(), kept = keptOf(config, layout);
  const Grid seen{1, static_cast<int>(kept), config.grid().prefix};
  const std::int64_t width = config.width, decoderWidth = layout.decoderWidth;
  CostCounter counter;
  counter.parameters("cls_token", width);
  counter.convolution("patch_embed.proj", 3, width, config.patchSize, 1, true, patches);
  for (int l = 0; l < config.depth; ++l)
    TransformerBlock::count(counter, "blocks." + std::to_string(l) + ".",
                            encoderBlockOf(config, l, seen));
  counter.parameters("norm", 2 * width);
  counter.linear("decoder_embed", width, decoderWidth, true, seen.tokens());
  counter.parameters("mask_token", decoderWidth);
  for (int l = 0; l < layout.decoderDepth; ++l)
    TransformerBlock::count(counter, "decoder_blocks." + std::to_string(l) + ".",
                            decoderBlockOf(config, layout, l));
  counter.parameters("decoder_norm", 2 * decoderWidth);
  counter.linear("decoder_pred", decoderWidth, pixelsOfPatch(config), true, patches);
  return withoutDecoderMasks(counter.cost());
}

MaskedAutoencoder& autoencoderIn(Model& model) {
  if (auto* autoencoder = dynamic_cast<MaskedAutoencoder*>(&model)) return *autoencoder;
  throw Failure({ErrorCode::InvalidConfig,
                 tr("has no decoder to reconstruct images with; choose the backbone mae"),
                 "model.backbone"});
}

}  // namespace headlight
