// SPDX-License-Identifier: GPL-3.0-or-later

// Steps of a segmenter: beside a naive step in double precision, and the same whether a batch is
// computed whole, in parts or after a restart.

#include "core/training/step/SegmentStep.h"

#include <gtest/gtest.h>

#include "core/training/step/StepRunner.h"
#include "tests/training/segmentation/NaiveSegments.h"
#include "tests/training/segmentation/TinySegmenter.h"

namespace headlight {
namespace {

constexpr std::uint64_t kRunSeed = 5;

Batch segmentBatchOf(Batch batch, at::ScalarType type) {
  batch.images = batch.images.to(type);
  return batch;
}

NamedTensors copiedState(const TinySegmenter& model) {
  NamedTensors copies;
  for (const auto& [name, tensor] : model.state())
    copies.emplace_back(name, tensor.detach().to(at::kDouble).clone());
  return copies;
}

/// What a step takes from the weights: the learning rate times a sum over images and queries, whose
/// slopes are central differences with targets and denominators as they are at the start.
class NaiveSegmentStep {
 public:
  NaiveSegmentStep(TinySegmenter& model, const Batch& batch, std::int64_t points)
      : m_images(batch.images), m_features(TinySegmenter::features(batch.images)) {
    const at::NoGradGuard noGrad;
    const SegmentScores scores = model.forwardSegments(batch.images);
    PointSeeds seeds{stepPointSeed(kRunSeed, 0), {}, points};
    for (std::int64_t image = 0; image < batch.images.size(0); ++image)
      seeds.rows.push_back(image);
    m_said.resize(scores.classes.size());
    for (std::int64_t image = 0; image < batch.images.size(0); ++image) {
      naive::addCounts(m_sums, batch.segments[image], kTinyQueries);
      for (std::size_t i = 0; i < m_said.size(); ++i) {
        m_said[i].push_back(naive::saidOf(scores.classes[i][image], scores.masks[i][image],
                                          batch.segments[image],
                                          pointKeys(seeds, std::size_t(image), i)));
        naive::addLosses(m_sums, m_said[i].back());
      }
    }
  }

  const naive::Sums& sums() const { return m_sums; }

  /// Of the weights and the biases of the masks of a prediction: [Q, 3, 4, 4] and [Q].
  std::pair<at::Tensor, at::Tensor> maskGradients(std::size_t prediction) const {
    at::Tensor weight = at::zeros({kTinyQueries, 3, 4, 4}, at::kDouble);
    at::Tensor bias = at::zeros({kTinyQueries}, at::kDouble);
    for (std::int64_t image = 0; image < m_images.size(0); ++image)
      for (std::int64_t q = 0; q < kTinyQueries; ++q)
        for (std::int64_t pixel = 0; pixel < 64; ++pixel) {
          const double slope = maskSlope(m_said[prediction][std::size_t(image)], q, pixel);
          if (slope == 0) continue;
          const std::int64_t top = pixel / 8 * 4, left = pixel % 8 * 4;
          weight[q] += m_images[image].slice(1, top, top + 4).slice(2, left, left + 4) * slope;
          bias[q] += slope;
        }
    return {weight, bias};
  }

  /// Of its classes: [Q · (K + 1), 12] and [Q · (K + 1)].
  std::pair<at::Tensor, at::Tensor> classGradients(std::size_t prediction) const {
    constexpr std::int64_t kEach = kTinyClasses + 1;
    at::Tensor weight = at::zeros({kTinyQueries * kEach, kTinyFeatures}, at::kDouble);
    at::Tensor bias = at::zeros({kTinyQueries * kEach}, at::kDouble);
    for (std::int64_t image = 0; image < m_images.size(0); ++image)
      for (std::int64_t output = 0; output < kTinyQueries * kEach; ++output) {
        const double slope =
            classSlope(m_said[prediction][std::size_t(image)], output / kEach, output % kEach);
        weight[output] += m_features[image] * slope;
        bias[output] += slope;
      }
    return {weight, bias};
  }

 private:
  template <typename Loss>
  static double slopeOf(double& number, Loss loss) {
    constexpr double kStep = 1e-5;
    const double before = number;
    number = before + kStep;
    const double above = loss();
    number = before - kStep;
    const double below = loss();
    number = before;
    return (above - below) / (2 * kStep);
  }

  double maskSlope(naive::Said said, std::int64_t query, std::int64_t pixel) const {
    const auto q = static_cast<std::size_t>(query);
    if (said.targets[q].label < 0) return 0;
    return slopeOf(said.queries[q].mask.values[std::size_t(pixel)], [&] {
      return 5 * (said.maskLoss(q) + said.diceLoss(q)) / std::max(m_sums.trueMasks, 1.0);
    });
  }

  double classSlope(naive::Said said, std::int64_t query, std::int64_t label) const {
    const auto q = static_cast<std::size_t>(query);
    return slopeOf(said.queries[q].classes[std::size_t(label)],
                   [&] { return 2 * said.classLoss(q) / m_sums.weights; });
  }

  at::Tensor m_images, m_features;
  std::vector<std::vector<naive::Said>> m_said;  ///< [prediction][image]
  naive::Sums m_sums;
};

void expectSegmentStep(at::ScalarType type, double tolerance,
                       std::int64_t points = kMostMaskPoints) {
  const Batch batch = segmentBatch(3, 0);
  const auto model = tinySegmenter(type), reference = tinySegmenter(at::kDouble);
  const NaiveSegmentStep naiveStep(*reference, batch, points);
  TrainingConfig training = segmentTraining(4);
  training.maskPoints = points;
  StepRunner runner(model, at::kCPU, training, kRunSeed, 1);
  const StepResult result = runner.run(segmentBatchOf(batch, type), 0);
  const naive::Sums& sums = naiveStep.sums();
  EXPECT_NEAR(result.loss, sums.total(), tolerance * sums.total());
  EXPECT_NEAR(*result.classLoss, 2 * sums.classes / sums.weights, tolerance * sums.total());
  EXPECT_NEAR(*result.maskLoss, 5 * sums.masks / sums.trueMasks, tolerance * sums.total());
  EXPECT_NEAR(*result.diceLoss, 5 * sums.dice / sums.trueMasks, tolerance * sums.total());
  EXPECT_FALSE(result.overlapLoss || result.sideLoss || result.auxiliaryLoss);
  const at::NoGradGuard noGrad;
  const auto expectMoved = [&](const at::Tensor& found, const at::Tensor& before,
                               const at::Tensor& gradient) {
    const at::Tensor wanted = before - result.learningRate * gradient;
    EXPECT_LT((found - wanted).abs().max().item<double>(), tolerance);
    EXPECT_GT((result.learningRate * gradient).abs().max().item<double>(), 100 * tolerance);
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [maskWeight, maskBias] = naiveStep.maskGradients(i);
    expectMoved(model->masks[i]->weight, reference->masks[i]->weight, maskWeight);
    expectMoved(model->masks[i]->bias, reference->masks[i]->bias, maskBias);
    const auto [classWeight, classBias] = naiveStep.classGradients(i);
    expectMoved(model->classes[i]->weight, reference->classes[i]->weight, classWeight);
    expectMoved(model->classes[i]->bias, reference->classes[i]->bias, classBias);
  }
}

TEST(SegmentStep, IsThatOfANaiveReference) {
  expectSegmentStep(at::kDouble, 1e-8);
}

TEST(SegmentStep, IsThatOfANaiveReferenceInFloat32) {
  expectSegmentStep(at::kFloat, 1e-5);
}

TEST(SegmentStep, ComparesMasksAtTheAskedNumberOfPoints) {
  expectSegmentStep(at::kDouble, 1e-8, /*points=*/20);
}

NamedTensors segmenterTrainedIn(std::int64_t parts, std::vector<StepResult>& results) {
  const auto model = tinySegmenter(at::kDouble);
  StepRunner runner(model, at::kCPU, segmentTraining(5, parts), kRunSeed, 1);
  for (std::int64_t step = 0; step < 5; ++step)
    results.push_back(runner.run(segmentBatch(7, step), step));
  return copiedState(*model);
}

/// 2, 3 (uneven) and 7 parts; of one image nothing is known, so a part may have nothing to learn.
TEST(SegmentStep, IsTheSameInPartsButForRounding) {
  std::vector<StepResult> wholeResults;
  const NamedTensors whole = segmenterTrainedIn(1, wholeResults);
  for (const std::int64_t parts : {2, 3, 7}) {
    std::vector<StepResult> results;
    const NamedTensors found = segmenterTrainedIn(parts, results);
    for (std::size_t i = 0; i < whole.size(); ++i)
      EXPECT_LT((found[i].second - whole[i].second).abs().max().item<double>(), 1e-10)
          << parts << " parts, " << whole[i].first;
    for (std::size_t step = 0; step < results.size(); ++step) {
      EXPECT_NEAR(results[step].loss, wholeResults[step].loss, 1e-10);
      EXPECT_NEAR(*results[step].classLoss, *wholeResults[step].classLoss, 1e-10);
      EXPECT_NEAR(*results[step].maskLoss, *wholeResults[step].maskLoss, 1e-10);
      EXPECT_NEAR(*results[step].diceLoss, *wholeResults[step].diceLoss, 1e-10);
      EXPECT_NEAR(results[step].gradientNorm, wholeResults[step].gradientNorm, 1e-9);
    }
  }
}

/// With nothing but the weights, the optimizer's state and the number of the step.
TEST(SegmentStep, GoesOnExactlyAfterARestart) {
  const auto model = tinySegmenter(at::kFloat), other = tinySegmenter(at::kFloat);
  StepRunner runner(model, at::kCPU, segmentTraining(6), kRunSeed, 1);
  const auto batchAt = [](std::int64_t step) {
    return segmentBatchOf(segmentBatch(3, step), at::kFloat);
  };
  for (std::int64_t step = 0; step < 3; ++step)
    runner.run(batchAt(step), step);
  StepRunner resumed(other, at::kCPU, segmentTraining(6), kRunSeed, 1);
  {
    const at::NoGradGuard noGrad;
    const auto from = model->state(), to = other->state();
    for (std::size_t i = 0; i < to.size(); ++i)
      at::Tensor(to[i].second).copy_(from[i].second);
  }
  resumed.optimizer().load(runner.optimizer().state(), "test");
  for (std::int64_t step = 3; step < 6; ++step)
    EXPECT_EQ(runner.run(batchAt(step), step).loss, resumed.run(batchAt(step), step).loss);
  const NamedTensors first = copiedState(*model), second = copiedState(*other);
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(at::equal(first[i].second, second[i].second)) << first[i].first;
}

TEST(SegmentStep, LearnsOneBatchByHeart) {
  const Batch batch = segmentBatchOf(segmentBatch(2, 3), at::kFloat);
  const auto model = tinySegmenter(at::kFloat);
  StepRunner runner(model, at::kCPU, segmentTraining(80), kRunSeed, 1);
  const double before = runner.run(batch, 0).loss;
  double after = before;
  for (std::int64_t step = 1; step < 80; ++step)
    after = runner.run(batch, step).loss;
  EXPECT_LT(after, 0.85 * before);
}

/// Says nothing of pixels.
class SegmentlessModel : public TinySegmenter {
 public:
  SegmentScores findSegments(const at::Tensor&) override { return {}; }
};

TEST(SegmentStep, RefusesAModelThatFindsNoSegments) {
  auto model = std::make_shared<SegmentlessModel>();
  model->to(at::kDouble);
  StepRunner runner(model, at::kCPU, segmentTraining(1), kRunSeed, 1);
  EXPECT_THROW(runner.run(segmentBatch(2, 0), 0), Failure);
}

}  // namespace
}  // namespace headlight
