// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/Swin.h"

#include <ATen/ATen.h>

#include "core/base/ModelPart.h"

namespace headlight {
namespace {

/// A block of the model, as its config says.
struct Plan {
  int stage, indexInStage;
  BlockOptions options;
  std::string name() const {
    return "layers." + std::to_string(stage) + ".blocks." + std::to_string(indexInStage) + ".";
  }
};

SwinLayout swinLayout(const ModelConfig& config) {
  SwinLayout layout;
  valueOrThrow(readParameters(Swin::optionTable(), config.layout, &layout, "model.layout"));
  return layout;
}

BlockOptions swinBlock(const ModelConfig& config, const Plan& plan, int layer, const Grid& grid) {
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .stage = plan.stage,
                        .layerInStage = plan.indexInStage,
                        .width = config.stageWidth(plan.stage),
                        .heads = config.stageHeadCount(plan.stage),
                        .qkvBias = config.qkvBias,
                        .grid = grid,
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .layerScale = config.layerScale,
          .postNorm = swinLayout(config).postNorm,
          .dropPath = dropPathRate(config, layer, config.layers()),
          .normEpsilon = config.normEpsilon};
}

std::vector<Plan> plansOf(const ModelConfig& config) {
  std::vector<Plan> plans;
  Grid grid = config.grid();
  for (int stage = 0; stage < config.stages(); ++stage) {
    if (stage > 0) grid = grid.strided(2);
    for (int index = 0; index < config.stageDepth(stage); ++index) {
      Plan plan{stage, index, {}};
      plan.options = swinBlock(config, plan, static_cast<int>(plans.size()), grid);
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

MergingSize mergingInto(const ModelConfig& config, int stage) {
  return {config.stageWidth(stage - 1), config.stageWidth(stage), config.normEpsilon};
}

}  // namespace

const ParameterTable& Swin::optionTable() {
  using L = SwinLayout;
  static const ParameterTable table =
      TableBuilder<L>()
          .choice(&L::stem, "stem", {"patch", "conv"},
                  "Patch embedding: one linear map, or two 3 × 3 convolutions of stride 2.")
          .choice(&L::merging, "merging", {"patch", "patch_norm", "conv"},
                  "Downsampling between stages: merge 2 × 2 tokens after a norm or before it "
                  "(Swin V2), or a 3 × 3 convolution of stride 2.")
          .boolean(&L::postNorm, "post_norm",
                   "Use norms after attention and MLP, before the residual addition (Swin V2).")
          .build();
  return table;
}

Swin::Swin(const ModelConfig& config, const MaskShape& masks) : Model(config, masks) {
  const at::NoGradGuard noGrad;
  const SwinLayout layout = swinLayout(config);
  const int lastWidth = config.stageWidth(config.stages() - 1);
  if (layout.stem == "conv")
    m_stem = register_module("patch_embed", std::make_shared<ConvolutionStem>(config));
  else
    m_stem = register_module("patch_embed", std::make_shared<PatchStem>(config));
  if (config.positions == "learned")
    m_positions = register_parameter(
        "pos_embed",
        at::zeros({1, config.grid().patches(), config.stageWidth(0)}).normal_(0, 0.02));
  auto stages = register_module("layers", std::make_shared<Holder>());
  std::shared_ptr<Holder> stage, blocks;
  for (const Plan& plan : plansOf(config)) {
    Layer layer{plan.options.attention.grid, nullptr, nullptr};
    if (plan.indexInStage == 0) {
      stage = stages->register_module(std::to_string(plan.stage), std::make_shared<Holder>());
      if (plan.stage > 0)
        layer.merging = stage->register_module(
            "downsample", makeMerging(layout.merging, mergingInto(config, plan.stage)));
      blocks = stage->register_module("blocks", std::make_shared<Holder>());
    }
    layer.block = blocks->register_module(std::to_string(plan.indexInStage),
                                          std::make_shared<TransformerBlock>(plan.options));
    m_layers.push_back(layer);
  }
  m_norm = register_module("norm", makeNorm(lastWidth, config.normEpsilon));
  if (config.classes > 0)
    m_head = register_module("head", std::make_shared<Holder>())
                 ->register_module("fc", torch::nn::Linear(lastWidth, config.classes));
  initializeLinears(*this);
}

at::Tensor Swin::embed(const at::Tensor& images) {
  checkImages(images, config());
  const at::Tensor tokens = m_stem->computeTokens(images);
  return m_positions.defined() ? tokens + m_positions : tokens;
}

at::Tensor Swin::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  const Layer& own = m_layers[layer];
  if (!own.merging) return own.block->forward(tokens, tap);
  const at::Tensor merged = inPart(
      ModelPart::Embedding, [&] { return own.merging->merge(tokens, m_layers[layer - 1].grid); });
  return own.block->forward(merged, tap);
}

at::Tensor Swin::pooledFeatures(const at::Tensor& tokens) {
  return m_norm(tokens).mean(1);
}

at::Tensor Swin::classify(const at::Tensor& tokens) {
  if (!m_head) return tokens.new_empty({tokens.size(0), 0});
  return m_head(pooledFeatures(tokens));
}

ModelCost Swin::cost(const ModelConfig& config) {
  const SwinLayout layout = swinLayout(config);
  const int lastWidth = config.stageWidth(config.stages() - 1);
  CostCounter counter;
  counter.enter("patch_embed.");
  layout.stem == "conv" ? ConvolutionStem::count(counter, config)
                        : PatchStem::count(counter, config);
  counter.enter("");
  if (config.positions == "learned")
    counter.parameters("pos_embed", config.grid().patches() * config.stageWidth(0));
  for (const Plan& plan : plansOf(config)) {
    if (plan.stage > 0 && plan.indexInStage == 0) {
      counter.enter("layers." + std::to_string(plan.stage) + ".downsample.");
      countMerging(counter, layout.merging, mergingInto(config, plan.stage),
                   plan.options.attention.grid);
    }
    TransformerBlock::count(counter, plan.name(), plan.options);
  }
  counter.parameters("norm", 2 * lastWidth);
  if (config.classes > 0) counter.linear("head.fc", lastWidth, config.classes, true, 1);
  return counter.cost();
}

}  // namespace headlight
