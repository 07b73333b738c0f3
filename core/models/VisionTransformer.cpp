#include "core/models/VisionTransformer.h"

#include <ATen/ATen.h>

#include "core/models/ConvolvedMlp.h"

namespace headlight {
namespace {

BlockOptions vitBlockOf(const ModelConfig& config, int layer) {
  VitLayout layout;
  valueOrThrow(
      readParameters(VisionTransformer::optionTable(), config.layout, &layout, "model.layout"));
  requireOddSide(layout.mlpConvolution, "model.layout.mlp_convolution");
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .layerInStage = layer,
                        .width = config.width,
                        .heads = config.heads,
                        .qkvBias = config.qkvBias,
                        .grid = config.grid(),
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .layerScale = config.layerScale,
          .dropPath = dropPathRate(config, layer, config.depth),
          .normEpsilon = config.normEpsilon,
          .mlpDropPath = layout.mlpDropPath,
          .mlpConvolution = layout.mlpConvolution};
}

}  // namespace

const ParameterTable& VisionTransformer::optionTable() {
  static const ParameterTable table =
      TableBuilder<VitLayout>()
          .boolean(&VitLayout::mlpDropPath, "mlp_drop_path",
                   "Whether drop path drops the MLP too, not the attention alone.")
          .integer(&VitLayout::mlpConvolution, "mlp_convolution", 0, 31,
                   "Side of a depthwise convolution over the patches in the middle of the MLP "
                   "(Castling-ViT, §4.4); odd, 0 means none.")
          .build();
  return table;
}

VisionTransformer::VisionTransformer(const ModelConfig& config) : Model(config) {
  const int width = config.width;
  if (config.classToken) m_classToken = register_parameter("cls_token", at::zeros({1, 1, width}));
  if (config.distilled)
    m_distillationToken = register_parameter("dist_token", at::zeros({1, 1, width}));
  if (config.positions == "learned")
    m_positions = register_parameter("pos_embed", at::zeros({1, config.grid().tokens(), width}));
  m_patches =
      register_module("patch_embed", std::make_shared<PatchEmbedding>(config.patchSize, width));
  auto blocks = register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config.depth; ++l)
    m_blocks.push_back(blocks->register_module(
        std::to_string(l), std::make_shared<TransformerBlock>(vitBlockOf(config, l))));
  m_norm = register_module("norm", makeNorm(width, config.normEpsilon));
  m_head = register_module("head", torch::nn::Linear(width, config.classes));
  if (config.distilled)
    m_headDistilled = register_module("head_dist", torch::nn::Linear(width, config.classes));
  initialise();
}

/// As timm: embeddings from N(0, 0.02²), the class token from N(0, 10⁻¹²).
void VisionTransformer::initialise() {
  const at::NoGradGuard noGrad;
  if (m_classToken.defined()) m_classToken.normal_(0, 1e-6);
  if (m_distillationToken.defined()) m_distillationToken.normal_(0, 0.02);
  if (m_positions.defined()) m_positions.normal_(0, 0.02);
  m_patches->initialise();
  initialiseLinears(*this);
}

at::Tensor VisionTransformer::embed(const at::Tensor& images) {
  checkImages(images, config());
  std::vector<at::Tensor> parts;
  for (const at::Tensor& token : {m_classToken, m_distillationToken})
    if (token.defined()) parts.push_back(token.expand({images.size(0), -1, -1}));
  parts.push_back(m_patches->forward(images));
  const at::Tensor tokens = at::cat(parts, 1);
  return m_positions.defined() ? tokens + m_positions : tokens;
}

at::Tensor VisionTransformer::block(int layer, const at::Tensor& tokens, AttentionTap* tap) {
  return m_blocks[layer]->forward(tokens, tap);
}

at::Tensor VisionTransformer::classify(const at::Tensor& tokens) {
  if (!config().classToken) return m_head(m_norm(tokens).mean(1));
  const auto [logits, distilled] = classifyBoth(tokens);
  return distilled.defined() ? (logits + distilled) / 2 : logits;
}

ClassLogitsPair VisionTransformer::classifyBoth(const at::Tensor& tokens) {
  if (!config().classToken) return {classify(tokens), {}};
  // Norms act on tokens one by one: only those that are read need it.
  const at::Tensor prefix = m_norm(tokens.slice(1, 0, config().grid().prefix));
  const at::Tensor logits = m_head(prefix.select(1, 0));
  return {logits, config().distilled ? m_headDistilled(prefix.select(1, 1)) : at::Tensor()};
}

ModelCost VisionTransformer::cost(const ModelConfig& config) {
  const std::int64_t width = config.width, patches = config.grid().patches();
  CostCounter counter;
  counter.parameters("tokens", config.grid().prefix * width);
  if (config.positions == "learned")
    counter.parameters("pos_embed", config.grid().tokens() * width);
  counter.convolution("patch_embed.proj", 3, width, config.patchSize, 1, true, patches);
  for (int l = 0; l < config.depth; ++l)
    TransformerBlock::count(counter, "blocks." + std::to_string(l) + ".", vitBlockOf(config, l));
  counter.parameters("norm", 2 * width);
  counter.linear("head", width, config.classes, true, 1);
  if (config.distilled) counter.linear("head_dist", width, config.classes, true, 1);
  return counter.cost();
}

}  // namespace headlight
