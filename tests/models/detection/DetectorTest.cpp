// SPDX-License-Identifier: GPL-3.0-or-later

// LCNet-ViT and ESNet-ViT as models.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

#include "core/attention/base/AttentionHook.h"
#include "tests/models/detection/DetectorSupport.h"
#include "tests/models/detection/NaiveDetector.h"

namespace headlight {
namespace {

class Detectors : public ::testing::TestWithParam<const char*> {
 protected:
  ModelConfig config(int pixels = 96) const { return microDetector(GetParam(), pixels); }
};

/// Every cell's logits and sides, [B, N, K + 32].
at::Tensor sideBySide(const CellScores& scores) {
  return at::cat({scores.logits, scores.sides.flatten(2)}, 2);
}

TEST_P(Detectors, EqualANaiveOneInDoublePrecision) {
  const auto model = stirredDetector(config());
  const at::NoGradGuard noGrad;
  model->to(at::kDouble);
  const at::Tensor images = noise(2, 96, 128).to(at::kDouble);
  const NaiveDetector naive(model->state(), 32);
  const auto maps =
      GetParam() == std::string("lcnet_vit") ? naive.lcnetVit(images) : naive.esnetVit(images);
  const at::Tensor expected = naive.head(naive.neck(maps));
  const at::Tensor found = sideBySide(model->forwardCells(images));
  ASSERT_EQ(found.sizes(), expected.sizes());
  const double size = expected.abs().max().item<double>();
  EXPECT_GT(expected.std().item<double>(), 0.1);
  EXPECT_LT((found - expected).abs().max().item<double>(), 1e-9 * size);
}

TEST_P(Detectors, TellOfEveryCellOfFourLevels) {
  const CellScores scores = makeModel(config(), 1)->forwardCells(noise(2, 96, 160));
  EXPECT_EQ(scores.levels, (CellLevels{{8, 12, 20}, {16, 6, 10}, {32, 3, 5}, {64, 2, 3}}));
  EXPECT_EQ(scores.logits.sizes(), (std::vector<std::int64_t>{2, 321, 9}));
  EXPECT_EQ(scores.sides.sizes(), (std::vector<std::int64_t>{2, 321, 4, 8}));
  EXPECT_NEAR(scores.logits.sigmoid().mean().item<double>(), 0.01, 0.005);
}

TEST_P(Detectors, ClassifyByTheGreatestLogitOfTheCells) {
  const auto model = stirredDetector(config());
  const at::NoGradGuard noGrad;
  const at::Tensor images = noise(2, 96, 96);
  EXPECT_TRUE(
      at::equal(model->forward(images), std::get<0>(model->forwardCells(images).logits.max(1))));
}

TEST_P(Detectors, EveryParameterHasAGradient) {
  const auto model = makeModel(config(), 1);
  const CellScores scores = model->forwardCells(noise(2, 96, 96));
  (scores.logits.square().sum() + cellBoxes(scores).square().sum()).backward();
  for (const auto& [name, tensor] : model->trainable()) {
    ASSERT_TRUE(tensor.grad().defined()) << name;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name;
    EXPECT_GT(tensor.grad().abs().max().item<double>(), 0) << name;
  }
}

TEST_P(Detectors, NamesBeginWithTheirPart) {
  std::set<std::string> parts;
  for (const auto& [name, tensor] : makeModel(config(), 1)->state())
    parts.insert(name.starts_with("head.") ? name.substr(0, 6) : name.substr(0, name.find('.')));
  EXPECT_EQ(parts,
            (std::set<std::string>{"backbone", "head.0", "head.1", "head.2", "head.3", "neck"}));
}

/// Nothing that a block needs is kept elsewhere.
TEST_P(Detectors, BlocksNeedNothingButTheirTokens) {
  const auto model = stirredDetector(config());
  const at::NoGradGuard noGrad;
  const at::Tensor images = noise(2, 96, 128);
  const at::Tensor entering = model->block(0, model->embed(images), nullptr);
  const CellScores before = model->findInCells(model->block(1, entering, nullptr));
  model->forward(noise(1, 64, 64));
  const CellScores after = model->findInCells(model->block(1, entering, nullptr));
  EXPECT_TRUE(at::equal(sideBySide(before), sideBySide(after)));
  EXPECT_TRUE(at::equal(sideBySide(before), sideBySide(model->forwardCells(images))));
}

TEST_P(Detectors, GridTokensAreThoseOfTheGrid) {
  const auto model = stirredDetector(config());
  const at::NoGradGuard noGrad;
  at::Tensor tokens = model->embed(noise(2, 96, 96));
  for (int l = 0; l < model->layers(); ++l) {
    tokens = model->block(l, tokens, nullptr);
    const at::Tensor own = model->gridTokens(l + 1, tokens);
    EXPECT_EQ(own.size(1), model->grid(l).tokens()) << l;
    EXPECT_EQ(own.size(2), model->config().stageWidth(model->config().staged() ? l : 0)) << l;
  }
}

TEST_P(Detectors, OneSmallImageIsABatch) {
  const auto model = makeModel(config(), 1);
  const at::Tensor logits = model->forward(noise(1, 64, 64));  // one cell of stride 64
  EXPECT_TRUE(logits.isfinite().all().item<bool>());
  logits.sum().backward();
}

TEST_P(Detectors, AreNotRecomputed) {
  EXPECT_THROW(makeModel(config(), 1)->setRecomputing(true), Failure);
}

TEST_P(Detectors, RefuseSidesThatAreNoMultiplesOf32) {
  EXPECT_THROW(makeModel(config(), 1)->forward(noise(1, 96, 112)), c10::Error);
}

INSTANTIATE_TEST_SUITE_P(Both, Detectors, ::testing::Values("lcnet_vit", "esnet_vit"));

struct Elsewhere {
  const char* mechanism;
  Json attention;
};

/// What a model made for `to` pixels with the weights of one made for `from` says.
void expectEqualAtOtherSizes(const std::string& backbone, const Elsewhere& attention) {
  const auto here =
      stirredDetector(microDetector(backbone, 96, attention.mechanism, attention.attention));
  const auto there =
      makeModel(microDetector(backbone, 160, attention.mechanism, attention.attention), 2);
  there->eval();
  const at::NoGradGuard noGrad;
  const auto from = here->state(), to = there->state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    at::Tensor(to[i].second).copy_(from[i].second);
  const at::Tensor images = noise(1, 160, 160), own = noise(1, 96, 96);
  const at::Tensor before = here->forward(own);
  EXPECT_TRUE(at::equal(here->forward(images), there->forward(images)));
  EXPECT_TRUE(at::equal(here->forward(own), before));
}

TEST(DetectorGrids, AttentionWithoutPositionsTakesOtherSizes) {
  for (const std::string backbone : {"lcnet_vit", "esnet_vit"})
    for (const Elsewhere& attention :
         {Elsewhere{"softmax", Json::object()}, Elsewhere{"softmax", {{"rotary", "axial"}}},
          Elsewhere{"talking_heads", Json::object()}, Elsewhere{"linear_angular", Json::object()},
          Elsewhere{"linear_angular", {{"residual", "grid"}}},
          Elsewhere{"aft_simple", Json::object()}, Elsewhere{"aft_conv", Json::object()},
          Elsewhere{"window", {{"window", 2}}}, Elsewhere{"lsla", {{"window", 2}}}}) {
      SCOPED_TRACE(backbone + " " + attention.mechanism);
      expectEqualAtOtherSizes(backbone, attention);
    }
}

TEST(DetectorGrids, MasksFollow) {
  const auto here = stirredDetector(microDetector("lcnet_vit"));
  const auto there = makeModel(microDetector("lcnet_vit", 160), 2);
  there->eval();
  const at::NoGradGuard noGrad;
  for (const auto& model : {here, there})
    model->setMasks(*makeMaskPreset("sch1", model->masks().shape()));
  const auto from = here->state(), to = there->state();
  for (std::size_t i = 0; i < from.size(); ++i)
    at::Tensor(to[i].second).copy_(from[i].second);
  const at::Tensor images = noise(1, 160, 160);
  EXPECT_TRUE(at::equal(here->forward(images), there->forward(images)));
}

TEST(DetectorGrids, WeightsOfPositionsTakeOneSize) {
  for (const std::string mechanism : {"aft_full", "aft_local", "learned_mask"}) {
    const auto model = makeModel(microDetector("lcnet_vit", 96, mechanism), 1);
    model->eval();
    const at::NoGradGuard noGrad;
    EXPECT_THROW(model->forward(noise(1, 128, 128)), Failure) << mechanism;
    EXPECT_TRUE(model->forward(noise(1, 96, 96)).isfinite().all().item<bool>()) << mechanism;
  }
}

TEST(DetectorGrids, RandomMasksTakeOneSize) {
  const auto model = makeModel(microDetector("lcnet_vit"), 1);
  const std::vector<HeadMask> masks(4, *headMaskFromText("random:3#1"));
  model->attention(0).setMasks(masks);
  EXPECT_THROW(model->forward(noise(1, 128, 128)), Failure);
  EXPECT_TRUE(model->forward(noise(1, 96, 96)).isfinite().all().item<bool>());
}

TEST(DetectorMaps, AreOfTheImagesGrid) {
  const auto model = stirredDetector(microDetector("lcnet_vit"));
  const at::NoGradGuard noGrad;
  CollectingHook tap;
  model->forward(noise(1, 64, 128), &tap);
  EXPECT_EQ(tap.maps.at(0).sizes(), (std::vector<std::int64_t>{1, 4, 32, 32}));
  EXPECT_EQ(tap.maps.at(1).sizes(), (std::vector<std::int64_t>{1, 8, 8, 8}));
}

}  // namespace
}  // namespace headlight
