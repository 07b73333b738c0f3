// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/PartBench.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>

#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/models/layers/Precision.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/bench/DeviceMeter.h"
#include "core/workbench/bench/DrawnBatch.h"
#include "core/workbench/bench/PartClock.h"
#include "core/workbench/loading/TorchRuntime.h"

namespace headlight {
namespace {

constexpr int kWarmPasses = 1;

double secondsNow(const at::Device& device) {
  waitForDevice(device);
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One pass: what a clock around it says, and what the clock of its parts says.
struct TimedPass {
  double seconds = 0;
  PartTimes parts;
};

/// The one whose time is the median, whose parts add up; of an even number the faster one.
const TimedPass& middlePass(std::vector<TimedPass>& passes) {
  const auto middle = passes.begin() + static_cast<std::ptrdiff_t>((passes.size() - 1) / 2);
  std::nth_element(passes.begin(), middle, passes.end(),
                   [](const TimedPass& a, const TimedPass& b) { return a.seconds < b.seconds; });
  return *middle;
}

/// "fused dense (CPU); matrix products".
std::string kernelsText(const Model& model) {
  std::vector<std::string> seen;
  std::string text;
  for (const std::string& kernel : model.kernels()) {
    if (std::find(seen.begin(), seen.end(), kernel) != seen.end()) continue;
    seen.push_back(kernel);
    text += (text.empty() ? "" : "; ") + kernel;
  }
  return text;
}

class PartMeter {
 public:
  PartMeter(const BenchSubject& subject, std::int64_t images, const std::string& precision,
            const at::Device& device, int repeats)
      : m_device(device),
        m_task(taskOf(subject.model.config)),
        m_precision(precisionFromConfig(precision)),
        m_clock(std::make_shared<PartClock>([device] { return secondsNow(device); })) {
    requireLearning(subject.name, subject.model.config, "--parts");
    m_model = makeModel(subject.model.config, 0);
    m_model->setMasks(valueOrThrow(resolveMasks(subject.model.masks, m_model->masks().shape())));
    m_model->to(m_device);
    m_clock->setLinearLayers(*m_model);
    m_batch = drawnBatch(subject.model.config, images);
    m_images = m_batch.images.to(m_device);
    TrainingConfig training;
    training.precision = precision;
    m_runner = std::make_unique<StepRunner>(m_model, m_device, training, 0, repeats + kWarmPasses);
    m_report.name = subject.name;
    m_report.masks = m_model->masks().name();
    m_report.device = m_device.str();
    m_report.precision = precision;
    m_report.tokens = m_model->grid(0).tokens();
    m_report.batch = images;
  }

  PartReport measured(int repeats, const std::stop_token& stop, BenchProgress& progress) {
    m_model->train(false);
    const TimedPass inference =
        measuredPass(repeats, stop, progress, false, [this](int) { infer(); });
    m_report.kernels = kernelsText(*m_model);
    m_model->train();
    const TimedPass step = measuredPass(repeats, stop, progress, true,
                                        [this](int number) { m_runner->run(m_batch, number); });
    m_report.inferenceMs = 1e3 * inference.seconds;
    m_report.stepMs = 1e3 * step.seconds;
    m_report.times = step.parts;
    for (const ModelPart part : kModelParts)
      m_report.times.at(ModelPass::Inference, part) =
          inference.parts.at(ModelPass::Inference, part);
    return m_report;
  }

 private:
  void infer() {
    const at::NoGradGuard noGrad;
    const AutocastScope autocast(m_precision, m_device);
    switch (m_task) {
      case Task::Detect:
        m_model->forwardCells(m_images);
        return;
      case Task::Segment:
        m_model->forwardSegments(m_images);
        return;
      default:
        m_model->forward(m_images);
    }
  }

  template <typename Run>
  TimedPass measuredPass(int repeats, const std::stop_token& stop, BenchProgress& progress,
                         bool training, Run run) {
    std::vector<TimedPass> passes;
    for (int i = 0; i < repeats + kWarmPasses; ++i) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "bench"});
      const TimedPass pass = timed(training, [&] { run(i); });
      if (i >= kWarmPasses) passes.push_back(pass);
      progress.step(m_report.name);
    }
    return middlePass(passes);
  }

  template <typename Run>
  TimedPass timed(bool training, Run run) {
    const PartClockScope scope(m_clock);
    const double before = secondsNow(m_device);
    m_clock->start(training);
    run();
    m_clock->stop();
    return {secondsNow(m_device) - before, m_clock->times()};
  }

  at::Device m_device;
  Task m_task;
  Precision m_precision;
  std::shared_ptr<PartClock> m_clock;
  std::shared_ptr<Model> m_model;
  Batch m_batch;
  at::Tensor m_images;
  std::unique_ptr<StepRunner> m_runner;
  PartReport m_report;
};

void requireParts(const BenchOptions& options, const at::Device& device) {
  if (options.repeats < 1)
    throw Failure({ErrorCode::InvalidArgument, tr("repeats must be at least 1"), "bench"});
  if (options.recomputing)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("blocks that are computed again have no parts of their own; leave out "
                      "--checkpoint-blocks"),
                   "--parts"});
  for (const std::string& precision : options.precisions)
    precisionOn(device, precision, "--precision");
}

double attentionShare(const PartTimes& times, std::initializer_list<ModelPass> passes) {
  double attention = 0, all = 0;
  for (const ModelPass pass : passes) {
    attention += times.at(pass, ModelPart::Projections) + times.at(pass, ModelPart::Attention);
    all += times.sum(pass);
  }
  return all > 0 ? attention / all : 0;
}

}  // namespace

double PartReport::stepMsOf(ModelPart part) const {
  return 1e3 * (times.at(ModelPass::Forward, part) + times.at(ModelPass::Backward, part) +
                times.at(ModelPass::Update, part));
}

double PartReport::attentionInInference() const {
  return attentionShare(times, {ModelPass::Inference});
}

double PartReport::attentionInStep() const {
  return attentionShare(times, {ModelPass::Forward, ModelPass::Backward, ModelPass::Update});
}

Result<void> benchParts(const BenchOptions& options, const PartSink& sink, std::stop_token stop,
                        const ProgressCallback& progress) {
  return guarded("bench", [&] {
    configureCompute(options.threads);
    at::init_num_threads();  // counts are per thread, and a program calls from any
    const at::Device device = deviceFromConfig(options.device);
    requireParts(options, device);
    const std::vector<BenchSubject> subjects = benchSubjects(options);
    const std::vector<std::int64_t> batches = benchBatches(options);
    const std::size_t reports = subjects.size() * batches.size() * options.precisions.size();
    BenchProgress passes(progress,
                         static_cast<std::int64_t>(reports) * 2 * (options.repeats + kWarmPasses));
    for (const BenchSubject& subject : subjects)
      for (const std::int64_t batch : batches)
        for (const std::string& precision : options.precisions) {
          PartMeter meter(subject, batch, precision, device, options.repeats);
          sink(meter.measured(options.repeats, stop, passes));
        }
  });
}

}  // namespace headlight
