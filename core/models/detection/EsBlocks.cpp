// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/EsBlocks.h"

#include <ATen/ATen.h>

#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr int kEsKernel = 3;

ConvShape esDepthwise(int channels, int stride) {
  return {channels, channels, kEsKernel, stride, /*depthwise=*/true, /*activation=*/false};
}

std::shared_ptr<ConvBlock> addBlock(Holder& holder, const char* name, const ConvShape& shape) {
  return holder.register_module(name, std::make_shared<ConvBlock>(shape));
}

}  // namespace

at::Tensor shuffledHalves(const at::Tensor& maps) {
  const auto batch = maps.size(0), channels = maps.size(1);
  return maps.reshape({batch, 2, channels / 2, maps.size(2), maps.size(3)})
      .transpose(1, 2)
      .reshape(maps.sizes());
}

EsBlock::EsBlock(const EsShape& shape) {
  const int half = shape.out / 2, middle = shape.middle / 2;
  const auto add = [&](const char* name, const ConvShape& conv) {
    return register_module(name, std::make_shared<ConvBlock>(conv));
  };
  m_expand = add("expand", {half, middle});
  m_depthwise = add("depthwise", esDepthwise(middle, 1));
  m_squeeze = register_module("se", std::make_shared<SqueezeExcitation>(shape.middle));
  m_project = add("project", {shape.middle, half});
}

void EsBlock::count(CostCounter& counter, const std::string& name, const EsShape& shape,
                    std::int64_t positions) {
  const int half = shape.out / 2, middle = shape.middle / 2;
  ConvBlock::count(counter, name + ".expand", {half, middle}, positions);
  ConvBlock::count(counter, name + ".depthwise", esDepthwise(middle, 1), positions);
  SqueezeExcitation::count(counter, name + ".se", shape.middle);
  ConvBlock::count(counter, name + ".project", {shape.middle, half}, positions);
}

at::Tensor EsBlock::forward(const at::Tensor& maps) {
  const auto halves = maps.chunk(2, 1);
  const at::Tensor u = m_expand->forward(halves[1]), v = m_depthwise->forward(u);
  const at::Tensor mixed = m_project->forward(m_squeeze->forward(at::cat({u, v}, 1)));
  return shuffledHalves(at::cat({halves[0], mixed}, 1));
}

EsDownsample::EsDownsample(const EsShape& shape) {
  const int half = shape.out / 2, middle = shape.middle / 2;
  Holder& left = *register_module("left", std::make_shared<Holder>());
  m_leftDepthwise = addBlock(left, "depthwise", esDepthwise(shape.in, 2));
  m_leftProject = addBlock(left, "project", {shape.in, half});
  Holder& right = *register_module("right", std::make_shared<Holder>());
  m_expand = addBlock(right, "expand", {shape.in, middle});
  m_depthwise = addBlock(right, "depthwise", esDepthwise(middle, 2));
  m_squeeze = right.register_module("se", std::make_shared<SqueezeExcitation>(middle));
  m_project = addBlock(right, "project", {middle, half});
  m_joined = register_module(
      "joined", std::make_shared<SeparableBlock>(SeparableShape{shape.out, shape.out, kEsKernel}));
}

void EsDownsample::count(CostCounter& counter, const std::string& name, const EsShape& shape,
                         std::int64_t positions, std::int64_t before) {
  const int half = shape.out / 2, middle = shape.middle / 2;
  ConvBlock::count(counter, name + ".left.depthwise", esDepthwise(shape.in, 2), positions);
  ConvBlock::count(counter, name + ".left.project", {shape.in, half}, positions);
  ConvBlock::count(counter, name + ".right.expand", {shape.in, middle}, before);
  ConvBlock::count(counter, name + ".right.depthwise", esDepthwise(middle, 2), positions);
  SqueezeExcitation::count(counter, name + ".right.se", middle);
  ConvBlock::count(counter, name + ".right.project", {middle, half}, positions);
  SeparableBlock::count(counter, name + ".joined", {shape.out, shape.out, kEsKernel}, positions);
}

at::Tensor EsDownsample::forward(const at::Tensor& maps) {
  const at::Tensor left = m_leftProject->forward(m_leftDepthwise->forward(maps));
  const at::Tensor narrow = m_depthwise->forward(m_expand->forward(maps));
  const at::Tensor right = m_project->forward(m_squeeze->forward(narrow));
  return m_joined->forward(at::cat({left, right}, 1));
}

}  // namespace headlight
