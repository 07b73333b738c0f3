// SPDX-License-Identifier: GPL-3.0-or-later

// Integrated gradients beside finite differences of a plain ViT in double precision, and their sum
// beside the difference of logits that it must be.

#include <cmath>

#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {
namespace {

constexpr int kIntegratedClass = 4;
constexpr int kNaivePoints = 128;  // by another rule and finer than the method: α = t²

/// `image` where row `r` and column `c` of patches are, 0 elsewhere.
at::Tensor onePatch(const at::Tensor& image, int patch, std::int64_t r, std::int64_t c) {
  at::Tensor only = at::zeros_like(image);
  const auto cell = [&](const at::Tensor& of) {
    return of.narrow(2, r * patch, patch).narrow(3, c * patch, patch);
  };
  cell(only).copy_(cell(image));
  return only;
}

/// A patch's x · ∂logit/∂x(αx) is the slope of the logit along the patch: row by row.
std::vector<double> naiveIntegrated(const NaiveVit& vit, const at::Tensor& image) {
  constexpr double kShift = 1e-6;
  std::vector<double> sums;
  for (std::int64_t r = 0; r < image.size(2) / vit.patch; ++r)
    for (std::int64_t c = 0; c < image.size(3) / vit.patch; ++c) {
      const at::Tensor way = onePatch(image, vit.patch, r, c);
      const auto logitAt = [&](const at::Tensor& x) {
        return vit.logits(x)[kIntegratedClass].item<double>();
      };
      double sum = 0;
      for (int i = 0; i < kNaivePoints; ++i) {
        const double t = (i + 0.5) / kNaivePoints;
        const at::Tensor x = image * (t * t);
        sum += 2 * t * (logitAt(x + way * kShift) - logitAt(x - way * kShift)) / (2 * kShift);
      }
      sums.push_back(sum / kNaivePoints);
    }
  return sums;
}

struct IntegratedCase {
  std::unique_ptr<InferenceSession> session;
  RawImages image;
  std::optional<NaiveVit> vit;

  explicit IntegratedCase(bool classToken) {
    ModelConfig config = microVit();
    config.classToken = classToken;
    session = explanationSession(config);
    image = explanationImage(config);
    withModel(*session, [&](Model& model) { vit.emplace(model); });
  }
  Heatmap heatmap(const ProgressCallback& progress = {}) const {
    return valueOrThrow(imageHeatmap(*session, image, explanationMasks(*session),
                                     "integrated-gradients", {.classIndex = kIntegratedClass},
                                     progress));
  }
  at::Tensor tensor() const { return explanationTensor(image).to(at::kDouble); }
};

TEST(IntegratedGradients, AreTheNaiveOnes) {
  const at::NoGradGuard noGrad;
  for (const bool classToken : {true, false}) {
    const IntegratedCase is(classToken);
    const auto expected = naiveIntegrated(*is.vit, is.tensor());
    const Heatmap heatmap = is.heatmap();
    EXPECT_LT(wayDistance(heatmap.values, at::tensor(expected, at::kDouble)), 5e-3) << classToken;
    EXPECT_TRUE(heatmap.isSigned);
    EXPECT_EQ(heatmap.layer, -1);
    EXPECT_EQ(heatmapTitle(heatmap), "integrated gradients for class 4");
  }
}

TEST(IntegratedGradients, AddUpToTheDifferenceFromTheMeanColor) {
  const at::NoGradGuard noGrad;
  const IntegratedCase is(true);
  const at::Tensor image = is.tensor();
  const double difference =
      (is.vit->logits(image) - is.vit->logits(at::zeros_like(image)))[kIntegratedClass]
          .item<double>();
  double sum = 0;
  for (const float value : is.heatmap().values)
    sum += value;
  EXPECT_NEAR(sum, difference, 2e-3 * std::abs(difference));
}

TEST(IntegratedGradients, ReportProgressToTheEnd) {
  Progress last;
  IntegratedCase(true).heatmap([&](const Progress& progress) { last = progress; });
  EXPECT_GT(last.total, 0);
  EXPECT_EQ(last.done, last.total);
}

}  // namespace
}  // namespace headlight
