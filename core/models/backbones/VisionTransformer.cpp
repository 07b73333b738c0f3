// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/VisionTransformer.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/base/Translation.h"
#include "core/models/layers/ConvolvedMlp.h"

namespace headlight {
namespace {

VitLayout layoutOf(const ModelConfig& config) {
  VitLayout layout;
  valueOrThrow(
      readParameters(VisionTransformer::optionTable(), config.layout, &layout, "model.layout"));
  requireOddSide(layout.mlpConvolution, "model.layout.mlp_convolution");
  if (layout.pooling == "auto") layout.pooling = config.classToken ? "token" : "mean";
  const auto refuse = [](const std::string& key, const std::string& why) {
    throw Failure({ErrorCode::InvalidConfig, why, "model.layout." + key});
  };
  if (layout.pooling.starts_with("token") && !config.classToken)
    refuse("pooling", tr("the model has no class token; choose mean or attention"));
  if (config.distilled && (layout.pooling != "token" || layout.poolNorm))
    refuse("pooling", tr("a distilled model reads its tokens after the final norm; choose token, "
                         "without pool_norm"));
  if (layout.preLogits > 0 && (config.classes == 0 || config.distilled))
    refuse("pre_logits", tr("needs one classifier; set it to 0"));
  if (layout.cosine && (config.classes == 0 || config.distilled))
    refuse("cosine", tr("needs one classifier; turn it off"));
  if (!layout.branchBias && (config.mechanism != "softmax" || layout.mlp != "swiglu_apart"))
    refuse("branch_bias",
           tr("can be left out only with softmax attention and the MLP swiglu_apart"));
  if (layout.objectClasses > 0 && (config.registers == 0 || layout.objectClasses == 1))
    refuse("object_classes",
           tr("needs registers, which find the objects, and at least 2 classes: the last is \"no "
              "object\""));
  if (!layout.finalNorm && (layout.poolNorm || config.distilled))
    refuse("final_norm", tr("is needed by distilled models and by pool_norm; leave it on"));
  if (layout.poolHeads > 0 && config.width % layout.poolHeads != 0)
    refuse("pool_heads", tr("must divide model.width ") + std::to_string(config.width));
  if (config.distilled && config.classes == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("a distilled model has two classifiers; give at least "
                      "1"),
                   "model.classes"});
  if (layout.mlpConvolution > 0 && (layout.mlp != "plain" || layout.activation != "gelu"))
    refuse(
        "mlp_convolution",
        tr("needs a plain MLP with GELU; set mlp to plain and activation to gelu, or this to 0"));
  return layout;
}

BlockOptions vitBlockOf(const ModelConfig& config, const VitLayout& layout, int layer) {
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .layerInStage = layer,
                        .width = config.width,
                        .heads = config.heads,
                        .qkvBias = config.qkvBias,
                        .keyBias = layout.names != "beit",
                        .projBias = layout.branchBias,
                        .normEpsilon = config.normEpsilon,
                        .grid = config.grid(),
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .mlp = layout.mlp,
          .activation = layout.activation,
          .layerScale = config.layerScale,
          .bareScale = layout.names != "vit",
          .postNorm = layout.postNorm,
          .rmsNorm = layout.norm == "rms",
          .mlpBias = layout.branchBias,
          .dropPath = dropPathRate(config, layer, config.depth),
          .normEpsilon = config.normEpsilon,
          .mlpDropPath = layout.mlpDropPath,
          .mlpConvolution = layout.mlpConvolution};
}

AttentionPoolOptions poolOf(const ModelConfig& config, const VitLayout& layout) {
  return {.width = config.width,
          .heads = layout.poolHeads > 0 ? layout.poolHeads : config.heads,
          .mlpRatio = layout.poolRatio > 0 ? layout.poolRatio : config.mlpRatio,
          .normEpsilon = config.normEpsilon,
          .activation = layout.activation};
}

std::shared_ptr<RotaryFrequencies> frequenciesOf(const ModelConfig& config,
                                                 const VitLayout& layout) {
  if (config.mechanism != "softmax") return nullptr;
  return SoftmaxAttention::sharedFrequencies(vitBlockOf(config, layout, 0).attention, config.depth);
}

/// Of what pooling makes of the tokens, and of what the classifier reads.
int pooledWidth(const ModelConfig& config, const VitLayout& layout) {
  return layout.pooling == "token_mean" ? 2 * config.width : config.width;
}

int headWidth(const ModelConfig& config, const VitLayout& layout) {
  return layout.preLogits > 0 ? layout.preLogits : pooledWidth(config, layout);
}

std::int64_t positionCount(const ModelConfig& config, const VitLayout& layout) {
  if (config.positions != "learned") return 0;
  return layout.prefixPositions ? config.grid().tokens() : config.grid().patches();
}

}  // namespace

VisionTransformer::VisionTransformer(const ModelConfig& config, const MaskShape& masks)
    : Model(config, masks), m_layout(layoutOf(config)) {
  makeTokens();
  m_patches = register_module(
      "patch_embed",
      std::make_shared<PatchEmbedding>(config.patchSize, config.width, !m_layout.normPre));
  if (m_layout.patchNorm) m_patchNorm = m_patches->register_module("norm", makeTokenNorm());
  if (m_layout.normPre) m_normPre = register_module("norm_pre", makeTokenNorm());
  makeBlocks();
  makeEnd();
  initialize();
}

void VisionTransformer::makeBlocks() {
  m_frequencies = frequenciesOf(config(), m_layout);
  if (m_frequencies) register_module("rope", m_frequencies);
  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config().depth; ++l) {
    m_blocks.push_back(blocks->register_module(
        std::to_string(l), std::make_shared<TransformerBlock>(vitBlockOf(config(), m_layout, l))));
    if (m_frequencies)
      dynamic_cast<SoftmaxAttention&>(m_blocks.back()->attention()).share(m_frequencies);
  }
}

std::shared_ptr<TokenNorm> VisionTransformer::makeTokenNorm() const {
  return std::make_shared<TokenNorm>(config().width, config().normEpsilon, m_layout.norm == "rms");
}

void VisionTransformer::makeTokens() {
  const int width = config().width;
  if (config().classToken) m_classToken = register_parameter("cls_token", at::zeros({1, 1, width}));
  if (config().distilled)
    m_distillationToken = register_parameter("dist_token", at::zeros({1, 1, width}));
  if (config().registers > 0)
    m_registers = register_parameter("reg_token", at::zeros({1, config().registers, width}));
  if (const std::int64_t count = positionCount(config(), m_layout); count > 0)
    m_positions = register_parameter("pos_embed", at::zeros({1, count, width}));
  if (m_layout.midPositions)
    m_midPositions = register_parameter(
        "mid_pos_embed", at::zeros({config().depth - 1, 1, config().grid().tokens(), width}));
}

void VisionTransformer::makeEnd() {
  const int width = config().width;
  const char* name = m_layout.poolNorm ? "fc_norm" : "norm";
  if (m_layout.finalNorm)
    (m_layout.poolNorm ? m_poolNorm : m_norm) = register_module(name, makeTokenNorm());
  if (m_layout.pooling == "attention")
    m_attentionPool =
        register_module("attn_pool", std::make_shared<AttentionPool>(poolOf(config(), m_layout)));
  const int pooled = pooledWidth(config(), m_layout);
  if (m_layout.preLogits > 0)
    m_preLogits =
        register_module("pre_logits", std::make_shared<Holder>())
            ->register_module(
                "fc",
                torch::nn::Linear(
                    torch::nn::LinearOptions(pooled, m_layout.preLogits).bias(!m_layout.cosine)));
  if (config().classes > 0)
    m_head =
        register_module("head", torch::nn::Linear(headWidth(config(), m_layout), config().classes));
  if (m_layout.objectClasses > 0)
    m_objectHead =
        register_module("object_head", std::make_shared<ObjectHead>(width, m_layout.objectClasses));
  if (config().distilled)
    m_headDistilled = register_module("head_dist", torch::nn::Linear(width, config().classes));
}

/// As timm: embeddings from N(0, 0.02²), the class token and registers from N(0, 10⁻¹²).
void VisionTransformer::initialize() {
  const at::NoGradGuard noGrad;
  if (m_classToken.defined()) m_classToken.normal_(0, 1e-6);
  if (m_distillationToken.defined()) m_distillationToken.normal_(0, 0.02);
  if (m_registers.defined()) m_registers.normal_(0, 1e-6);
  if (m_positions.defined()) m_positions.normal_(0, 0.02);
  if (m_midPositions.defined()) m_midPositions.normal_(0, 0.02);
  if (m_frequencies) m_frequencies->initialize();
  m_patches->initialize();
  initializeLinears(*this);
}

at::Tensor VisionTransformer::embed(const at::Tensor& images) {
  checkImages(images, config());
  std::vector<at::Tensor> parts;
  for (const at::Tensor& token : {m_classToken, m_distillationToken, m_registers})
    if (token.defined()) parts.push_back(token.expand({images.size(0), -1, -1}));
  at::Tensor patches = m_patches->forward(images);
  if (m_patchNorm) patches = m_patchNorm->forward(patches);
  const bool first = m_positions.defined() && !m_layout.prefixPositions;
  parts.push_back(first ? patches + m_positions : patches);
  at::Tensor tokens = at::cat(parts, 1);
  if (m_positions.defined() && !first) tokens = tokens + m_positions;
  return m_normPre ? m_normPre->forward(tokens) : tokens;
}

at::Tensor VisionTransformer::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  const at::Tensor after = m_blocks[layer]->forward(tokens, tap);
  const bool again = m_midPositions.defined() && layer < config().depth - 1;
  return again ? after + m_midPositions.select(0, layer) : after;
}

at::Tensor VisionTransformer::finalNorm(const at::Tensor& tokens) {
  return m_norm ? m_norm->forward(tokens) : tokens;
}

/// [B, T, D] → [B, 2D].
at::Tensor VisionTransformer::tokenAndMean(const at::Tensor& normed, int prefix) {
  return at::cat({normed.select(1, 0), normed.slice(1, prefix).mean(1)}, -1);
}

at::Tensor VisionTransformer::pooledFeatures(const at::Tensor& tokens) {
  const int prefix = config().grid().prefix;
  at::Tensor pooled;
  // Norms act on tokens one by one: only those that are read need it.
  if (m_layout.pooling == "token")
    pooled = finalNorm(tokens.slice(1, 0, 1)).select(1, 0);
  else if (m_layout.pooling == "attention")
    pooled = m_attentionPool->forward(finalNorm(tokens.slice(1, m_layout.poolPrefix ? 0 : prefix)));
  else if (m_layout.pooling == "token_mean")
    pooled = tokenAndMean(finalNorm(tokens), prefix);
  else
    pooled = finalNorm(tokens.slice(1, prefix)).mean(1);
  return m_poolNorm ? m_poolNorm->forward(pooled) : pooled;
}

ObjectScores VisionTransformer::findObjects(const at::Tensor& tokens) {
  if (!m_objectHead) return {};
  const int registers = config().registers, first = config().grid().prefix - registers;
  return m_objectHead->forward(finalNorm(tokens.slice(1, first, first + registers)));
}

at::Tensor VisionTransformer::classify(const at::Tensor& tokens) {
  const auto [logits, distilled] = classifyBoth(tokens);
  return distilled.defined() ? (logits + distilled) / 2 : logits;
}

at::Tensor VisionTransformer::headInput(const at::Tensor& pooled) {
  constexpr double kLeastLength = 1e-12;
  const at::Tensor features = m_preLogits ? inFloat32(m_preLogits(pooled)) : pooled;
  if (m_layout.cosine)
    return inFloat32(features) / features.norm(2, -1, /*keepdim=*/true).clamp_min(kLeastLength);
  return m_preLogits ? at::tanh(features) : features;
}

ClassLogitsPair VisionTransformer::classifyBoth(const at::Tensor& tokens) {
  if (!m_head) return {tokens.new_empty({tokens.size(0), 0}), {}};
  if (!config().distilled) return {m_head(headInput(pooledFeatures(tokens))), {}};
  const at::Tensor prefix = m_norm->forward(tokens.slice(1, 0, 2));
  return {m_head(prefix.select(1, 0)), m_headDistilled(prefix.select(1, 1))};
}

ModelCost VisionTransformer::cost(const ModelConfig& config) {
  const VitLayout layout = layoutOf(config);
  const std::int64_t width = config.width, patches = config.grid().patches();
  CostCounter counter;
  counter.parameters("tokens", config.grid().prefix * width);
  if (config.positions == "learned")
    counter.parameters("pos_embed", positionCount(config, layout) * width);
  if (layout.midPositions)
    counter.parameters("mid_pos_embed", (config.depth - 1) * config.grid().tokens() * width);
  counter.convolution("patch_embed.proj", 3, width, config.patchSize, 1, !layout.normPre, patches);
  const std::int64_t norm = TokenNorm::parameters(width, layout.norm == "rms");
  if (layout.patchNorm) counter.parameters("patch_embed.norm", norm);
  if (layout.normPre) counter.parameters("norm_pre", norm);
  if (frequenciesOf(config, layout)) counter.parameters("rope", config.depth * width);
  for (int l = 0; l < config.depth; ++l)
    TransformerBlock::count(counter, "blocks." + std::to_string(l) + ".",
                            vitBlockOf(config, layout, l));
  if (layout.finalNorm) counter.parameters("norm", norm);
  if (layout.pooling == "attention")
    AttentionPool::count(counter, poolOf(config, layout),
                         layout.poolPrefix ? config.grid().tokens() : patches);
  if (layout.preLogits > 0)
    counter.linear("pre_logits.fc", pooledWidth(config, layout), layout.preLogits, !layout.cosine,
                   1);
  if (config.classes > 0)
    counter.linear("head", headWidth(config, layout), config.classes, true, 1);
  if (layout.objectClasses > 0)
    ObjectHead::count(counter, config.width, layout.objectClasses, config.registers);
  if (config.distilled) counter.linear("head_dist", width, config.classes, true, 1);
  return counter.cost();
}

}  // namespace headlight
