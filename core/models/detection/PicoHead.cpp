// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/PicoHead.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/models/detection/DetectorTrunk.h"
#include "core/models/detection/PanNeck.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr double kFirstProbability = 0.01;

SeparableShape headLayer(const HeadShape& shape) {
  return {shape.width, shape.width};
}

}  // namespace

HeadLevel::HeadLevel(const HeadShape& shape) {
  auto layers = register_module("layers", std::make_shared<Holder>());
  for (int i = 0; i < shape.layers; ++i)
    m_layers.push_back(layers->register_module(std::to_string(i),
                                               std::make_shared<SeparableBlock>(headLayer(shape))));
  m_predict = register_module(
      "predict", torch::nn::Conv2d(torch::nn::Conv2dOptions(shape.width, shape.outputs(), 1)));
}

void HeadLevel::count(CostCounter& counter, const std::string& name, const HeadShape& shape,
                      std::int64_t positions) {
  for (int i = 0; i < shape.layers; ++i)
    SeparableBlock::count(counter, name + ".layers." + std::to_string(i), headLayer(shape),
                          positions);
  counter.convolution(name + ".predict", shape.width, shape.outputs(), 1, 1, /*bias=*/true,
                      positions);
}

at::Tensor HeadLevel::forward(at::Tensor maps) {
  for (const auto& layer : m_layers)
    maps = layer->forward(maps);
  return inFloat32(m_predict(maps)).flatten(2).transpose(1, 2);
}

void HeadLevel::initialize() {
  const at::NoGradGuard noGrad;
  for (const auto& module : modules(/*include_self=*/false))
    if (auto* conv = module->as<torch::nn::Conv2dImpl>()) conv->weight.normal_(0, 0.01);
  m_predict->bias.fill_(-std::log((1 - kFirstProbability) / kFirstProbability));
}

PicoHead::PicoHead(const HeadShape& shape) : m_classes(shape.classes) {
  for (int level = 0; level < kNeckLevels; ++level)
    m_levels.push_back(register_module(std::to_string(level), std::make_shared<HeadLevel>(shape)));
}

void PicoHead::count(CostCounter& counter, const HeadShape& shape, std::int64_t height,
                     std::int64_t width) {
  for (int level = 0; level < kNeckLevels; ++level)
    HeadLevel::count(counter, std::to_string(level), shape,
                     positionsAt(height, width, kFinestStride << level));
}

CellScores PicoHead::forward(const std::vector<at::Tensor>& maps) {
  CellScores scores;
  std::vector<at::Tensor> rows;
  for (std::size_t level = 0; level < m_levels.size(); ++level) {
    rows.push_back(m_levels[level]->forward(maps[level]));
    scores.levels.push_back({kFinestStride << level, maps[level].size(2), maps[level].size(3)});
  }
  const at::Tensor all = at::cat(rows, 1);
  scores.logits = all.narrow(2, 0, m_classes);
  scores.sides = all.narrow(2, m_classes, 4 * kDistanceBins)
                     .reshape({all.size(0), all.size(1), 4, kDistanceBins});
  return scores;
}

void PicoHead::initialize() {
  for (const auto& level : m_levels)
    level->initialize();
}

}  // namespace headlight
