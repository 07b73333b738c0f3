// SPDX-License-Identifier: GPL-3.0-or-later

// Mixup and CutMix against plain loops in double precision, and what must not depend on them.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/training/step/Loss.h"
#include "core/training/step/Mixing.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/session/Images.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

TrainingConfig mixing(double mixup, double cutmix) {
  TrainingConfig config;
  config.mixupAlpha = mixup;
  config.cutmixAlpha = cutmix;
  return config;
}

Mix mixup(double share) {
  Mix mix;
  mix.share = share;
  return mix;
}

/// Images [count, 3, 12, 16] and labels of 9 classes.
Batch mixingBatch(std::int64_t count, std::int64_t height = 12, std::int64_t width = 16) {
  seedTorch(21);
  Batch batch;
  batch.images = at::randn({count, 3, height, width});
  batch.labels = at::randint(9, {count}, at::kLong);
  return batch;
}

TEST(Mixing, SharesAreSpreadAsTheBetaDistributionSays) {
  constexpr int kDraws = 20000;
  for (const double alpha : {0.05, 0.2, 0.8, 1.0, 3.0, 100.0}) {
    RandomStream stream(streamKey({5, static_cast<std::uint64_t>(alpha * 100)}));
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double share = symmetricBeta(stream, alpha);
      ASSERT_TRUE(share >= 0 && share <= 1) << share;
      sum += share;
      squares += (share - 0.5) * (share - 0.5);
    }
    // Mean ½ and variance 1 / (4 (2α + 1)); five standard errors.
    const double variance = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(variance / kDraws)) << alpha;
    EXPECT_NEAR(squares / kDraws, variance, 0.05 * variance) << alpha;
  }
}

TEST(Mixing, BetaOfOneIsUniform) {
  RandomStream stream(77);
  std::vector<double> shares(5000);
  for (double& share : shares)
    share = symmetricBeta(stream, 1);
  std::sort(shares.begin(), shares.end());
  double distance = 0;  // Kolmogorov–Smirnov
  for (std::size_t i = 0; i < shares.size(); ++i)
    distance = std::max(distance, std::abs(shares[i] - (static_cast<double>(i) + 0.5) / 5000.0));
  EXPECT_LT(distance, 1.95 / std::sqrt(5000.0));
}

TEST(Mixing, AVerySmallAlphaGivesOneOfTheTwoImages) {
  for (const double alpha : {1e-4, 1e-300}) {
    RandomStream stream(9);
    int own = 0, undecided = 0;
    for (int i = 0; i < 400; ++i) {
      const double share = symmetricBeta(stream, alpha);
      ASSERT_TRUE(share >= 0 && share <= 1) << share;  // not a number neither
      own += share > 0.5;
      undecided += std::min(share, 1 - share) > 1e-6;
    }
    EXPECT_NEAR(own, 200, 50) << alpha;
    EXPECT_LE(undecided, 5) << alpha;
  }
}

TEST(Mixing, TheBoxIsAsTheFormulaSays) {
  const Mix inside = cutAround(0.75, 8, 12, 16, 24);  // half the height, half the width
  EXPECT_EQ((std::vector{inside.top, inside.bottom, inside.left, inside.right}),
            (std::vector<std::int64_t>{4, 12, 6, 18}));
  EXPECT_DOUBLE_EQ(inside.share, 0.75);
  const Mix corner = cutAround(0.75, 0, 23, 16, 24);
  EXPECT_EQ((std::vector{corner.top, corner.bottom, corner.left, corner.right}),
            (std::vector<std::int64_t>{0, 4, 17, 24}));
  EXPECT_DOUBLE_EQ(corner.share, 1 - 28.0 / 384.0);
  EXPECT_FALSE(cutAround(1, 8, 8, 16, 24).mixes());
  EXPECT_DOUBLE_EQ(cutAround(0, 8, 12, 16, 24).share, 0);
}

TEST(Mixing, TheBoxesAreaIsWhatTheLabelsCount) {
  const TrainingConfig config = mixing(0, 1);
  int clipped = 0;
  for (std::uint64_t key = 0; key < 500; ++key) {
    const Mix mix = drawMix(config, 15, 22, key);
    ASSERT_TRUE(mix.cut);
    ASSERT_TRUE(0 <= mix.top && mix.top <= mix.bottom && mix.bottom <= 15);
    ASSERT_TRUE(0 <= mix.left && mix.left <= mix.right && mix.right <= 22);
    // Counted in an image: ones over zeros.
    at::Tensor image = at::zeros({2, 1, 15, 22});
    image[1].fill_(1);
    EXPECT_NEAR(mixedImages(image, mix)[0].sum().item<double>(), (1 - mix.share) * 15 * 22, 1e-9);
    clipped += mix.top == 0 || mix.left == 0 || mix.bottom == 15 || mix.right == 22;
  }
  EXPECT_GT(clipped, 50);
  EXPECT_LT(clipped, 500);
}

TEST(Mixing, ABatchTakesEitherWithTheSameProbability) {
  int cut = 0;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    cut += drawMix(mixing(0.8, 1), 16, 16, key).cut;
    EXPECT_FALSE(drawMix(mixing(0.8, 0), 16, 16, key).cut);
    EXPECT_TRUE(drawMix(mixing(0, 1), 16, 16, key).cut);
  }
  EXPECT_NEAR(cut, 1000, 112);  // five standard deviations
}

TEST(Mixing, EveryDrawIsOfItsKeyAlone) {
  const TrainingConfig config = mixing(0.8, 1);
  const Mix first = drawMix(config, 16, 16, 3);
  seedTorch(1);
  const at::Tensor expected = at::rand({4});
  seedTorch(1);
  const Mix again = drawMix(config, 16, 16, 3);
  EXPECT_TRUE(at::equal(at::rand({4}), expected)) << "it drew from the generator of the model";
  EXPECT_EQ(first.share, again.share);
  EXPECT_EQ(first.top, again.top);
  EXPECT_EQ(first.left, again.left);
  EXPECT_NE(first.share, drawMix(config, 16, 16, 4).share);
}

/// Pixel by pixel, as the definitions say; the partner of image b is image B − 1 − b.
double expectedPixel(const at::Tensor& images, const Mix& mix, std::int64_t b, std::int64_t c,
                     std::int64_t y, std::int64_t x) {
  const auto pixels = images.accessor<float, 4>();
  const double own = pixels[b][c][y][x];
  const double partner = pixels[images.size(0) - 1 - b][c][y][x];
  if (!mix.cut) return mix.share * own + (1 - mix.share) * partner;
  const bool inBox = y >= mix.top && y < mix.bottom && x >= mix.left && x < mix.right;
  return inBox ? partner : own;
}

TEST(Mixing, ImagesAreWhatTheLoopsSay) {
  for (const std::int64_t count : {1, 4, 5}) {  // the middle one of five is its own partner
    const at::Tensor images = mixingBatch(count).images;
    const at::Tensor before = images.clone();
    for (const Mix& mix :
         {mixup(0.3), mixup(0), cutAround(0.6, 2, 14, 12, 16), cutAround(0.4, 6, 8, 12, 16)}) {
      const at::Tensor mixed = mixedImages(images, mix);
      ASSERT_EQ(mixed.sizes(), images.sizes());
      const auto pixels = mixed.accessor<float, 4>();
      double worst = 0;
      for (std::int64_t b = 0; b < count; ++b)
        for (std::int64_t c = 0; c < 3; ++c)
          for (std::int64_t y = 0; y < 12; ++y)
            for (std::int64_t x = 0; x < 16; ++x)
              worst = std::max(
                  worst, std::abs(pixels[b][c][y][x] - expectedPixel(images, mix, b, c, y, x)));
      EXPECT_LT(worst, mix.cut ? 1e-12 : 1e-6);
      EXPECT_TRUE(at::equal(images, before)) << "the batch itself was changed";
    }
  }
}

/// −Σ_c q_c log softmax(z)_c, the mean over the batch, with q = λ q(y) + (1 − λ) q(y′).
double expectedLoss(const at::Tensor& logits, const at::Tensor& labels, double smoothing,
                    double share) {
  const std::int64_t count = logits.size(0), classes = logits.size(1);
  const at::Tensor z = logits.to(at::kDouble);
  double loss = 0;
  for (std::int64_t b = 0; b < count; ++b) {
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c)
      sum += std::exp(z[b][c].item<double>());
    const auto target = [&](std::int64_t c, std::int64_t label) {
      return smoothing / static_cast<double>(classes) + (c == label ? 1 - smoothing : 0);
    };
    for (std::int64_t c = 0; c < classes; ++c) {
      const double q = share * target(c, labels[b].item<std::int64_t>()) +
                       (1 - share) * target(c, labels[count - 1 - b].item<std::int64_t>());
      loss -= q * (z[b][c].item<double>() - std::log(sum)) / static_cast<double>(count);
    }
  }
  return loss;
}

TEST(Mixing, TheLossIsTheSoftTargetsCrossEntropy) {
  const Batch batch = mixingBatch(5);
  const at::Tensor &images = batch.images, &labels = batch.labels;
  const at::Tensor logits = 2 * at::randn({5, 9});
  for (const double smoothing : {0.0, 0.1, 0.5})
    for (const double share : {0.0, 0.3, 0.9, 1.0})
      EXPECT_NEAR(mixedCrossEntropy(logits, mixedBatch(images, labels, mixup(share)), smoothing)
                      .item<double>(),
                  expectedLoss(logits, labels, smoothing, share), 1e-5)
          << smoothing << ", " << share;
}

TEST(Mixing, OffChangesNothing) {
  const Batch batch = mixingBatch(4);
  for (std::uint64_t key = 0; key < 20; ++key)
    ASSERT_FALSE(drawMix(TrainingConfig(), 16, 16, key).mixes());
  EXPECT_TRUE(mixedImages(batch.images, {}).is_same(batch.images));
  const at::Tensor logits = at::randn({4, 9});
  EXPECT_TRUE(at::equal(mixedCrossEntropy(logits, mixedBatch(batch.images, batch.labels), 0.1),
                        smoothedCrossEntropy(logits, batch.labels, 0.1)));
}

/// The whole of a tiny model after one step from the same start.
NamedTensors afterStep(const TrainingConfig& config, std::uint64_t seed, std::int64_t step) {
  const Experiment experiment = tinyExperiment();
  const auto model = makeModel(experiment.model, 3);
  model->train();
  StepRunner runner(model, at::kCPU, config, seed, 5);
  runner.run(mixingBatch(4, 16, 16), step);
  NamedTensors result;
  for (const auto& [name, tensor] : model->trainable())
    result.emplace_back(name, tensor.detach().clone());
  return result;
}

bool same(const NamedTensors& a, const NamedTensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && at::equal(x.second, y.second);
  });
}

TEST(Mixing, AStepIsOfItsSeedAndItsNumberAlone) {
  TrainingConfig config = tinyExperiment().training;
  const NamedTensors plain = afterStep(config, 1, 6);
  config.mixupAlpha = 0.8;
  config.cutmixAlpha = 1;
  const NamedTensors first = afterStep(config, 1, 6);
  EXPECT_FALSE(same(first, plain));
  EXPECT_TRUE(same(first, afterStep(config, 1, 6)));
  EXPECT_FALSE(same(first, afterStep(config, 2, 6)));
}

Preprocessing sixteen() {
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = 16;
  return preprocessing;
}

TEST(Mixing, TheTeacherSeesTheMixedImages) {
  ModelConfig small = tinyExperiment().model;
  small.dropPath = 0;
  ModelConfig distilled = small;
  distilled.distilled = true;
  const auto model = makeModel(distilled, 3);
  Teacher teacher(makeModel(small, 2), sixteen(), sixteen());
  const Batch batch = mixingBatch(4, 16, 16);
  TrainingConfig config;
  config.distillationAlpha = 0.3;
  config.distillationTemperature = 2;
  for (const Mix& mix : {mixup(0.4), cutAround(0.5, 8, 8, 16, 16)}) {
    const at::Tensor mixed = mixedImages(batch.images, mix);
    const at::Tensor wanted = teacher.logits(mixed);
    const ClassLogitsPair own = model->forwardBoth(mixed);
    const double ofLabels =
        expectedLoss(own.logits.detach(), batch.labels, config.labelSmoothing, mix.share);
    for (const char* kind : {"soft", "hard"}) {
      config.distillation = kind;
      const double ofTeacher =
          (config.distillation == "soft" ? softDistillation(own.distilled, wanted, 2)
                                         : hardDistillation(own.distilled, wanted))
              .item<double>();
      const StepLosses losses =
          stepLosses(*model, mixedBatch(batch.images, batch.labels, mix), config, &teacher);
      EXPECT_NEAR(losses.distillation.item<double>(), ofTeacher, 1e-5) << kind;
      EXPECT_NEAR(losses.total.item<double>(), 0.7 * ofLabels + 0.3 * ofTeacher, 1e-5) << kind;
    }
  }
}

TEST(Mixing, RefusesNonsenseByItsJsonPath) {
  for (const std::string name : {"mixup_alpha", "cutmix_alpha"}) {
    for (const Json& value : {Json(-0.1), Json(101), Json("some"), Json(true), Json(nullptr)}) {
      Json json = experimentToJson(tinyExperiment());
      json["training"][name] = value;
      const auto read = experimentFromJson(json, {});
      ASSERT_FALSE(read) << name << " " << value.dump();
      EXPECT_EQ(read.error().where, "training." + name);
    }
    const Parameter* parameter = findParameter(trainingParameters(), name);
    ASSERT_NE(parameter, nullptr);
    EXPECT_EQ(parameter->defaultValue, Json(0.0));
    EXPECT_FALSE(parameterFromText(*parameter, "nan", name));
    EXPECT_TRUE(parameterFromText(*parameter, "0.8", name));
  }
}

}  // namespace
}  // namespace headlight
