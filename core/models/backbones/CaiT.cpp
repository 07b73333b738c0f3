// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/CaiT.h"

#include <ATen/ATen.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/softmax/ClassAttention.h"
#include "core/base/ModelPart.h"
#include "core/base/Translation.h"
#include "core/models/layers/BranchSum.h"

namespace headlight {
namespace {

bool isClassLayer(const ModelConfig& config, int layer) {
  return layer >= config.depth;
}

Grid caitGrid(const ModelConfig& config, int layer) {
  Grid grid = config.grid();
  grid.prefix = isClassLayer(config, layer) ? 1 : 0;
  return grid;
}

BlockOptions caitBlockOf(const ModelConfig& config, int layer) {
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .layerInStage = layer,
                        .width = config.width,
                        .heads = config.heads,
                        .qkvBias = config.qkvBias,
                        .grid = caitGrid(config, layer),
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .layerScale = config.layerScale,
          // Class layers are never dropped.
          .dropPath = isClassLayer(config, layer) ? 0.0 : dropPathRate(config, layer, config.depth),
          .normEpsilon = config.normEpsilon};
}

/// timm's name of a layer's block.
std::pair<std::string, std::string> caitName(const ModelConfig& config, int layer) {
  return isClassLayer(config, layer)
             ? std::pair{std::string("blocks_token_only"), std::to_string(layer - config.depth)}
             : std::pair{std::string("blocks"), std::to_string(layer)};
}

void caitCheck(const ModelConfig& config) {
  if (config.classDepth < 1)
    throw Failure(
        {ErrorCode::InvalidConfig,
         tr("CaiT's class token joins in its class-attention blocks: give at least 1 (usually 2)"),
         "model.class_depth"});
}

}  // namespace

CaitBlock::CaitBlock(const BlockOptions& options, std::shared_ptr<Attention> attention)
    : m_dropPath(options.dropPath) {
  const int width = options.attention.width;
  if (options.layerScale > 0) {
    m_gamma1 = register_parameter("gamma_1", at::full({width}, options.layerScale));
    m_gamma2 = register_parameter("gamma_2", at::full({width}, options.layerScale));
  }
  m_norm1 = register_module("norm1", makeNorm(width, options.normEpsilon));
  m_attention = register_module("attn", std::move(attention));
  m_norm2 = register_module("norm2", makeNorm(width, options.normEpsilon));
  m_mlp = register_module("mlp", std::make_shared<Mlp>(width, options.hiddenWidth()));
}

at::Tensor CaitBlock::join(const at::Tensor& tokens, at::Tensor branch, const CaitJoint& joint) {
  if (joint.gamma.defined()) branch = branch * joint.gamma;
  branch = throughHook(joint.tap, joint.part, branch);
  if (is_training() && m_dropPath > 0) branch = dropPath(branch, m_dropPath);
  return addBranch(tokens, branch);
}

at::Tensor CaitBlock::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const at::Tensor entering = branchNormed(m_norm1, tokens);
  if (tap) tap->enter(inFloat32(entering));
  const at::Tensor branch =
      inPart(ModelPart::Attention, [&] { return m_attention->forward(entering, tap); });
  const auto changed = branch.size(1);  // every token, or the class token alone
  const at::Tensor attended =
      join(tokens.slice(1, 0, changed), branch, {BlockBranch::Attention, m_gamma1, tap});
  const at::Tensor mixed =
      inPart(ModelPart::Mlp, [&] { return m_mlp->branch(branchNormed(m_norm2, attended)); });
  const at::Tensor result = join(attended, mixed, {BlockBranch::Mlp, m_gamma2, tap});
  return changed == tokens.size(1) ? result : at::cat({result, tokens.slice(1, changed)}, 1);
}

CaiT::CaiT(const ModelConfig& config, const MaskShape& masks) : Model(config, masks) {
  caitCheck(config);
  const int width = config.width;
  m_classToken = register_parameter("cls_token", at::zeros({1, 1, width}));
  if (config.positions == "learned")
    m_positions = register_parameter("pos_embed", at::zeros({1, config.grid().patches(), width}));
  m_patches =
      register_module("patch_embed", std::make_shared<PatchEmbedding>(config.patchSize, width));
  auto patchBlocks = register_module("blocks", std::make_shared<Holder>());
  auto classBlocks = register_module("blocks_token_only", std::make_shared<Holder>());
  for (int l = 0; l < config.layers(); ++l) {
    const BlockOptions options = caitBlockOf(config, l);
    const bool last = isClassLayer(config, l);
    auto attention = last ? std::make_shared<ClassAttention>(options.attention)
                          : makeAttention(options.mechanism, options.attention);
    m_blocks.push_back((last ? classBlocks : patchBlocks)
                           ->register_module(caitName(config, l).second,
                                             std::make_shared<CaitBlock>(options, attention)));
  }
  m_norm = register_module("norm", makeNorm(width, config.normEpsilon));
  m_head = register_module("head", torch::nn::Linear(width, config.classes));
  initialize();
}

/// As timm: class token and positions from N(0, 0.02²).
void CaiT::initialize() {
  const at::NoGradGuard noGrad;
  m_classToken.normal_(0, 0.02);
  if (m_positions.defined()) m_positions.normal_(0, 0.02);
  m_patches->initialize();
  initializeLinears(*this);
}

Grid CaiT::grid(int layer) const {
  return caitGrid(config(), layer);
}

std::string CaiT::mapMeaning() const {
  return Model::mapMeaning() + " In the last " + std::to_string(config().classDepth) +
         " layers: " + Model::attention(config().depth).mapMeaning();
}

at::Tensor CaiT::embed(const at::Tensor& images) {
  checkImages(images, config());
  const at::Tensor patches = m_patches->forward(images);
  return m_positions.defined() ? patches + m_positions : patches;
}

at::Tensor CaiT::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  if (layer != config().depth) return m_blocks[layer]->forward(tokens, tap);
  const at::Tensor classToken = m_classToken.expand({tokens.size(0), -1, -1});
  return m_blocks[layer]->forward(at::cat({classToken, tokens}, 1), tap);
}

at::Tensor CaiT::classify(const at::Tensor& tokens) {
  return m_head(m_norm(tokens.select(1, 0)));
}

ModelCost CaiT::cost(const ModelConfig& config) {
  caitCheck(config);
  const std::int64_t width = config.width, patches = config.grid().patches();
  CostCounter counter;
  counter.parameters("cls_token", width);
  if (config.positions == "learned") counter.parameters("pos_embed", patches * width);
  counter.convolution("patch_embed.proj", 3, width, config.patchSize, 1, true, patches);
  for (int l = 0; l < config.layers(); ++l) {
    const BlockOptions options = caitBlockOf(config, l);
    const auto [list, index] = caitName(config, l);
    const std::string prefix = list + "." + index + ".";
    counter.enter(prefix + "attn.");
    if (isClassLayer(config, l))
      ClassAttention::count(counter, options.attention);
    else
      findMechanism(options.mechanism).count(counter, options.attention);
    counter.enter(prefix);
    const std::int64_t changed = isClassLayer(config, l) ? 1 : patches,
                       hidden = options.hiddenWidth();
    counter.parameters("norms", 4 * width);
    counter.linear("mlp.fc1", width, hidden, true, changed);
    counter.linear("mlp.fc2", hidden, width, true, changed);
    if (options.layerScale > 0) counter.parameters("gamma", 2 * width);
    counter.enter("");
  }
  counter.parameters("norm", 2 * width);
  counter.linear("head", width, config.classes, true, 1);
  return counter.cost();
}

}  // namespace headlight
