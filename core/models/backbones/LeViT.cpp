// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/LeViT.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "core/base/ModelPart.h"
#include "core/base/Translation.h"
#include "core/models/layers/BranchSum.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr int kLevitStemStride = 16;

[[noreturn]] void refuseLevit(const std::string& key, const std::string& message) {
  throw Failure({ErrorCode::InvalidConfig, message, "model." + key});
}

/// A list of one number, or of one for each.
int pick(const std::vector<int>& list, int index) {
  return list.size() == 1 ? list.front() : list[index];
}

void checkLengths(const ModelConfig& config, const LevitLayout& layout) {
  const auto check = [](const std::string& key, std::size_t length, int wanted, bool mayBeEmpty) {
    if (length == 1 || static_cast<int>(length) == wanted || (mayBeEmpty && length == 0)) return;
    refuseLevit("layout." + key, "has " + std::to_string(length) + tr(" numbers; give one, or ") +
                                     std::to_string(wanted) + tr(", one for each"));
  };
  check("key_widths", layout.keyWidths.size(), config.stages(), false);
  check("downsample_key_widths", layout.downsampleKeyWidths.size(), config.stages() - 1, true);
  check("downsample_heads", layout.downsampleHeads.size(), config.stages() - 1, true);
}

LevitLayout levitLayout(const ModelConfig& config) {
  LevitLayout layout;
  valueOrThrow(readParameters(LeViT::optionTable(), config.layout, &layout, "model.layout"));
  checkLengths(config, layout);
  if (config.stageWidth(0) % 8 != 0)
    refuseLevit(config.stageWidths.empty() ? "width" : "stage_widths",
                tr("LeViT's stem doubles its channels three times: the first width must be a "
                   "multiple of 8"));
  if (layout.tokenPooling && config.mechanism != "softmax")
    refuseLevit("layout.token_pooling", tr("token pooling needs softmax attention; set mechanism "
                                           "to softmax, or token_pooling to false"));
  if (layout.queryResidual && layout.downsampleAttentionRatio != 1.0)
    refuseLevit("layout.query_residual", tr("the query residual needs queries and values of equal "
                                            "width; set downsample_attention_ratio to 1"));
  return layout;
}

Grid stageGrid(const ModelConfig& config, int stage) {
  Grid grid{config.imageHeightPixels() / kLevitStemStride,
            config.imageWidthPixels() / kLevitStemStride, 0};
  for (int s = 0; s < stage; ++s)
    grid = grid.strided(2);
  return grid;
}

LevitAttentionOptions attentionOf(const ModelConfig& config, const LevitLayout& layout, int stage,
                                  int layer, int layerInStage) {
  const int keyWidth = pick(layout.keyWidths, stage);
  return {.attention = {.layer = layer,
                        .layerInStage = layerInStage,
                        .width = config.stageWidth(stage),
                        .heads = config.stageHeadCount(stage),
                        .grid = stageGrid(config, stage),
                        .options = config.attention},
          .keyWidth = keyWidth,
          .valueWidth = std::max(1, static_cast<int>(layout.attentionRatio * keyWidth)),
          .tokenPooling = layout.tokenPooling};
}

/// Into `stage`, from the one before.
LevitDownsampleOptions downsampleOf(const ModelConfig& config, const LevitLayout& layout,
                                    int stage) {
  const int width = config.stageWidth(stage - 1);
  const int keyWidth = layout.downsampleKeyWidths.empty()
                           ? pick(layout.keyWidths, stage)
                           : pick(layout.downsampleKeyWidths, stage - 1);
  return {.width = width,
          .outWidth = config.stageWidth(stage),
          .heads = layout.downsampleHeads.empty() ? std::max(1, width / keyWidth)
                                                  : pick(layout.downsampleHeads, stage - 1),
          .keyWidth = keyWidth,
          .valueWidth = std::max(1, static_cast<int>(layout.downsampleAttentionRatio * keyWidth)),
          .grid = stageGrid(config, stage - 1),
          .poolAfter = layout.queryPooling == "after",
          .queryResidual = layout.queryResidual,
          .tokenPooling = layout.tokenPooling};
}

/// Channels from the image to the first stage.
std::array<int, 5> stemWidths(const ModelConfig& config) {
  const int width = config.stageWidth(0);
  return {3, width / 8, width / 4, width / 2, width};
}

int hidden(int width, double ratio) {
  return std::max(1, static_cast<int>(width * ratio));
}

std::string stageName(int stage) {
  return "stages." + std::to_string(stage) + ".";
}

void countStage(CostCounter& counter, const ModelConfig& config, const LevitLayout& layout,
                int stage, int firstLayer) {
  const int width = config.stageWidth(stage);
  const std::int64_t tokens = stageGrid(config, stage).tokens();
  if (stage > 0) {
    counter.enter(stageName(stage) + "downsample.attn_downsample.");
    LevitDownsampleAttention::count(counter, downsampleOf(config, layout, stage));
    counter.enter(stageName(stage) + "downsample.");
    LevitMlp::count(counter, "mlp", width, hidden(width, layout.downsampleMlpRatio), tokens);
  }
  for (int b = 0; b < config.stageDepth(stage); ++b) {
    const std::string name = stageName(stage) + "blocks." + std::to_string(b) + ".";
    counter.enter(name + "attn.");
    countLevitAttention(counter, config.mechanism,
                        attentionOf(config, layout, stage, firstLayer + b, b));
    counter.enter(name);
    LevitMlp::count(counter, "mlp", width, hidden(width, config.mlpRatio), tokens);
  }
  counter.enter("");
}

}  // namespace

const ParameterTable& LeViT::optionTable() {
  using L = LevitLayout;
  static const ParameterTable table =
      TableBuilder<L>()
          .integers(&L::keyWidths, "key_widths", 1, 1024,
                    "Head width of keys and queries: one number, or one per stage.")
          .number(&L::attentionRatio, "attention_ratio", 0.125, 16,
                  "Head width of values, as a multiple of the key width.")
          .integers(&L::downsampleKeyWidths, "downsample_key_widths", 1, 1024,
                    "Head width of keys and queries between stages; empty: as in the next stage.")
          .integers(&L::downsampleHeads, "downsample_heads", 1, 256,
                    "Heads between stages; empty: the width before divided by the key width.")
          .number(&L::downsampleAttentionRatio, "downsample_attention_ratio", 0.125, 16,
                  "Head width of values between stages, as a multiple of the key width.")
          .number(&L::downsampleMlpRatio, "downsample_mlp_ratio", 0.1, 16,
                  "Hidden width of the MLP between stages, as a multiple of the width after.")
          .choice(&L::queryPooling, "query_pooling", {"before", "after"},
                  "Subsample queries before their projection (LeViT) or after it (Castling-LeViT).")
          .boolean(&L::queryResidual, "query_residual",
                   "Add the subsampled queries to the attention output between stages.")
          .boolean(&L::tokenPooling, "token_pooling",
                   "Halve keys and values on each side after their projection, as in MViTv2 "
                   "(Castling-ViT, Table 1); softmax only.")
          .build();
  return table;
}

LevitBlock::LevitBlock(const std::string& mechanism, const LevitAttentionOptions& options,
                       double mlpRatio, double dropPath)
    : m_dropPath(dropPath) {
  const int width = options.attention.width;
  m_attention = register_module("attn", makeLevitAttention(mechanism, options));
  m_mlp = register_module("mlp", std::make_shared<LevitMlp>(width, hidden(width, mlpRatio)));
}

at::Tensor LevitBlock::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool drop = is_training() && m_dropPath > 0;
  if (tap) tap->enter(tokens);
  at::Tensor branch =
      inPart(ModelPart::Attention, [&] { return m_attention->forward(tokens, tap); });
  branch = throughHook(tap, BlockBranch::Attention, branch);
  const at::Tensor attended = addBranch(tokens, drop ? dropPath(branch, m_dropPath) : branch);
  branch = inPart(ModelPart::Mlp, [&] { return m_mlp->forward(attended); });
  branch = throughHook(tap, BlockBranch::Mlp, branch);
  return addBranch(attended, drop ? dropPath(branch, m_dropPath) : branch);
}

LevitDownsample::LevitDownsample(const LevitDownsampleOptions& options, double mlpRatio,
                                 double dropPath)
    : m_dropPath(dropPath) {
  const int width = options.outWidth;
  m_attention =
      register_module("attn_downsample", std::make_shared<LevitDownsampleAttention>(options));
  m_mlp = register_module("mlp", std::make_shared<LevitMlp>(width, hidden(width, mlpRatio)));
}

at::Tensor LevitDownsample::forward(const at::Tensor& tokens) {
  const at::Tensor halvedTokens =
      inPart(ModelPart::Attention, [&] { return m_attention->forward(tokens); });
  const at::Tensor branch = inPart(ModelPart::Mlp, [&] { return m_mlp->forward(halvedTokens); });
  const bool drop = is_training() && m_dropPath > 0;
  return addBranch(halvedTokens, drop ? dropPath(branch, m_dropPath) : branch);
}

LeViT::LeViT(const ModelConfig& config, const MaskShape& masks) : Model(config, masks) {
  const LevitLayout layout = levitLayout(config);
  const auto channels = stemWidths(config);
  auto stem = register_module("stem", std::make_shared<Holder>());
  for (std::size_t i = 1; i < channels.size(); ++i)
    m_stem.push_back(stem->register_module(
        "conv" + std::to_string(i), std::make_shared<ConvNorm>(channels[i - 1], channels[i])));
  auto stages = register_module("stages", std::make_shared<Holder>());
  for (int s = 0; s < config.stages(); ++s) {
    auto stage = stages->register_module(std::to_string(s), std::make_shared<Holder>());
    std::shared_ptr<LevitDownsample> before;
    const int first = static_cast<int>(m_blocks.size());
    if (s > 0)
      before = stage->register_module(
          "downsample", std::make_shared<LevitDownsample>(
                            downsampleOf(config, layout, s), layout.downsampleMlpRatio,
                            dropPathRate(config, first, config.layers())));
    auto blocks = stage->register_module("blocks", std::make_shared<Holder>());
    for (int b = 0; b < config.stageDepth(s); ++b) {
      const auto options = attentionOf(config, layout, s, first + b, b);
      auto block = blocks->register_module(
          std::to_string(b),
          std::make_shared<LevitBlock>(config.mechanism, options, config.mlpRatio,
                                       dropPathRate(config, first + b, config.layers())));
      m_blocks.push_back({block, b == 0 ? before : nullptr, options.attention.grid});
    }
  }
  const int width = config.stageWidth(config.stages() - 1);
  m_head = register_module("head", std::make_shared<NormLinear>(width, config.classes));
  if (config.distilled)
    m_headDistilled =
        register_module("head_dist", std::make_shared<NormLinear>(width, config.classes));
  initialize();
}

/// As timm: convolutions and maps keep LibTorch's own start, heads are drawn from N(0, 0.02²).
void LeViT::initialize() {
  for (const auto& head : {m_head, m_headDistilled})
    if (head) initializeLinears(*head);
}

at::Tensor LeViT::embed(const at::Tensor& images) {
  checkImages(images, config());
  // Channels last, as the tokens will be: norms and activations go along them.
  at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
  for (const auto& convolution : m_stem)
    x = convolution->forward(
        x, convolution == m_stem.back() ? BehindNorm::Tokens : BehindNorm::ActiveProduct);
  return x.flatten(2).transpose(1, 2).contiguous();
}

at::Tensor LeViT::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  const Layer& l = m_blocks[layer];
  return l.block->forward(l.before ? l.before->forward(tokens) : tokens, tap);
}

at::Tensor LeViT::classify(const at::Tensor& tokens) {
  const auto [logits, distilled] = classifyBoth(tokens);
  return distilled.defined() ? (logits + distilled) / 2 : logits;
}

ClassLogitsPair LeViT::classifyBoth(const at::Tensor& tokens) {
  const at::Tensor features = tokens.mean(1);
  return {m_head->forward(features),
          m_headDistilled ? m_headDistilled->forward(features) : at::Tensor()};
}

ModelCost LeViT::cost(const ModelConfig& config) {
  const LevitLayout layout = levitLayout(config);
  CostCounter counter;
  const auto channels = stemWidths(config);
  std::int64_t rows = config.imageHeightPixels(), cols = config.imageWidthPixels();
  for (std::size_t i = 1; i < channels.size(); ++i) {
    rows /= 2, cols /= 2;
    ConvNorm::count(counter, "stem.conv" + std::to_string(i), channels[i - 1], channels[i], 1,
                    rows * cols);
  }
  int layer = 0;
  for (int s = 0; s < config.stages(); ++s) {
    countStage(counter, config, layout, s, layer);
    layer += config.stageDepth(s);
  }
  const int width = config.stageWidth(config.stages() - 1);
  NormLinear::count(counter, "head", width, config.classes);
  if (config.distilled) NormLinear::count(counter, "head_dist", width, config.classes);
  return counter.cost();
}

}  // namespace headlight
