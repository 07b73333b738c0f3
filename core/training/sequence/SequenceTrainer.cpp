// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SequenceTrainer.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/base/MicroBatch.h"
#include "core/base/Log.h"
#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/training/sequence/SentSequence.h"
#include "core/training/sequence/SequenceEvaluation.h"
#include "core/training/step/Divergence.h"

namespace headlight {
namespace {

constexpr std::uint64_t kSequenceStep = 0x73657173746570ULL;  // "seqstep"
constexpr std::uint64_t kSequenceDraw = 0x73657164726177ULL;  // "seqdraw"
constexpr std::int64_t kLoggedSteps = 10;                     ///< between lines of metrics.jsonl
constexpr double kSecondsBetweenReadings = 0.1;               ///< of a validation that goes on

using Clock = std::chrono::steady_clock;

double passedSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ScheduleOptions scheduleOptions(const SequenceTrainingConfig& config) {
  ScheduleOptions options;
  options.peak = config.learningRate;
  options.minimum = config.minLearningRate;
  options.start =
      config.learningRate / static_cast<double>(std::max<std::int64_t>(config.warmupSteps, 1));
  options.totalSteps = config.steps;
  options.warmupSteps = config.warmupSteps;
  options.kind = config.schedule;
  return options;
}

}  // namespace

SequenceTrainer::SequenceTrainer(SequenceTrainerParts parts, RunFolder folder)
    : m_parts(std::move(parts)),
      m_schedule(scheduleOptions(m_parts.experiment.training)),
      m_optimizer(AdamWOptions{.weightDecay = m_parts.experiment.training.weightDecay}),
      m_average(m_parts.experiment.training.emaDecay),
      m_checkpoints({m_parts, m_optimizer, m_average, m_at}, std::move(folder)) {
  m_optimizer.setParameters(m_parts.model->trainable(), SequenceModel::decays);
  m_average.setParameters(m_parts.model->trainable());
  m_at.trainSequences = m_parts.train->size();
  if (m_parts.processes)
    m_sum = std::make_unique<GradientSum>(m_parts.model->trainable(), *m_parts.processes);
}

void SequenceTrainer::share() {
  if (!m_parts.processes) return;
  if (m_parts.processes->isFirst())
    sendSequenceFile(*m_parts.processes, m_checkpoints.file(/*withTraining=*/true));
  else
    restore(receiveSequenceFile(*m_parts.processes));
}

/// Between two steps. Several processes are told to stop where they agree on their sequences.
bool SequenceTrainer::isToStop(const std::stop_token& stop) const {
  return !m_parts.processes && stop.stop_requested();
}

void SequenceTrainer::restore(const SequenceFile& saved) {
  m_checkpoints.restore(saved);
  m_trainBits = m_at.meanBits();
}

SequenceOutcome SequenceTrainer::run(const OnReading& onReading, std::stop_token stop) {
  try {
    return train(onReading, std::move(stop));
  } catch (const std::exception& exception) {
    if (m_parts.processes) m_parts.processes->fail(failureMessage(exception));
    throw;
  }
}

SequenceOutcome SequenceTrainer::train(const OnReading& onReading, std::stop_token stop) {
  const std::int64_t steps = m_parts.experiment.training.steps;
  m_parts.model->train();
  m_remaining.start(m_at.step);
  m_since = Clock::now();
  const SequenceFile held = m_checkpoints.file(/*withTraining=*/true);
  const MemoryMeter memory(m_parts.device, {&held.weights, &held.optimizer, &held.average});
  m_memory = &memory;
  while (!isToStop(stop)) {
    if (validationIsDue() && m_checkpoints.savedStep() < 0) m_checkpoints.saveBeforeTheFirst();
    if (validationIsDue() && !validate(onReading, stop)) break;
    m_checkpoints.saveIfDue();  // after the validation: what it finds is then saved with the step
    if (m_at.step >= steps) break;
    const auto begun = Clock::now();
    const auto drawn = batch(stop);
    if (!drawn && drawn.error().code == ErrorCode::Canceled) break;
    if (!drawn) m_checkpoints.failOnData(drawn.error());
    step(*drawn, begun, onReading);
  }
  SequenceOutcome outcome;
  outcome.finished = m_at.step >= steps && !validationIsDue();
  m_checkpoints.complete(outcome.finished);
  outcome.steps = m_at.step;
  outcome.bestBits = m_at.bestBits;
  outcome.last = m_checkpoints.folder().last();
  if (m_at.bestBits) outcome.best = m_checkpoints.folder().best();
  return outcome;
}

bool SequenceTrainer::validationIsDue() const {
  const SequenceTrainingConfig& training = m_parts.experiment.training;
  return m_at.step > m_at.validatedStep &&
         (m_at.step % training.evaluateSteps == 0 || m_at.step == training.steps);
}

/// Turns the progress of a validation into readings: the first at once, then a few a second.
ProgressCallback SequenceTrainer::reportValidating(const OnReading& onReading) const {
  if (!onReading) return {};
  return [this, &onReading,
          reported = std::optional<Clock::time_point>()](const Progress& progress) mutable {
    const auto now = Clock::now();
    if (reported &&
        std::chrono::duration<double>(now - *reported).count() < kSecondsBetweenReadings)
      return;
    reported = now;
    SequenceReading going = reading(m_trainBits);
    going.validating = true;
    going.validationFraction =
        static_cast<double>(progress.done) / static_cast<double>(progress.total);
    onReading(going);
  };
}

void SequenceTrainer::requireFiniteStep(const std::string& what, double value) const {
  requireFinite(what, value, m_at.step,
                m_checkpoints.savedStep() >= 0 ? "the last checkpoint is from before it"
                                               : "nothing is saved yet",
                "training.warmup_steps");
}

/// Measures, and saves the weights where they are the best, with the moving average in the model
/// where there is one.
Result<SequenceScore> SequenceTrainer::measure(SequenceValidation& done, const OnReading& onReading,
                                               std::stop_token stop) {
  const SequenceTrainingConfig& training = m_parts.experiment.training;
  SequenceEvaluation options;
  options.samples = training.evaluateSamples;
  options.batchSize = std::min(training.batchSize, kMostEvaluatedTogether);
  options.device = m_parts.device;
  options.processes = m_parts.processes.get();
  Result<SequenceScore> score = SequenceScore();
  m_average.withAverages([&] {
    score = evaluateSequences(*m_parts.model, *m_parts.validation, options,
                              reportValidating(onReading), stop);
    if (!score) return;
    requireFiniteStep("validation", score->bits);
    done.best = !m_at.bestBits || score->bits < *m_at.bestBits;
    if (done.best) m_checkpoints.saveBest();
  });
  return score;
}

/// False where it was stopped: the position then says that this step is not validated.
bool SequenceTrainer::validate(const OnReading& onReading, std::stop_token stop) {
  SequenceValidation done;
  const auto score = measure(done, onReading, stop);
  if (!score && score.error().code == ErrorCode::Canceled) return false;
  if (!score) m_checkpoints.failOnData(score.error());
  if (score->skipped > 0)
    logWarning(std::to_string(score->skipped) + " of " +
               std::to_string(score->skipped + score->sequences) +
               " validation images cannot be read and were skipped");
  done.step = m_at.step;
  done.validationBits = score->bits;
  done.trainBits = m_at.meanBits();
  done.learningRate = m_schedule.learningRate(m_at.step - 1);
  done.seconds = passedSince(m_since);
  done.stepsPerSecond = stepsPerSecond();
  done.peakBytes = m_peakBytes = m_memory->peakBytes();
  if (done.best) m_at.bestBits = score->bits;
  m_checkpoints.log(done);
  SequenceReading validated = reading(done.trainBits);
  validated.validationBits = done.validationBits;
  m_at.validatedStep = m_at.step;
  m_at.bitsSum = 0;
  m_at.bitsSteps = 0;
  m_stepSeconds = 0;
  m_timedSteps = 0;
  m_since = Clock::now();
  if (onReading) onReading(validated);
  return true;
}

SequenceReading SequenceTrainer::reading(double trainBits) const {
  const std::int64_t steps = m_parts.experiment.training.steps;
  SequenceReading now;
  now.step = m_at.step;
  now.steps = steps;
  now.trainBits = trainBits;
  now.secondsLeft = m_remaining.secondsRemaining(m_at.step, steps);
  now.stepsPerSecond = stepsPerSecond();
  now.peakBytes = m_peakBytes;
  return now;
}

double SequenceTrainer::stepsPerSecond() const {
  return m_stepSeconds > 0 ? static_cast<double>(m_timedSteps) / m_stepSeconds : 0;
}

/// Those of the step that comes. Errors: Canceled, those of the data.
Result<SequenceRows> SequenceTrainer::batch(const std::stop_token& stop) const {
  const auto seed = static_cast<std::uint64_t>(m_parts.experiment.seed);
  const std::int64_t size = m_parts.experiment.training.batchSize;
  const auto read = [&](std::int64_t row) {
    return m_parts.train->draw(streamKey({seed, kSequenceDraw}), m_at.step * size + row);
  };
  return readSequences(size, read, m_parts.processes.get(), stop);
}

/// Leaves the gradient of the whole batch in the parameters and returns its bits.
double SequenceTrainer::backward(const SequenceRows& drawn) {
  const auto seed = static_cast<std::uint64_t>(m_parts.experiment.seed);
  const at::Tensor bytes = drawn.bytes.to(m_parts.device);
  const at::Tensor logits = [&] {
    const auto random = holdTorchRandom();
    seedTorch(streamKey({seed, kSequenceStep, static_cast<std::uint64_t>(m_at.step)}));
    const BatchPartScope part(drawn.part);
    return m_parts.model->forward(bytes);
  }();
  const at::Tensor bits = sequenceBits(logits, bytes);
  if (m_sum) m_sum->expectLast();
  (bits * (std::log(2.0) * drawn.weight)).backward();  // the cross-entropy
  if (!m_sum) return bits.item<double>();
  m_sum->finish();
  at::Tensor sum = (bits.detach() * drawn.weight).to(at::kCPU).reshape({1});
  m_parts.processes->sum(sum);
  return sum.item<double>();
}

void SequenceTrainer::step(const SequenceRows& drawn, std::chrono::steady_clock::time_point begun,
                           const OnReading& onReading) {
  const SequenceTrainingConfig& training = m_parts.experiment.training;
  m_optimizer.clearGradients();
  SequenceStepMetrics metrics;
  metrics.bits = backward(drawn);
  metrics.gradientNorm = m_optimizer.gradientNorm().item<double>();
  metrics.learningRate = m_schedule.learningRate(m_at.step);
  requireFiniteStep("loss", metrics.bits);
  requireFiniteStep("gradient", metrics.gradientNorm);
  m_optimizer.step(metrics.learningRate,
                   clippingScale(metrics.gradientNorm, training.clipGradient));
  m_average.update();
  m_optimizer.clearGradients();
  metrics.step = ++m_at.step;
  m_trainBits = metrics.bits;
  m_at.bitsSum += metrics.bits;
  ++m_at.bitsSteps;
  m_stepSeconds += passedSince(begun);
  ++m_timedSteps;
  if (m_at.step % kLoggedSteps == 0 || m_at.step == 1) {
    m_checkpoints.requireFolder();
    m_peakBytes = m_memory->peakBytes();
    metrics.stepsPerSecond = stepsPerSecond();
    metrics.peakBytes = m_peakBytes;
    m_checkpoints.log(metrics);
  }
  if (onReading) onReading(reading(metrics.bits));
}

}  // namespace headlight
