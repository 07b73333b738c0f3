// SPDX-License-Identifier: GPL-3.0-or-later

// Input × gradient beside finite differences of a plain ViT in double precision, pixel by pixel.

#include <cmath>

#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {
namespace {

constexpr int kAskedClass = 4;

/// Σ x · ∂logit/∂x over the pixels of every patch of `patch` × `patch`, row by row.
std::vector<double> naiveInputGradient(const NaiveVit& vit, const at::Tensor& image) {
  constexpr double kShift = 1e-4;
  at::Tensor moved = image.to(at::kDouble).clone();
  const std::int64_t height = moved.size(2), width = moved.size(3);
  const std::int64_t rows = height / vit.patch, cols = width / vit.patch;
  std::vector<double> sums(static_cast<std::size_t>(rows * cols), 0.0);
  auto* pixels = moved.data_ptr<double>();
  for (std::int64_t i = 0; i < moved.numel(); ++i) {
    const double value = pixels[i];
    const auto logitAt = [&](double there) {
      pixels[i] = there;
      return vit.logits(moved)[kAskedClass].item<double>();
    };
    const double slope = (logitAt(value + kShift) - logitAt(value - kShift)) / (2 * kShift);
    pixels[i] = value;
    const std::int64_t y = i / width % height, x = i % width;
    sums[static_cast<std::size_t>(y / vit.patch * cols + x / vit.patch)] += value * slope;
  }
  return sums;
}

TEST(InputGradient, IsTheNaiveOne) {
  for (const bool classToken : {true, false}) {
    ModelConfig config = microVit();
    config.classToken = classToken;
    config.imageSize = 16;  // 2 × 2 patches
    const auto session = explanationSession(config);
    const RawImages image = explanationImage(config);
    std::optional<NaiveVit> vit;
    withModel(*session, [&](Model& model) { vit.emplace(model); });
    const at::NoGradGuard noGrad;
    const auto expected = naiveInputGradient(*vit, explanationTensor(image));
    const Heatmap heatmap =
        valueOrThrow(imageHeatmap(*session, image, explanationMasks(*session), "input-gradient",
                                  {.classIndex = kAskedClass}));
    EXPECT_LT(wayDistance(heatmap.values, at::tensor(expected, at::kDouble)), 1e-4) << classToken;
    EXPECT_TRUE(heatmap.isSigned);
    EXPECT_EQ(heatmap.layer, -1);
    EXPECT_EQ(heatmapTitle(heatmap), "input × gradient for class 4");
  }
}

TEST(InputGradient, IsZeroForTheMeanColor) {
  const auto session = explanationSession(microVit());
  RawImages image = explanationImage(microVit());
  image.values.assign(image.values.size(), 0.0f);
  const Heatmap heatmap =
      valueOrThrow(imageHeatmap(*session, image, explanationMasks(*session), "input-gradient"));
  for (const float value : heatmap.values)
    EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace headlight
