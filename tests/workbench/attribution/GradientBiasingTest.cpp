// SPDX-License-Identifier: GPL-3.0-or-later

// What a learned mask does to the gradients of the logits, beside a naive model in double whose
// logits have a leaf added.

#include "core/workbench/attribution/GradientBiasing.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "core/attention/softmax/LearnedMaskAttention.h"
#include "core/workbench/attribution/LogitSlopes.h"
#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"

namespace headlight {
namespace {

ModelConfig microIbit() {
  ModelConfig config = microVit();
  config.mechanism = "learned_mask";
  config.attention = Json::object();
  return config;
}

std::unique_ptr<InferenceSession> ibitSession() {
  auto session = explanationSession(microIbit());
  withModel(*session, [](Model& model) {
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : model.state())
      if (name.find("learned_mask") != std::string::npos)
        at::Tensor(tensor).add_(at::randn_like(tensor), 0.2);
  });
  return session;
}

at::Tensor ibitMask(Model& model, int layer) {
  auto& attention = dynamic_cast<LearnedMaskAttention&>(model.attention(layer));
  return attention.mask().detach().to(at::kDouble);
}

/// ∂(−ln p_class)/∂S of every layer; `unit`: with W = 1.
std::vector<at::Tensor> naiveSlopes(Model& model, const at::Tensor& image, int classIndex,
                                    bool unit) {
  const at::AutoGradMode withGradients(true);
  NaiveVit naive(model);
  std::vector<at::Tensor> leaves;
  for (int l = 0; l < model.layers(); ++l) {
    const at::Tensor mask = ibitMask(model, l);
    naive.weightMasks[l] = unit ? at::ones_like(mask) : mask;
    leaves.push_back(at::zeros_like(mask).requires_grad_(true));
    naive.addedToLogits[l] = leaves.back();
  }
  const at::Tensor loss = -naive.logits(image).log_softmax(-1)[classIndex];
  return torch::autograd::grad({loss}, leaves);
}

/// Mean of |slopes| over pairs of patches that lie so far apart, of the 3 × 3 grid.
double naiveOffset(const std::vector<at::Tensor>& images, int head, int dr, int dc) {
  double sum = 0;
  int count = 0;
  for (const at::Tensor& slopes : images)
    for (int n = 0; n < 9; ++n)
      for (int m = 0; m < 9; ++m)
        if (m / 3 - n / 3 == dr && m % 3 - n % 3 == dc) {
          sum += std::abs(slopes[head][n + 1][m + 1].item<double>());
          ++count;
        }
  return sum / count;
}

TEST(GradientBiasing, SlopesAreThoseOfANaiveModel) {
  const auto session = ibitSession();
  const at::Tensor image = explanationTensor(explanationImage(microIbit()));
  withModel(*session, [&](Model& model) {
    model.setMasks(explanationMasks(*session));
    const LogitSlopes slopes = logitSlopes(model, image, 2, [] {});
    const auto naive = naiveSlopes(model, image, 2, false);
    for (int l = 0; l < model.layers(); ++l) {
      const auto layer = static_cast<std::size_t>(l);
      const double scale = naive[layer].abs().max().item<double>();
      EXPECT_GT(scale, 1e-6);
      EXPECT_LT((slopes.layers[layer] - naive[layer]).abs().max().item<double>(), 1e-4 * scale);
    }
    EXPECT_EQ(logitSlopes(model, image, -1, [] {}).classIndex,
              model.forward(image).argmax(1).item<std::int64_t>());
  });
}

TEST(GradientBiasing, IsTheMeanMagnitudeByOffsetWithAndWithoutTheMask) {
  const auto session = ibitSession();
  const std::string before = valueOrThrow(session->digest());
  std::vector<Image> images;
  for (int i = 0; i < 2; ++i)
    images.push_back({24, 24,
                      std::make_shared<const std::vector<std::uint8_t>>(
                          24 * 24 * 3, static_cast<std::uint8_t>(40 + 150 * i))});
  const ImageSource feed{2, [&](std::int64_t i) -> Result<SourceImage> {
                           return SourceImage{images[static_cast<std::size_t>(i)], i == 0 ? 3 : -1};
                         }};
  const auto biasing =
      valueOrThrow(measureGradientBiasing(*session, feed, explanationMasks(*session)));
  EXPECT_EQ(valueOrThrow(session->digest()), before);  // the person's weights are as they were
  EXPECT_EQ(biasing.unlabeled, 1);
  EXPECT_NE(lossText(biasing).find("1 images without a label"), std::string::npos);
  withModel(*session, [&](Model& model) {
    for (const bool unit : {false, true}) {
      const RelativeMaps& maps = unit ? biasing.unmasked : biasing.masked;
      std::vector<std::vector<at::Tensor>> naive;
      for (int i = 0; i < 2; ++i) {
        const at::Tensor image = explanationTensor(rawImage(session->info(), images[i]));
        const auto predicted =
            static_cast<int>(model.forward(image).argmax(1).item<std::int64_t>());
        naive.push_back(naiveSlopes(model, image, i == 0 ? 3 : predicted, unit));
      }
      for (std::size_t l = 0; l < maps.layers.size(); ++l)
        for (int h = 0; h < maps.layers[l].heads; ++h)
          for (int dr = -2; dr <= 2; ++dr)
            for (int dc = -2; dc <= 2; ++dc) {
              const double expected = naiveOffset({naive[0][l], naive[1][l]}, h, dr, dc);
              EXPECT_NEAR(maps.layers[l].at(h, dr, dc), expected, 1e-3 * expected + 1e-9);
            }
    }
  });
  // Behind the last layer the class token alone is read: its patches' rows have no gradient.
  const std::size_t last = biasing.ratio.layers.size() - 1;
  EXPECT_EQ(biasing.masked.layers[last].at(0, 0, 0), 0);
  EXPECT_TRUE(std::isnan(biasing.ratio.layers[last].at(0, 0, 0)));
  for (std::size_t l = 0; l < last; ++l)
    EXPECT_NEAR(biasing.ratio.layers[l].at(1, 1, 0),
                biasing.masked.layers[l].at(1, 1, 0) / biasing.unmasked.layers[l].at(1, 1, 0),
                1e-12);
  EXPECT_EQ(biasing.ratio.scale, RelativeScale::AboutOne);
}

/// By sub-masks alone, and exactly.
TEST(GradientBiasing, UnitMasksAreOne) {
  const auto session = ibitSession();
  withModel(*session, [](Model& model) {
    const at::NoGradGuard noGrad;
    setUnitMasks(model);
    for (int l = 0; l < model.layers(); ++l)
      EXPECT_TRUE(ibitMask(model, l).eq(1).all().item<bool>());
  });
}

TEST(GradientBiasing, RefusesModelsWithoutSuchMasks) {
  const auto plain = explanationSession(microVit());
  EXPECT_FALSE(hasGradientBiasing(plain->info()));
  const ImageSource feed = makeImageSource(
      Image{2, 2, std::make_shared<const std::vector<std::uint8_t>>(12, std::uint8_t{9})});
  const auto refused = measureGradientBiasing(*plain, feed, explanationMasks(*plain));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("learned_mask"), std::string::npos);
  ModelConfig headless = microIbit();
  headless.classes = 0;
  const auto features = explanationSession(headless);
  EXPECT_FALSE(hasGradientBiasing(features->info()));
  EXPECT_FALSE(measureGradientBiasing(*features, feed, explanationMasks(*features)));
  const auto ibit = ibitSession();
  EXPECT_TRUE(hasGradientBiasing(ibit->info()));
  std::stop_source stopped;
  stopped.request_stop();
  const auto late =
      measureGradientBiasing(*ibit, feed, explanationMasks(*ibit), {}, stopped.get_token());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Canceled);
}

}  // namespace
}  // namespace headlight
