// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/backbones/TrunkModel.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/models/detection/PanNeck.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr int kCoarsestStride = 32;
constexpr int kMlpSide = 5;  // of the convolution in the MLPs of ESNet-ViT

bool beginsStages(const ModelConfig& config) {
  return trunkName(config.backbone) == "lcnet_vit";
}

TrunkShape shapeOfTrunk(const ModelConfig& config) {
  return trunkShape(trunkName(config.backbone),
                    findDetectorSize(config.layout.value("size", TrunkLayout().size)));
}

int strideOf(const ModelConfig& config, int layer) {
  return beginsStages(config) ? 16 << layer : kCoarsestStride;
}

Grid detectorGrid(const ModelConfig& config, int layer) {
  const int stride = strideOf(config, layer);
  return {config.imageHeightPixels() / stride, config.imageWidthPixels() / stride, /*prefix=*/0};
}

BlockOptions detectorBlockOf(const ModelConfig& config, int layer) {
  const bool staged = beginsStages(config);
  const int stage = staged ? layer : 0;
  return {.mechanism = config.mechanism,
          .attention = {.layer = layer,
                        .stage = stage,
                        .layerInStage = staged ? 0 : layer,
                        .width = config.stageWidth(stage),
                        .heads = config.stageHeadCount(stage),
                        .qkvBias = config.qkvBias,
                        .normEpsilon = config.normEpsilon,
                        .grid = detectorGrid(config, layer),
                        .options = config.attention},
          .mlpRatio = config.mlpRatio,
          .activation = "hard_swish",
          .dropPath = dropPathRate(config, layer, config.layers()),
          .normEpsilon = config.normEpsilon,
          .mlpConvolution = staged ? 0 : kMlpSide,
          .mlpBatchNorm = !staged};
}

/// What enters each block and leaves the last: maps from `first`, the stride of their tokens, to 8.
PackedMaps packedFrom(const TrunkShape& trunk, int first) {
  PackedMaps maps;
  for (int stride = first; stride >= kFinestStride; stride /= 2)
    maps.push_back({trunk.channelsAt(stride), stride});
  return maps;
}

std::vector<PackedMaps> mapsOfBlocks(const ModelConfig& config) {
  const TrunkShape trunk = shapeOfTrunk(config);
  std::vector<PackedMaps> maps;
  for (int blocks = 0; blocks <= config.layers(); ++blocks)
    maps.push_back(
        packedFrom(trunk, beginsStages(config) ? kFinestStride << blocks : kCoarsestStride));
  return maps;
}

void requireWholeSquares(const ModelConfig& config) {
  for (const auto& [key, pixels] : {std::pair{"image_size", config.imageHeightPixels()},
                                    std::pair{"image_width", config.imageWidthPixels()}})
    if (pixels % kPackedSide != 0)
      throw Failure({ErrorCode::InvalidConfig,
                     tr("this backbone takes images whose sides are multiples of 32 pixels, not ") +
                         std::to_string(pixels),
                     std::string("model.") + key});
}

void checkTrunkImages(const at::Tensor& images) {
  TORCH_CHECK(images.dim() == 4 && images.size(1) == 3 && images.size(2) % kPackedSide == 0 &&
                  images.size(3) % kPackedSide == 0,
              "a network of LCNet or ESNet takes images of [B, 3, H, W], H and W multiples of ",
              kPackedSide, ", not ", images.sizes());
}

}  // namespace

const ParameterTable& TrunkModel::optionTable() {
  static const ParameterTable table = [] {
    std::vector<std::string> sizes;
    for (const DetectorSize& size : detectorSizes())
      sizes.push_back(size.name);
    return TableBuilder<TrunkLayout>()
        .choice(&TrunkLayout::size, "size", sizes,
                "Size of backbone, neck and head; xs is for tests and first steps.")
        .build();
  }();
  return table;
}

const DetectorSize& TrunkModel::sizeOf(const ModelConfig& config) {
  return findDetectorSize(config.layout.value("size", TrunkLayout().size));
}

TrunkShape TrunkModel::trunkOf(const ModelConfig& config) {
  return shapeOfTrunk(config);
}

TrunkModel::TrunkModel(const ModelConfig& config, const MaskShape& masks)
    : Model(config, masks), m_maps(mapsOfBlocks(config)) {
  requireWholeSquares(config);
  m_trunk = register_module("backbone", std::make_shared<DetectorTrunk>(trunkOf(config)));
  auto blocks = m_trunk->register_module("blocks", std::make_shared<Holder>());
  for (int l = 0; l < config.layers(); ++l)
    m_blocks.push_back(blocks->register_module(
        std::to_string(l), std::make_shared<TransformerBlock>(detectorBlockOf(config, l))));
}

void TrunkModel::startTrunk() {
  const at::NoGradGuard noGrad;
  initializeLinears(*this);
  startConvolutions(*m_trunk, [](at::Tensor weight, double scale) { weight.normal_(0, scale); });
  for (const auto& item : named_parameters())  // the filters in the MLPs of ESNet-ViT
    if (item.key().ends_with(".dconv.weight"))
      item.value().detach().normal_(0,
                                    std::sqrt(2.0 / static_cast<double>(item.value()[0].numel())));
}

Grid TrunkModel::grid(int layer) const {
  return detectorGrid(config(), layer);
}

/// Through all stages that no block begins.
at::Tensor TrunkModel::embed(const at::Tensor& images) {
  checkTrunkImages(images);
  const TrunkShape trunk = trunkOf(config());
  const int last = m_maps.front().front().stride;
  std::vector<at::Tensor> maps;  // from fine to coarse
  at::Tensor x = m_trunk->stem(images);
  for (std::size_t s = 0; s < trunk.stages.size() && trunk.stages[s].stride <= last; ++s) {
    x = m_trunk->stage(static_cast<int>(s), x);
    if (trunk.stages[s].stride >= kFinestStride) maps.push_back(x);
  }
  return packed({maps.rbegin(), maps.rend()}, m_maps.front());
}

/// From coarse to fine, the block's own first: after the layer that its stage begins with.
std::vector<at::Tensor> TrunkModel::mapsForBlock(int layer, const at::Tensor& tokens) {
  std::vector<at::Tensor> maps = unpacked(tokens, m_maps[layer]);
  if (!beginsStages(config())) return maps;
  const int stage = static_cast<int>(trunkOf(config()).stages.size()) - layers() + layer;
  maps.insert(maps.begin(), m_trunk->stage(stage, maps.front()));
  return maps;
}

at::Tensor TrunkModel::block(int layer, const at::Tensor& tokens, AttentionHook* tap) {
  std::vector<at::Tensor> maps = mapsForBlock(layer, tokens);
  const Grid grid{static_cast<int>(maps.front().size(2)), static_cast<int>(maps.front().size(3)),
                  /*prefix=*/0};
  m_blocks[layer]->setGrid(grid);
  maps.front() = mapOfTokens(m_blocks[layer]->forward(tokensOfMap(maps.front()), tap), grid);
  return packed(maps, m_maps[layer + 1]);
}

at::Tensor TrunkModel::gridTokens(int blocks, const at::Tensor& tokens) const {
  return packedTokens(tokens, m_maps[blocks]);
}

std::vector<at::Tensor> TrunkModel::mapsFrom(const at::Tensor& tokens) const {
  const std::vector<at::Tensor> maps = unpacked(tokens, m_maps.back());
  return {maps.rbegin(), maps.rend()};
}

void TrunkModel::countTrunk(CostCounter& counter, const ModelConfig& config) {
  requireWholeSquares(config);
  counter.enter("backbone.");
  DetectorTrunk::count(counter, trunkOf(config), config.imageHeightPixels(),
                       config.imageWidthPixels());
  for (int l = 0; l < config.layers(); ++l)
    TransformerBlock::count(counter, "backbone.blocks." + std::to_string(l) + ".",
                            detectorBlockOf(config, l));
}

}  // namespace headlight
