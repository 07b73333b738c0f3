// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/DetectorTrunk.h"

#include <ATen/ATen.h>

#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr int kStemStride = 2;

/// A layer of PP-LCNet's table at σ = 1.
struct LcRow {
  int kernel, width, stride;
};
using LcRows = std::vector<LcRow>;

/// From stride 2 to 32.
const std::vector<LcRows>& lcRows() {
  static const std::vector<LcRows> rows{
      {{3, 32, 1}},
      {{3, 64, 2}, {3, 64, 1}},
      {{3, 128, 2}, {3, 128, 1}},
      {{3, 256, 2}, {5, 256, 1}, {5, 256, 1}, {5, 256, 1}, {5, 256, 1}, {5, 256, 1}},
      {{5, 512, 2}, {5, 512, 1}}};
  return rows;
}

TrunkShape lcTrunk(double scale, bool withTransformers) {
  TrunkShape trunk{roundedWidth(16 * scale, 8), /*pooled=*/false, {}};
  int width = trunk.stemWidth, stride = kStemStride;
  for (const LcRows& rows : lcRows()) {
    stride *= rows.front().stride;
    TrunkStage stage{stride, {}};
    for (const LcRow& row : rows) {
      if (withTransformers && stride >= 16 && row.stride == 1) continue;
      const int out = roundedWidth(row.width * scale, 8);
      stage.layers.emplace_back(LcShape{width, out, row.kernel, row.stride, stride == 32});
      width = out;
    }
    trunk.stages.push_back(stage);
  }
  return trunk;
}

TrunkStage esStage(int stride, int in, int width, const double* ratios, int blocks) {
  TrunkStage stage{stride, {}};
  for (int b = 0; b < blocks; ++b) {
    const int middle = roundedWidth(static_cast<int>(width * ratios[b]), 8);
    stage.layers.emplace_back(EsShape{b == 0 ? in : width, width, middle, b == 0 ? 2 : 1});
  }
  return stage;
}

TrunkShape esTrunk(const DetectorSize& size, bool withTransformers) {
  TrunkShape trunk{24, /*pooled=*/true, {}};
  const double* ratios = size.ratios.data();
  int in = trunk.stemWidth, stride = 2 * kStemStride;
  for (const auto& [base, blocks] : {std::pair{128, 3}, std::pair{256, 7}, std::pair{512, 3}}) {
    const int width = roundedWidth(base * size.esnetScale, 16);
    stride *= 2;
    trunk.stages.push_back(
        esStage(stride, in, width, ratios, withTransformers && stride == 32 ? 1 : blocks));
    ratios += blocks;
    in = width;
  }
  return trunk;
}

std::shared_ptr<MapLayer> makeLayer(const LayerShape& shape) {
  if (const auto* lc = std::get_if<LcShape>(&shape)) return std::make_shared<LcLayer>(*lc);
  const EsShape& es = std::get<EsShape>(shape);
  if (es.stride == 2) return std::make_shared<EsDownsample>(es);
  return std::make_shared<EsBlock>(es);
}

void countLayer(CostCounter& counter, const std::string& name, const LayerShape& shape,
                std::int64_t positions, std::int64_t before) {
  if (const auto* lc = std::get_if<LcShape>(&shape))
    return LcLayer::count(counter, name, *lc, positions);
  const EsShape& es = std::get<EsShape>(shape);
  if (es.stride == 2) return EsDownsample::count(counter, name, es, positions, before);
  EsBlock::count(counter, name, es, positions);
}

ConvShape stemShape(const TrunkShape& shape) {
  return {3, shape.stemWidth, 3, kStemStride};
}

}  // namespace

int TrunkStage::channels() const {
  return std::visit([](const auto& layer) { return layer.out; }, layers.back());
}

int TrunkShape::channelsAt(int stride) const {
  int channels = 0;
  for (const TrunkStage& stage : stages)
    if (stage.stride == stride) channels = stage.channels();
  return channels;
}

TrunkShape trunkShape(const std::string& backbone, const DetectorSize& size) {
  const bool withTransformers = backbone.ends_with("_vit");
  return backbone.starts_with("lcnet") ? lcTrunk(size.lcnetScale, withTransformers)
                                       : esTrunk(size, withTransformers);
}

std::int64_t positionsAt(std::int64_t height, std::int64_t width, int stride) {
  return ((height + stride - 1) / stride) * ((width + stride - 1) / stride);
}

DetectorTrunk::DetectorTrunk(const TrunkShape& shape)
    : m_pooled(shape.pooled),
      m_stem(register_module("stem", std::make_shared<ConvBlock>(stemShape(shape)))) {
  auto stages = register_module("stages", std::make_shared<Holder>());
  for (std::size_t s = 0; s < shape.stages.size(); ++s) {
    auto stage = stages->register_module(std::to_string(s), std::make_shared<Holder>());
    m_stages.emplace_back();
    for (const LayerShape& layer : shape.stages[s].layers)
      m_stages.back().push_back(
          stage->register_module(std::to_string(m_stages.back().size()), makeLayer(layer)));
  }
}

void DetectorTrunk::count(CostCounter& counter, const TrunkShape& shape, std::int64_t height,
                          std::int64_t width) {
  ConvBlock::count(counter, "stem", stemShape(shape), positionsAt(height, width, kStemStride));
  for (std::size_t s = 0; s < shape.stages.size(); ++s) {
    const TrunkStage& stage = shape.stages[s];
    for (std::size_t i = 0; i < stage.layers.size(); ++i)
      countLayer(counter, "stages." + std::to_string(s) + "." + std::to_string(i), stage.layers[i],
                 positionsAt(height, width, stage.stride),
                 positionsAt(height, width, stage.stride / 2));
  }
}

at::Tensor DetectorTrunk::stem(const at::Tensor& images) {
  const at::Tensor maps = m_stem->forward(images);
  return m_pooled ? at::max_pool2d(maps, {3, 3}, {2, 2}, {1, 1}) : maps;
}

at::Tensor DetectorTrunk::stage(int index, at::Tensor maps) {
  for (const auto& layer : m_stages[index])
    maps = layer->forward(maps);
  return maps;
}

}  // namespace headlight
