// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/StepBench.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <chrono>

#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/models/layers/Precision.h"
#include "core/training/SharedBatches.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/bench/DeviceMeter.h"
#include "core/workbench/bench/PassTimer.h"
#include "core/workbench/loading/TorchRuntime.h"

namespace headlight {
namespace {

constexpr int kWarmSteps = 2;
constexpr std::chrono::seconds kTimeout{120};

Json taskOf(const BenchOptions& options) {
  return {{"bench", "step"},
          {"models", options.models},
          {"batch", options.batch},
          {"precisions", options.precisions},
          {"repeats", options.repeats}};
}

/// The same images in all processes, of which each takes its rows.
Batch batchOf(const ModelConfig& config, std::int64_t images, const Processes* processes) {
  seedTorch(1);
  Batch batch;
  batch.images =
      at::randn({images, 3, config.imageHeightPixels(), config.imageWidthPixels()}, at::kFloat);
  batch.labels = at::randint(config.classes, {images}, at::kLong);
  return ownShare(std::move(batch), processes);
}

void requireImages(const BenchOptions& options, const Launch& launch) {
  if (options.repeats < 1 || (options.batch + 1) / 2 < launch.count)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("needs at least one repeat, and two images for each of ") +
                       std::to_string(launch.count) + " processes",
                   "--batch"});
}

std::int64_t bytesOf(const NamedTensors& parameters) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : parameters)
    bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

Experiment deviceAsked(const BenchOptions& options) {
  Experiment experiment;
  experiment.device = options.device;
  return experiment;
}

at::Device deviceOf(const BenchOptions& options, const Launch& launch) {
  return deviceFromConfig(placedAt(deviceAsked(options), launch).device);
}

class StepMeter {
 public:
  StepMeter(const std::string& name, const std::string& precision, const BenchOptions& options,
            const Launch& launch, const std::shared_ptr<Processes>& processes)
      : m_device(deviceOf(options, launch)) {
    TrainingConfig training;
    training.precision = precision;
    const BenchedModel benched = benchedModel(name);
    requireLearning(name, benched.config, "--models");
    m_model = makeModel(benched.config, 0);
    m_model->setMasks(valueOrThrow(resolveMasks(benched.masks, m_model->masks().shape())));
    m_batch = batchOf(benched.config, options.batch, processes.get());
    m_model->to(m_device);
    m_model->train();
    m_runner = std::make_unique<StepRunner>(m_model, m_device, training, 0,
                                            options.repeats + kWarmSteps, nullptr, processes);
    m_row.name = name;
    m_row.device = m_device.str();
    m_row.precision = precision;
    m_row.processes = launch.count;
    if (processes) m_row.sumsBy = sumsBy(m_device);
    m_row.threads = at::get_num_threads();
    m_row.batch = options.batch;
    m_row.gradientBytes = bytesOf(m_model->trainable());
    m_row.sentBytes = 2 * (launch.count - 1) * m_row.gradientBytes / launch.count;
  }

  StepBenchRow measured(int repeats, std::stop_token stop) {
    for (int step = 0; step < repeats + kWarmSteps; ++step) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "bench"});
      measure(step, step >= kWarmSteps);
    }
    m_row.stepMs = median(m_steps);
    m_row.imagesPerSecond = 1e3 * static_cast<double>(m_row.batch) / m_row.stepMs;
    if (m_runner->gradientSum()) {
      m_row.sumMs = median(m_sums);
      m_row.waitMs = median(m_waits);
    }
    return m_row;
  }

 private:
  void measure(int step, bool counts) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    m_runner->run(m_batch, step);
    waitForDevice(m_device);
    if (!counts) return;
    m_steps.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    if (const GradientSum* sum = m_runner->gradientSum()) {
      m_sums.push_back(1e3 * sum->tookSeconds());
      m_waits.push_back(1e3 * sum->waitedSeconds());
    }
  }

  at::Device m_device;
  std::shared_ptr<Model> m_model;
  Batch m_batch;
  std::unique_ptr<StepRunner> m_runner;
  StepBenchRow m_row;
  std::vector<double> m_steps, m_sums, m_waits;
};

}  // namespace

Result<void> benchSteps(const BenchOptions& options, const Launch& launch,
                        const std::function<void(const StepBenchRow&)>& sink,
                        std::stop_token stop) {
  return guarded("bench", [&] {
    requireImages(options, launch);
    configureCompute(chooseThreads(options.threads, launch));
    at::init_num_threads();  // counts are per thread, and a program calls from any
    const auto processes =
        meet({launch, taskOf(options), stop}, static_cast<double>(kTimeout.count()));
    runAndReportFailure(processes, [&] {
      if (processes) processes->endStart();
      for (const std::string& precision : options.precisions)
        precisionOn(deviceOf(options, launch), precision, "--precision");
      for (const std::string& name : options.models)
        for (const std::string& precision : options.precisions) {
          const StepBenchRow row = StepMeter(name, precision, options, launch, processes)
                                       .measured(options.repeats, stop);
          if (launch.rank == 0) sink(row);
        }
    });
  });
}

}  // namespace headlight
