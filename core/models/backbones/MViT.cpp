// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/MViT.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/ModelPart.h"
#include "core/models/layers/BranchSum.h"

namespace headlight {
namespace {

constexpr int kStageStride = 2;  // between stages

/// Where a layer stands: the stage, and its place in it.
struct Place {
  int stage = 0, index = 0;
};

Place placeOf(const ModelConfig& config, int layer) {
  Place place{0, layer};
  while (place.index >= config.stageDepth(place.stage))
    place.index -= config.stageDepth(place.stage++);
  return place;
}

Grid gridOfStage(const ModelConfig& config, int stage) {
  Grid grid = config.grid();
  for (int s = 0; s < stage; ++s)
    grid = grid.strided(kStageStride);
  return grid;
}

MvitOptions mvitLayout(const ModelConfig& config) {
  MvitOptions layout;
  valueOrThrow(readParameters(MViT::optionTable(), config.layout, &layout, "model.layout"));
  return layout;
}

BlockOptions mvitBlockOf(const ModelConfig& config, int layer) {
  const auto [stage, index] = placeOf(config, layer);
  const bool leads = index == 0 && stage > 0;
  return {.mechanism = leads && !mvitLayout(config).linearLeading ? "softmax" : config.mechanism,
          .attention = {.layer = layer,
                        .layerInStage = index,
                        .width = config.stageWidth(stage),
                        .heads = config.stageHeadCount(stage),
                        .qkvBias = config.qkvBias,
                        .grid = gridOfStage(config, leads ? stage - 1 : stage),
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .dropPath = dropPathRate(config, layer, config.layers()),
          .normEpsilon = config.normEpsilon};
}

/// Keys are pooled the less, the smaller the grid: by key_stride in the first stage, half of it in
/// the second, and so on.
PoolingOptions poolingOf(const ModelConfig& config, int layer) {
  const auto [stage, index] = placeOf(config, layer);
  const MvitOptions layout = mvitLayout(config);
  const bool leads = index == 0 && stage > 0;
  return {.attention = mvitBlockOf(config, layer).attention,
          .inputWidth = config.stageWidth(leads ? stage - 1 : stage),
          .queryStride = leads ? kStageStride : 1,
          .keyStride = std::max(1, layout.keyStride >> stage),
          .residual = layout.residualPooling,
          .normEpsilon = config.normEpsilon};
}

std::string mvitName(const Place& place) {
  return "stages." + std::to_string(place.stage) + ".blocks." + std::to_string(place.index) + ".";
}

/// N(0, 0.02²) cut off at two deviations, as timm's for this model: by the inverse of the normal
/// distribution function.
void truncatedNormal(at::Tensor tensor) {
  const double edge = std::erf(std::sqrt(2.0));
  tensor.uniform_(-edge, edge).erfinv_().mul_(0.02 * std::sqrt(2.0));
}

}  // namespace

MvitBlock::MvitBlock(const BlockOptions& options, const PoolingOptions& pooling)
    : m_dropPath(options.dropPath), m_stride(pooling.queryStride), m_grid(pooling.attention.grid) {
  const int width = options.attention.width;
  m_norm1 = register_module("norm1", makeNorm(pooling.inputWidth, options.normEpsilon));
  if (pooling.inputWidth != width)
    m_widen = register_module("shortcut_proj_attn", torch::nn::Linear(pooling.inputWidth, width));
  m_attention = register_module("attn", makePoolingAttention(options.mechanism, pooling));
  m_norm2 = register_module("norm2", makeNorm(width, options.normEpsilon));
  m_mlp = register_module("mlp", std::make_shared<Mlp>(width, options.hiddenWidth()));
}

void MvitBlock::count(CostCounter& counter, const std::string& prefix, const BlockOptions& options,
                      const PoolingOptions& pooling) {
  const std::int64_t width = options.attention.width, hidden = options.hiddenWidth(),
                     tokens = pooling.queryGrid().patches();
  counter.enter(prefix + "attn.");
  countPoolingAttention(counter, options.mechanism, pooling);
  counter.enter(prefix);
  counter.parameters("norms", 2 * pooling.inputWidth + 2 * width);
  if (pooling.inputWidth != width)
    counter.linear("shortcut_proj_attn", pooling.inputWidth, width, true,
                   pooling.attention.grid.patches());
  counter.linear("mlp.fc1", width, hidden, true, tokens);
  counter.linear("mlp.fc2", hidden, width, true, tokens);
  counter.enter("");
}

/// What passes by the attention: the tokens themselves, or where the width grows a projection of
/// their norm.
at::Tensor MvitBlock::shortcut(const at::Tensor& tokens, const at::Tensor& normed) {
  at::Tensor wide = m_widen ? inFloat32(m_widen(normed)) : tokens;
  if (m_stride == 1) return wide;
  const auto batch = wide.size(0), width = wide.size(2);
  const at::Tensor grid = wide.transpose(1, 2).reshape({batch, width, m_grid.rows, m_grid.cols});
  return at::max_pool2d(grid, {m_stride + 1, m_stride + 1}, {m_stride, m_stride},
                        {(m_stride + 1) / 2, (m_stride + 1) / 2})
      .flatten(2)
      .transpose(1, 2);
}

at::Tensor MvitBlock::join(const at::Tensor& tokens, at::Tensor branch) const {
  if (is_training() && m_dropPath > 0) branch = dropPath(branch, m_dropPath);
  return addBranch(tokens, branch);
}

at::Tensor MvitBlock::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const at::Tensor normed = branchNormed(m_norm1, tokens);
  if (tap) tap->enter(inFloat32(normed));
  const at::Tensor attended = join(
      shortcut(tokens, normed),
      throughHook(tap, BlockBranch::Attention,
                  inPart(ModelPart::Attention, [&] { return m_attention->forward(normed, tap); })));
  return join(attended, throughHook(tap, BlockBranch::Mlp, inPart(ModelPart::Mlp, [&] {
                                      return m_mlp->branch(branchNormed(m_norm2, attended));
                                    })));
}

const ParameterTable& MViT::optionTable() {
  static const ParameterTable table =
      TableBuilder<MvitOptions>()
          .integer(&MvitOptions::keyStride, "key_stride", 1, 64,
                   "Patches per key on each side in the first stage; halves at each stage.")
          .boolean(&MvitOptions::residualPooling, "residual_pooling",
                   "Add the pooled queries to the attention output.")
          .boolean(&MvitOptions::linearLeading, "linear_leading",
                   "With linear_angular: also use it in the first block of each later stage.")
          .build();
  return table;
}

MViT::MViT(const ModelConfig& config, const MaskShape& masks) : Model(config, masks) {
  // Patches overlap: each convolution reaches almost a patch beyond its own on both sides.
  m_patches =
      torch::nn::Conv2d(torch::nn::Conv2dOptions(3, config.stageWidth(0), 2 * config.patchSize - 1)
                            .stride(config.patchSize)
                            .padding(config.patchSize - 1));
  register_module("patch_embed", std::make_shared<Holder>())->register_module("proj", m_patches);
  if (config.positions == "learned")
    m_positions = register_parameter("pos_embed",
                                     at::zeros({1, config.grid().patches(), config.stageWidth(0)}));
  auto stages = register_module("stages", std::make_shared<Holder>());
  std::shared_ptr<Holder> blocks;
  for (int l = 0; l < config.layers(); ++l) {
    const auto [stage, index] = placeOf(config, l);
    if (index == 0)
      blocks = stages->register_module(std::to_string(stage), std::make_shared<Holder>())
                   ->register_module("blocks", std::make_shared<Holder>());
    m_blocks.push_back(blocks->register_module(
        std::to_string(index),
        std::make_shared<MvitBlock>(mvitBlockOf(config, l), poolingOf(config, l))));
  }
  const int width = config.stageWidth(config.stages() - 1);
  m_norm = register_module("norm", makeNorm(width, config.normEpsilon));
  m_head = register_module("head", std::make_shared<Holder>())
               ->register_module("fc", torch::nn::Linear(width, config.classes));
  initialize();
}

/// As timm: linear layers and positions from a cut normal distribution, convolutions as they come.
void MViT::initialize() {
  const at::NoGradGuard noGrad;
  initializeLinears(*this);
  for (const auto& item : named_parameters())
    if (item.value().dim() == 2) truncatedNormal(item.value());
  if (m_positions.defined()) truncatedNormal(m_positions);
}

Grid MViT::keyGrid(const ModelConfig& config, int layer) {
  return poolingOf(config, layer).keyGrid();
}

Grid MViT::grid(int layer) const {
  return gridOfStage(config(), placeOf(config(), layer).stage);
}

std::string MViT::mapMeaning() const {
  std::string meaning = Model::mapMeaning();
  if (config().mechanism != "softmax" && config().stages() > 1 &&
      !mvitLayout(config()).linearLeading)
    meaning += " In the first layer of each later stage: " +
               Model::attention(config().stageDepth(0)).mapMeaning();
  return meaning;
}

at::Tensor MViT::embed(const at::Tensor& images) {
  checkImages(images, config());
  const at::Tensor patches = inFloat32(m_patches(images)).flatten(2).transpose(1, 2);
  return m_positions.defined() ? patches + m_positions : patches.contiguous();
}

at::Tensor MViT::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  return m_blocks[layer]->forward(tokens, tap);
}

at::Tensor MViT::classify(const at::Tensor& tokens) {
  return m_head(m_norm(tokens).mean(1));
}

ModelCost MViT::cost(const ModelConfig& config) {
  const std::int64_t patches = config.grid().patches(), first = config.stageWidth(0),
                     last = config.stageWidth(config.stages() - 1);
  CostCounter counter;
  counter.convolution("patch_embed.proj", 3, first, 2 * config.patchSize - 1, 1, true, patches);
  if (config.positions == "learned") counter.parameters("pos_embed", patches * first);
  for (int l = 0; l < config.layers(); ++l)
    MvitBlock::count(counter, mvitName(placeOf(config, l)), mvitBlockOf(config, l),
                     poolingOf(config, l));
  counter.parameters("norm", 2 * last);
  counter.linear("head.fc", last, config.classes, true, 1);
  return counter.cost();
}

}  // namespace headlight
