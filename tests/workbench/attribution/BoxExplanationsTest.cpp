// SPDX-License-Identifier: GPL-3.0-or-later

// What speaks for one box of a detector: the gradient of its cell's logit, beside finite
// differences of the naive network.

#include <algorithm>

#include "tests/models/detection/DetectorSupport.h"
#include "tests/models/detection/NaiveDetector.h"
#include "tests/workbench/ExplanationSupport.h"

namespace headlight {
namespace {

constexpr int kBoxClass = 3, kBoxCell = 17;  // of 64 + 16 + 4 + 1 cells

/// Kaiming's weights, which explanationSession() would replace, keep logits moderate.
std::unique_ptr<InferenceSession> boxSession(const ModelConfig& config) {
  Experiment experiment;
  experiment.model = config;
  experiment.device = "cpu";
  experiment.threads = 1;
  auto session = valueOrThrow(InferenceSession::create(experiment));
  withModel(*session, [](Model& model) {
    stirDetector(model);
    settleNorms(model, noise(4, 64, 64));
  });
  return session;
}

at::Tensor cellLogits(Model& model, const at::Tensor& image) {
  const at::NoGradGuard noGrad;
  return model.forwardCells(image).logits[0];
}

/// ∂logit/∂t of `image` + t · `direction` at 0, in double precision.
double slopeAlong(const NaiveDetector& naive, const at::Tensor& image,
                  const at::Tensor& direction) {
  constexpr double kShift = 1e-5;
  const auto logitAt = [&](double shift) {
    const at::Tensor shifted = image.to(at::kDouble) + shift * direction.to(at::kDouble);
    return naive.head(naive.neck(naive.lcnetVit(shifted)))[0][kBoxCell][kBoxClass].item<double>();
  };
  return (logitAt(kShift) - logitAt(-kShift)) / (2 * kShift);
}

at::Tensor onlyPatch(const at::Tensor& image, const Grid& grid, int patch) {
  const std::int64_t tall = image.size(2) / grid.rows, wide = image.size(3) / grid.cols;
  at::Tensor alone = at::zeros_like(image);
  const std::int64_t y = patch / grid.cols * tall, x = patch % grid.cols * wide;
  alone.slice(2, y, y + tall).slice(3, x, x + wide) +=
      image.slice(2, y, y + tall).slice(3, x, x + wide);
  return alone;
}

TEST(BoxExplanations, FollowTheGradientOfTheCellsLogit) {
  const ModelConfig config = microDetector("lcnet_vit", 64);
  const auto session = boxSession(config);
  const RawImages image = explanationImage(config);
  const Heatmap heatmap =
      valueOrThrow(imageHeatmap(*session, image, explanationMasks(*session), "input-gradient",
                                {.classIndex = kBoxClass, .cell = kBoxCell}));
  EXPECT_EQ(heatmap.cell, kBoxCell);
  EXPECT_NE(heatmapTitle(heatmap).find("box of cell 17"), std::string::npos);
  std::vector<double> expected;
  withModel(*session, [&](Model& model) {
    const at::Tensor pixels = explanationTensor(image);
    const at::NoGradGuard noGrad;
    const NaiveDetector naive(model.state(), 32);
    for (int p = 0; p < heatmap.grid.patches(); ++p)
      expected.push_back(slopeAlong(naive, pixels, onlyPatch(pixels, heatmap.grid, p)));
  });
  EXPECT_LT(wayDistance(heatmap.values, at::tensor(expected, at::kDouble)), 2e-3);
}

TEST(BoxExplanations, AskTheBestClassOfTheCellAndTellItsScore) {
  const ModelConfig config = microDetector("lcnet_vit", 64);
  const auto session = boxSession(config);
  const RawImages image = explanationImage(config);
  const Heatmap heatmap = valueOrThrow(
      imageHeatmap(*session, image, explanationMasks(*session), "relevance", {.cell = kBoxCell}));
  withModel(*session, [&](Model& model) {
    const at::Tensor logits = cellLogits(model, explanationTensor(image))[kBoxCell];
    EXPECT_EQ(heatmap.classIndex, logits.argmax().item<int>());
    EXPECT_NEAR(heatmap.probability, logits.max().sigmoid().item<double>(), 1e-5);
  });
}

TEST(BoxExplanations, OfTheCellWithTheGreatestLogitAreThoseOfTheImage) {
  const ModelConfig config = microDetector("lcnet_vit", 64);
  const auto session = boxSession(config);
  const RawImages image = explanationImage(config);
  int best = -1;
  withModel(*session, [&](Model& model) {
    best = cellLogits(model, explanationTensor(image)).select(1, kBoxClass).argmax().item<int>();
  });
  for (const char* method : {"relevance", "attention-gradient", "grad-cam"}) {
    const auto heatmap = [&](int cell) {
      return valueOrThrow(imageHeatmap(*session, image, explanationMasks(*session), method,
                                       {.classIndex = kBoxClass, .cell = cell}));
    };
    EXPECT_EQ(heatmap(best).values, heatmap(-1).values) << method;
    EXPECT_NE(heatmap((best + 40) % 85).values, heatmap(-1).values) << method;
  }
}

TEST(BoxExplanations, RefuseACellThatThereIsNot) {
  const ModelConfig config = microDetector("lcnet_vit", 64);
  const auto session = boxSession(config);
  const auto refused = imageHeatmap(*session, explanationImage(config), explanationMasks(*session),
                                    "relevance", {.cell = 85});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("85"), std::string::npos);
  const ModelConfig classifier = microVit();
  const auto other = explanationSession(classifier);
  EXPECT_FALSE(imageHeatmap(*other, explanationImage(classifier), explanationMasks(*other),
                            "relevance", {.cell = 0})
                   .ok());
}

}  // namespace
}  // namespace headlight
