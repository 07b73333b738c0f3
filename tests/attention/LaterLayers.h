// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the tests of mechanisms that came after the five papers share: grids, a layer of a class,
// and what every layer owes.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/attention/Mechanisms.h"
#include "core/models/backbones/Model.h"
#include "tests/attention/Gradients.h"
#include "tests/attention/NaiveHeads.h"

namespace headlight::testing {

struct LayerCase {
  Grid grid;
  int heads, headWidth;
  int layer = 0;

  AttentionOptions options(const Json& own) const {
    return {
        .layer = layer, .width = heads * headWidth, .heads = heads, .grid = grid, .options = own};
  }
  /// [2, T, D].
  at::Tensor tokens(at::ScalarType type = at::kFloat) const {
    return at::randn({2, grid.tokens(), heads * headWidth}, type) * 2;
  }
};

inline std::vector<LayerCase> layerCases() {
  return {{{3, 3, 1}, 1, 4},
          {{4, 6, 1}, 3, 8},
          {{5, 3, 0}, 2, 6},
          {{2, 7, 2}, 2, 2},
          {{9, 8, 0}, 2, 4}};
}

template <typename Layer>
std::shared_ptr<Layer> makeLayerOf(const LayerCase& c, const Json& own,
                                   at::ScalarType type = at::kFloat) {
  seedTorch(11);
  auto layer = std::make_shared<Layer>(c.options(own));
  layer->to(type);
  return layer;
}

inline std::vector<HeadMask> masksOf(const std::vector<std::string>& texts) {
  std::vector<HeadMask> masks;
  for (const std::string& text : texts)
    masks.push_back(*headMaskFromText(text));
  return masks;
}

/// The JSON path of the refusal; empty where there is none.
template <typename Act>
std::string pathOfRefusal(Act act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure.error().where;
  }
  return "";
}

/// A tapped pass equals a plain one, count() counts what is built, and gradients are finite
/// differences.
template <typename Layer>
void expectSoundLayer(const Json& own) {
  SCOPED_TRACE(own.dump());
  for (const LayerCase& c : layerCases()) {
    CostCounter counter;
    Layer::count(counter, c.options(own));
    const auto layer = makeLayerOf<Layer>(c, own, at::kDouble);
    EXPECT_EQ(counter.cost().parameters, countParameters(*layer));
    const at::Tensor x = c.tokens(at::kDouble).requires_grad_();
    CollectingHook tap;
    EXPECT_LT(gapOf(layer->forward(x, nullptr), layer->forward(x, &tap)), 1e-12);
    EXPECT_FALSE(tap.maps.at(c.layer).requires_grad());
    expectLayerGradients(*layer, x);
  }
}

/// Multiply-accumulates but those of linear layers of `linear` weights a token.
template <typename Layer>
std::int64_t macsBeside(const LayerCase& c, const Json& own, std::int64_t linear) {
  CostCounter counter;
  Layer::count(counter, c.options(own));
  return counter.cost().macs - linear * c.grid.tokens();
}

/// No T × T tensor: of one head it would take 16 GiB.
template <typename Layer>
void expectLinearInTokens(const Json& own) {
  const LayerCase c{{256, 256, 0}, 2, 4};
  const at::NoGradGuard noGrad;
  const auto layer = makeLayerOf<Layer>(c, own);
  const at::Tensor output = layer->forward(at::randn({1, c.grid.tokens(), 8}), nullptr);
  EXPECT_TRUE(output.isfinite().all().template item<bool>());
}

}  // namespace headlight::testing
