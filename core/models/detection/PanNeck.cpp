// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/detection/PanNeck.h"

#include <ATen/ATen.h>

#include "core/models/detection/DetectorTrunk.h"
#include "core/models/layers/Parts.h"

namespace headlight {
namespace {

constexpr int kNeckKernel = 5;

SeparableShape neckSeparable(int in, int out, int stride = 1) {
  return {in, out, kNeckKernel, stride};
}

/// csp_pan: two maps of c/2 by 1 × 1, one of which goes on; joined, and 1 × 1.
class CrossStage : public MapLayer {
 public:
  explicit CrossStage(int width) {
    const int half = width / 2;
    m_main = register_module("main", std::make_shared<ConvBlock>(ConvShape{2 * width, half}));
    m_shortcut =
        register_module("shortcut", std::make_shared<ConvBlock>(ConvShape{2 * width, half}));
    auto inner = register_module("inner", std::make_shared<Holder>());
    m_first = inner->register_module("0", std::make_shared<ConvBlock>(ConvShape{half, half}));
    m_second =
        inner->register_module("1", std::make_shared<SeparableBlock>(neckSeparable(half, half)));
    m_join = register_module("join", std::make_shared<ConvBlock>(ConvShape{width, width}));
  }

  static void count(CostCounter& counter, const std::string& name, int width,
                    std::int64_t positions) {
    const int half = width / 2;
    ConvBlock::count(counter, name + ".main", {2 * width, half}, positions);
    ConvBlock::count(counter, name + ".shortcut", {2 * width, half}, positions);
    ConvBlock::count(counter, name + ".inner.0", {half, half}, positions);
    SeparableBlock::count(counter, name + ".inner.1", neckSeparable(half, half), positions);
    ConvBlock::count(counter, name + ".join", {width, width}, positions);
  }

  at::Tensor forward(const at::Tensor& maps) override {
    const at::Tensor main = m_second->forward(m_first->forward(m_main->forward(maps)));
    return m_join->forward(at::cat({main, m_shortcut->forward(maps)}, 1));
  }

 private:
  std::shared_ptr<ConvBlock> m_main, m_shortcut, m_first, m_join;
  std::shared_ptr<SeparableBlock> m_second;
};

/// lc_pan: two separable convolutions, 2c → 2c → c.
class SeparablePair : public MapLayer {
 public:
  explicit SeparablePair(int width)
      : m_first(register_module(
            "0", std::make_shared<SeparableBlock>(neckSeparable(2 * width, 2 * width)))),
        m_second(register_module(
            "1", std::make_shared<SeparableBlock>(neckSeparable(2 * width, width)))) {}

  static void count(CostCounter& counter, const std::string& name, int width,
                    std::int64_t positions) {
    SeparableBlock::count(counter, name + ".0", neckSeparable(2 * width, 2 * width), positions);
    SeparableBlock::count(counter, name + ".1", neckSeparable(2 * width, width), positions);
  }

  at::Tensor forward(const at::Tensor& maps) override {
    return m_second->forward(m_first->forward(maps));
  }

 private:
  std::shared_ptr<SeparableBlock> m_first, m_second;
};

std::shared_ptr<MapLayer> makeFusion(const NeckShape& shape) {
  if (shape.kind == "csp_pan") return std::make_shared<CrossStage>(shape.width);
  return std::make_shared<SeparablePair>(shape.width);
}

void countFusion(CostCounter& counter, const std::string& name, const NeckShape& shape,
                 std::int64_t positions) {
  if (shape.kind == "csp_pan") return CrossStage::count(counter, name, shape.width, positions);
  SeparablePair::count(counter, name, shape.width, positions);
}

}  // namespace

at::Tensor doubled(const at::Tensor& maps) {
  const auto batch = maps.size(0), channels = maps.size(1), rows = maps.size(2),
             cols = maps.size(3);
  return maps.unsqueeze(3)
      .unsqueeze(5)
      .expand({batch, channels, rows, 2, cols, 2})
      .reshape({batch, channels, 2 * rows, 2 * cols});
}

PanNeck::PanNeck(const NeckShape& shape) {
  const int width = shape.width;
  const auto halving = [&] {
    return std::make_shared<SeparableBlock>(neckSeparable(width, width, 2));
  };
  auto lateral = register_module("lateral", std::make_shared<Holder>());
  for (std::size_t i = 0; i < shape.in.size(); ++i)
    m_lateral.push_back(lateral->register_module(
        std::to_string(i), std::make_shared<ConvBlock>(ConvShape{shape.in[i], width})));
  auto topDown = register_module("top_down", std::make_shared<Holder>());
  auto down = register_module("down", std::make_shared<Holder>());
  auto bottomUp = register_module("bottom_up", std::make_shared<Holder>());
  for (const char* step : {"0", "1"}) {
    m_topDown.push_back(topDown->register_module(step, makeFusion(shape)));
    m_down.push_back(down->register_module(step, halving()));
    m_bottomUp.push_back(bottomUp->register_module(step, makeFusion(shape)));
  }
  auto coarse = register_module("coarse", std::make_shared<Holder>());
  m_coarseLateral = coarse->register_module("lateral", halving());
  m_coarseOutput = coarse->register_module("output", halving());
}

void PanNeck::count(CostCounter& counter, const NeckShape& shape, std::int64_t height,
                    std::int64_t width) {
  std::array<std::int64_t, kNeckLevels> positions;
  for (int level = 0; level < kNeckLevels; ++level)
    positions[level] = positionsAt(height, width, kFinestStride << level);
  const SeparableShape halving = neckSeparable(shape.width, shape.width, 2);
  for (std::size_t i = 0; i < shape.in.size(); ++i)
    ConvBlock::count(counter, "lateral." + std::to_string(i), {shape.in[i], shape.width},
                     positions[i]);
  countFusion(counter, "top_down.0", shape, positions[1]);
  countFusion(counter, "top_down.1", shape, positions[0]);
  for (int step = 0; step < 2; ++step) {
    SeparableBlock::count(counter, "down." + std::to_string(step), halving, positions[step + 1]);
    countFusion(counter, "bottom_up." + std::to_string(step), shape, positions[step + 1]);
  }
  SeparableBlock::count(counter, "coarse.lateral", halving, positions[3]);
  SeparableBlock::count(counter, "coarse.output", halving, positions[3]);
}

std::vector<at::Tensor> PanNeck::forward(const std::vector<at::Tensor>& maps) {
  std::vector<at::Tensor> lateral;
  for (std::size_t i = 0; i < m_lateral.size(); ++i)
    lateral.push_back(m_lateral[i]->forward(maps[i]));
  std::vector<at::Tensor> inner = lateral;  // top down from stride 32, which stays
  for (int level = 1, step = 0; level >= 0; --level, ++step)
    inner[level] =
        m_topDown[step]->forward(at::cat({doubled(inner[level + 1]), lateral[level]}, 1));
  std::vector<at::Tensor> out{inner[0]};
  for (int step = 0; step < 2; ++step)
    out.push_back(m_bottomUp[step]->forward(
        at::cat({m_down[step]->forward(out.back()), inner[step + 1]}, 1)));
  out.push_back(m_coarseLateral->forward(lateral[2]) + m_coarseOutput->forward(out[2]));
  return out;
}

}  // namespace headlight
