// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/RunCost.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "core/base/Translation.h"
#include "core/data/Batches.h"
#include "core/models/layers/Device.h"
#include "core/models/sequence/SequenceModel.h"
#include "core/training/TrainingLoaders.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/bench/DeviceMeter.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/training/ExperimentPaths.h"
#include "core/workbench/training/TrainingStart.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

/// Enough for the matrix products to be as fast as they get, and small: of a paper's batch a step
/// takes minutes.
constexpr std::int64_t kMeasuredItems = 16;
constexpr int kMeasuredSteps = 5;

void requireGoing(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "estimate"});
}

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The fastest of a few, after one that warms up: what else the machine does falls on the others.
template <typename Step>
double leastSeconds(const std::stop_token& stop, Step&& step) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kMeasuredSteps; ++i) {
    requireGoing(stop);
    const auto start = Clock::now();
    step(i);
    if (i > 0) least = std::min(least, secondsSince(start));
  }
  return least;
}

/// The next batch; after the last of an epoch the first of the next.
Batch nextBatch(Loader& loader, std::int64_t& epoch, const std::stop_token& stop) {
  auto batch = valueOrThrow(loader.next(stop));
  if (batch) return std::move(*batch);
  loader.startEpoch(++epoch);
  batch = valueOrThrow(loader.next(stop));
  if (!batch)
    throw Failure({ErrorCode::InvalidFile, tr("no image of the data can be read"), "data"});
  return std::move(*batch);
}

std::int64_t imagesOf(const Experiment& experiment, Split split) {
  const auto spec = makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed);
  return valueOrThrow(openDataset(spec, split))->size();
}

}  // namespace

ItemCost itemCost(const Experiment& experiment, const std::stop_token& stop) {
  configureCompute(experiment.threads);
  Experiment small = experiment;
  small.training.batchSize = std::min<std::int64_t>(kMeasuredItems, small.training.batchSize);
  small.training.accumulate = 1;
  const TrainingStart start = openStart(small, /*fresh=*/false);
  const TrainerParts& parts = start.parts;
  const auto loader = trainingLoader(parts), validation = validationLoader(parts);
  StepRunner runner(parts.model, parts.device, parts.experiment.training,
                    static_cast<std::uint64_t>(small.seed), loader->batchesPerEpoch(),
                    parts.teacher);
  parts.model->train();
  std::int64_t epoch = 0, pass = 0, items = 0;
  loader->startEpoch(epoch);
  const double step = leastSeconds(stop, [&](int i) {
    Batch batch = nextBatch(*loader, epoch, stop);
    items = batch.images.size(0);
    batch.images = batch.images.to(parts.device);
    batch.labels = batch.labels.to(parts.device);
    runner.run(batch, i);
    waitForDevice(parts.device);
  });
  parts.model->eval();
  const at::NoGradGuard noGradients;
  validation->startEpoch(pass);
  std::int64_t seen = 0;
  const double forward = leastSeconds(stop, [&](int) {
    const Batch batch = nextBatch(*validation, pass, stop);
    seen = batch.images.size(0);
    parts.model->forward(batch.images.to(parts.device));
    waitForDevice(parts.device);
  });
  return {step / static_cast<double>(items), forward / static_cast<double>(seen)};
}

ItemCost itemCost(const SequenceExperiment& experiment, const std::stop_token& stop) {
  configureCompute(experiment.threads);
  const at::Device device = deviceFromConfig(experiment.device);
  const auto model = std::make_shared<SequenceModel>(experiment.model, experiment.length());
  model->to(device);
  const auto items = std::min<std::int64_t>(kMeasuredItems, experiment.training.batchSize);
  const at::Tensor bytes =
      at::randint(kByteValues, {items, experiment.length()}, at::kLong).to(device);
  const double step = leastSeconds(stop, [&](int) {
    model->forward(bytes).logsumexp(-1).sum().backward();
    waitForDevice(device);
  });
  const at::NoGradGuard noGradients;
  const double forward = leastSeconds(stop, [&](int) {
    model->forward(bytes);
    waitForDevice(device);
  });
  return {step / static_cast<double>(items), forward / static_cast<double>(items)};
}

std::int64_t validationImages(const Experiment& experiment) {
  Experiment placed = experiment;
  makePathsAbsolute(placed);
  return imagesOf(placed, Split::Validation);
}

double secondsOfRun(const Experiment& experiment, const ItemCost& cost) {
  Experiment placed = experiment;
  makePathsAbsolute(placed);
  const std::int64_t batch = placed.training.batchSize;
  const std::int64_t steps =
      batchesPerEpoch(imagesOf(placed, Split::Train), batch, kTrainingDropsLast);
  const auto trained = static_cast<double>(steps * batch);
  const auto validated = static_cast<double>(imagesOf(placed, Split::Validation));
  return static_cast<double>(placed.training.epochs) *
         (trained * cost.training + validated * cost.validation);
}

double secondsOfRun(const SequenceExperiment& experiment, const ItemCost& cost) {
  const SequenceTrainingConfig& training = experiment.training;
  const std::int64_t validations =
      training.steps / std::max<std::int64_t>(1, training.evaluateSteps) + 1;
  return static_cast<double>(training.steps * training.batchSize) * cost.training +
         static_cast<double>(validations * training.evaluateSamples) * cost.validation;
}

}  // namespace headlight
