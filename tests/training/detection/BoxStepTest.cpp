// SPDX-License-Identifier: GPL-3.0-or-later

// Steps of a detector: beside a naive step in double precision, and the same whether a batch is
// computed whole or in parts.

#include "core/training/step/BoxStep.h"

#include <gtest/gtest.h>

#include "core/training/step/StepRunner.h"
#include "tests/training/detection/NaiveBoxes.h"
#include "tests/training/detection/TinyDetector.h"

namespace headlight {
namespace {

std::shared_ptr<TinyDetector> tinyDetector(at::ScalarType type, bool normalized = false) {
  auto model = std::make_shared<TinyDetector>(normalized);
  model->to(type);
  model->train();
  return model;
}

/// The same batch as one of `type`.
Batch batchOf(Batch batch, at::ScalarType type) {
  batch.images = batch.images.to(type);
  return batch;
}

NamedTensors copied(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors)
    copies.emplace_back(name, tensor.detach().to(at::kDouble).clone());
  return copies;
}

/// One image's cells as a function of what they say: the loss and its gradient by central
/// differences, with targets and denominators as they are at the start.
struct NaiveImage {
  naive::Cells cells;
  LabeledBoxes truth;
  naive::Targets targets;

  double loss(const naive::Sums& all) const {
    return naive::sumsOf(cells, truth, targets).loss(all.positives, all.weights);
  }
};

/// Of the numbers that one cell says: K logits, then 4 · bins.
double& numberOf(naive::Cell& cell, std::int64_t place) {
  if (place < kDrawnClasses) return cell.logits[static_cast<std::size_t>(place)];
  const auto side = static_cast<std::size_t>(place - kDrawnClasses);
  return cell.sides[side / kDrawnBins][side % kDrawnBins];
}

/// The loss of a cell alone has the same gradient as the loss of all.
double slopeOf(const NaiveImage& image, std::size_t cell, std::int64_t place,
               const naive::Sums& all) {
  constexpr double kStep = 1e-5;
  NaiveImage one{{image.cells[cell]},
                 image.truth,
                 {{image.targets.owners[cell]},
                  {image.targets.overlaps[cell]},
                  {image.targets.weights[cell]}}};
  numberOf(one.cells[0], place) += kStep;
  const double above = one.loss(all);
  numberOf(one.cells[0], place) -= 2 * kStep;
  return (above - one.loss(all)) / (2 * kStep);
}

/// What a step takes from the weights of both heads: the learning rate times a sum over cells.
class NaiveStep {
 public:
  NaiveStep(TinyDetector& model, const Batch& batch) : m_images(batch.images) {
    const at::NoGradGuard noGrad;
    const CellScores scores = model.forwardCells(batch.images);
    m_levels = scores.levels;
    for (std::size_t image = 0; image < batch.boxes.size(); ++image) {
      const naive::Cells cells = naive::cellsOf(scores, static_cast<std::int64_t>(image));
      m_parts.push_back({cells, batch.boxes[image], naive::targetsOf(cells, batch.boxes[image])});
      m_all.add(naive::sumsOf(cells, batch.boxes[image], m_parts.back().targets));
    }
  }

  double loss() const { return m_all.loss(m_all.positives, m_all.weights); }

  /// Gradients of the head of a level: [outputs, 3, s, s] and [outputs].
  std::pair<at::Tensor, at::Tensor> gradients(std::size_t level) const {
    const auto [stride, height, width] = m_levels[level];
    const std::int64_t outputs = kDrawnClasses + 4 * kDrawnBins;
    at::Tensor weight = at::zeros({outputs, 3, stride, stride}, at::kDouble);
    at::Tensor bias = at::zeros({outputs}, at::kDouble);
    const std::int64_t first = level == 0 ? 0 : m_levels[0].cells();
    for (std::size_t image = 0; image < m_parts.size(); ++image)
      for (std::int64_t cell = 0; cell < height * width; ++cell) {
        const at::Tensor pixels = m_images[static_cast<std::int64_t>(image)]
                                      .slice(1, cell / width * stride, (cell / width + 1) * stride)
                                      .slice(2, cell % width * stride, (cell % width + 1) * stride);
        for (std::int64_t output = 0; output < outputs; ++output) {
          const double slope =
              slopeOf(m_parts[image], static_cast<std::size_t>(first + cell), output, m_all);
          weight[output] += pixels * slope;
          bias[output] += slope;
        }
      }
    return {weight, bias};
  }

 private:
  at::Tensor m_images;
  CellLevels m_levels;
  std::vector<NaiveImage> m_parts;
  naive::Sums m_all;
};

void expectStep(at::ScalarType type, double tolerance) {
  const Batch batch = drawnBatch(3, 0);
  const auto model = tinyDetector(type);
  const auto reference = tinyDetector(at::kDouble);
  const NaiveStep naiveStep(*reference, batch);
  StepRunner runner(model, at::kCPU, boxTraining(4), 5, 1);
  const StepResult result = runner.run(batchOf(batch, type), 0);
  EXPECT_NEAR(result.loss, naiveStep.loss(), tolerance * naiveStep.loss());
  EXPECT_NEAR(*result.classLoss + *result.overlapLoss + *result.sideLoss, result.loss,
              2e-6 * result.loss);
  EXPECT_FALSE(result.auxiliaryLoss);
  for (std::size_t level = 0; level < 2; ++level) {
    const auto [weight, bias] = naiveStep.gradients(level);
    const at::NoGradGuard noGrad;
    const auto farthest = [&](const at::Tensor& found, const at::Tensor& before,
                              const at::Tensor& gradient) {
      return (found - (before - result.learningRate * gradient)).abs().max().item<double>();
    };
    EXPECT_LT(farthest(model->heads[level]->weight, reference->heads[level]->weight, weight),
              tolerance);
    EXPECT_LT(farthest(model->heads[level]->bias, reference->heads[level]->bias, bias), tolerance);
    EXPECT_GT((result.learningRate * weight).abs().max().item<double>(), 100 * tolerance);
  }
}

TEST(BoxStep, IsThatOfANaiveReference) {
  expectStep(at::kDouble, 1e-8);
}

TEST(BoxStep, IsThatOfANaiveReferenceInFloat32) {
  expectStep(at::kFloat, 1e-5);
}

NamedTensors trainedIn(std::int64_t parts, std::vector<StepResult>& results) {
  const auto model = tinyDetector(at::kDouble);
  StepRunner runner(model, at::kCPU, boxTraining(5, parts), 5, 1);
  for (std::int64_t step = 0; step < 5; ++step)
    results.push_back(runner.run(drawnBatch(7, step), step));
  return copied(model->state());
}

/// 2, 3 (uneven) and 7 parts; one image has no boxes, so a part may have nothing to learn.
TEST(BoxStep, IsTheSameInPartsButForRounding) {
  std::vector<StepResult> wholeResults;
  const NamedTensors whole = trainedIn(1, wholeResults);
  for (const std::int64_t parts : {2, 3, 7}) {
    std::vector<StepResult> results;
    const NamedTensors found = trainedIn(parts, results);
    for (std::size_t i = 0; i < whole.size(); ++i)
      EXPECT_LT((found[i].second - whole[i].second).abs().max().item<double>(), 1e-10)
          << parts << " parts, " << whole[i].first;
    for (std::size_t step = 0; step < results.size(); ++step) {
      EXPECT_NEAR(results[step].loss, wholeResults[step].loss, 1e-10);
      EXPECT_NEAR(*results[step].classLoss, *wholeResults[step].classLoss, 1e-10);
      EXPECT_NEAR(*results[step].overlapLoss, *wholeResults[step].overlapLoss, 1e-10);
      EXPECT_NEAR(*results[step].sideLoss, *wholeResults[step].sideLoss, 1e-10);
      EXPECT_NEAR(results[step].gradientNorm, wholeResults[step].gradientNorm, 1e-9);
    }
  }
}

TEST(BoxStep, CountsEveryPartOnceInBatchNorms) {
  const Batch batch = drawnBatch(4, 1);
  const auto model = tinyDetector(at::kDouble, true), byHand = tinyDetector(at::kDouble, true);
  StepRunner(model, at::kCPU, boxTraining(1, 2), 5, 1).run(batch, 0);
  for (const std::int64_t first : {0, 2})
    byHand->norm->forward(batch.images.narrow(0, first, 2));
  EXPECT_EQ(model->norm->num_batches_tracked.item<std::int64_t>(), 2);
  EXPECT_TRUE(at::allclose(model->norm->running_mean, byHand->norm->running_mean));
  EXPECT_TRUE(at::allclose(model->norm->running_var, byHand->norm->running_var));
}

TEST(BoxStep, LearnsFromABatchWithoutAnyBox) {
  Batch batch = drawnBatch(2, 2);
  batch.boxes = {{}, {}};
  const auto model = tinyDetector(at::kDouble);
  const StepResult result = StepRunner(model, at::kCPU, boxTraining(1), 5, 1).run(batch, 0);
  EXPECT_GT(*result.classLoss, 0);
  EXPECT_EQ(*result.overlapLoss, 0);
  EXPECT_EQ(*result.sideLoss, 0);
  EXPECT_GT(result.gradientNorm, 0);
}

TEST(BoxStep, LearnsOneBatchByHeart) {
  const Batch batch = batchOf(drawnBatch(3, 3), at::kFloat);
  const auto model = tinyDetector(at::kFloat);
  StepRunner runner(model, at::kCPU, boxTraining(60), 5, 1);
  const double before = runner.run(batch, 0).loss;
  double after = before;
  for (std::int64_t step = 1; step < 60; ++step)
    after = runner.run(batch, step).loss;
  EXPECT_LT(after, 0.6 * before);
}

/// Says nothing of cells.
class Classifier : public TinyDetector {
 public:
  CellScores findInCells(const at::Tensor&) override { return {}; }
};

TEST(BoxStep, RefusesAModelThatFindsNoBoxes) {
  auto model = std::make_shared<Classifier>();
  model->to(at::kDouble);
  StepRunner runner(model, at::kCPU, boxTraining(1), 5, 1);
  EXPECT_THROW(runner.run(drawnBatch(2, 0), 0), Failure);
}

}  // namespace
}  // namespace headlight
