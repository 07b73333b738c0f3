// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/Trainer.h"

#include <cmath>
#include <limits>

#include "core/training/Evaluation.h"
#include "core/training/TrainingLoaders.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Trainer::Trainer(TrainerParts parts, RunFolder folder, RunControl& control, MaskEditQueue& ledger)
    : m_parts(std::move(parts)),
      m_control(control),
      m_ledger(ledger),
      m_recorder(
          std::move(folder), m_parts.run, [this](const std::string& message) { warn(message); },
          !isFirst()),
      m_batches(trainingLoader(m_parts), m_parts.processes),
      m_validation(validationLoader(m_parts), m_parts.processes),
      m_steps(m_parts.model, m_parts.device, m_parts.experiment.training,
              static_cast<std::uint64_t>(m_parts.experiment.seed), m_batches.perEpoch(),
              m_parts.teacher, m_parts.processes) {
  const TelemetryConfig& telemetry = m_parts.experiment.telemetry;
  if (telemetry.tensorboard && isFirst()) m_recorder.keepEvents();
  if (telemetry.evolutionMegabytes > 0 && telemetry.alsSteps > 0 && isFirst())
    m_recorder.keepMaps(std::llround(telemetry.evolutionMegabytes * 1e6), telemetry.alsSteps);
}

Precision Trainer::precision() const {
  return precisionFromConfig(m_parts.experiment.training.precision);
}

/// Whether it is so for any process.
bool Trainer::agreed(bool here) const {
  return m_parts.processes ? m_parts.processes->any(here) : here;
}

TrainingOutcome Trainer::run(std::stop_token stop) {
  try {
    if (!prepare(stop)) return outcome(TrainingState::Stopped);
    while (m_at.epoch < m_parts.experiment.training.epochs)
      if (!trainEpoch(stop) || !endEpoch(stop)) return outcome(TrainingState::Stopped);
    keepLastMaps();
    return outcome(TrainingState::Finished);
  } catch (const std::exception& exception) {
    m_ledger.close();
    setState(TrainingState::Failed, messageOf(exception));
    if (m_parts.processes) m_parts.processes->fail(messageOf(exception));
    throw;
  }
}

/// False when stopped.
bool Trainer::prepare(std::stop_token stop) {
  const Experiment& experiment = m_parts.experiment;
  m_parts.model->train();
  m_steps.announce(m_at.step);
  setState(TrainingState::Preparing, "reading the first images");
  if (experiment.telemetry.alsSteps > 0 && isFirst())
    m_probe.emplace(*m_parts.validation, experiment.telemetry.probeImages, m_parts.preprocessing,
                    static_cast<std::uint64_t>(experiment.seed), m_parts.device);
  if (!m_restored) {
    measureHeadMetrics();
    drawMaps();
  }
  if (m_at.step == 0 && !validateStart(stop)) return false;
  m_lastAttempt = m_at.step;
  m_remaining.start(m_at.step);
  setState(TrainingState::Running);
  return true;
}

/// How good the weights are before the first step: what all that follows is compared with. Draws no
/// random number and changes nothing of the model. False when stopped: who goes on begins here.
bool Trainer::validateStart(std::stop_token stop) {
  if (agreed(stop.stop_requested())) return false;
  setState(TrainingState::Preparing, "validating the starting weights");
  EvaluationOptions options;
  options.device = m_parts.device;
  options.precision = precision();
  const auto result = evaluateModel(*m_parts.model, m_validation, options, {}, stop);
  if (!result && result.error().code == ErrorCode::Canceled) return false;
  if (!result) failOnData(result.error());
  EpochPoint start;
  start.trainLoss = std::numeric_limits<double>::quiet_NaN();
  start.validationLoss = result->loss;
  start.top1 = result->top1;
  start.top5 = result->top5;
  m_startTop1 = start.top1;
  m_recorder.start(start);
  m_control.publish([&](TrainingUpdate& update) { update.start = start; });
  return true;
}

/// False when stopped. Each turn is one step boundary and one step.
bool Trainer::trainEpoch(std::stop_token stop) {
  m_epochStarted = m_stepEnded = Clock::now();
  m_batches.startEpoch(m_at.epoch, m_at.batch);
  while (m_at.batch < m_batches.perEpoch()) {
    if (!boundary(stop)) return false;
    auto batch = m_batches.next(stop);
    if (!batch && batch.error().code == ErrorCode::Canceled) return false;
    if (!batch) failOnData(batch.error());
    if (!batch->has_value()) {
      m_at.batch = m_batches.perEpoch();
      break;
    }
    trainStep(**batch);
  }
  return true;
}

/// False when told to stop. Here, between two steps, everything from outside takes effect. Several
/// processes are told to stop where they agree on their batch.
bool Trainer::boundary(std::stop_token stop) {
  serve();
  if (m_parts.processes) return true;
  if (m_control.paused() && !stop.stop_requested()) {
    setState(TrainingState::Paused);
    trySaving();
    while (m_control.paused() && !stop.stop_requested()) {
      m_control.waitWhilePaused(stop);
      serve();
    }
    m_remaining.start(m_at.step);
    m_stepEnded = Clock::now();
    if (!stop.stop_requested()) setState(TrainingState::Running);
  }
  return !stop.stop_requested();
}

void Trainer::serve() {
  applyEdits();
  if (m_control.takeSnapshotRequest() && m_snapshotSink)
    m_snapshotSink(m_parts.model->state(), m_at.step);
}

void Trainer::applyEdits() {
  while (auto pending = m_ledger.next(m_at.step)) {
    MaskScheme scheme = m_ledger.masks();
    valueOrThrow(applyMaskEdit(scheme, pending->edit.edit));
    m_parts.model->setMasks(scheme);
    m_steps.refreshParameters();
    m_ledger.commit(*pending);
    const AppliedEdit applied{m_at.step, pending->edit.edit};
    m_recorder.edit(applied);
    m_control.publish([&](TrainingUpdate& update) { update.edits.push_back(applied); });
  }
}

void Trainer::trainStep(const Batch& batch) {
  const TelemetryConfig& telemetry = m_parts.experiment.telemetry;
  const StepResult result = m_steps.run(batch, m_at.step);
  ++m_at.step;
  m_steps.announce(m_at.step);  // for measurements and validation before the next step
  m_at.batch = batch.number + 1;
  m_at.lossSum += result.loss;
  ++m_at.lossSteps;

  const double seconds = std::max(secondsSince(m_stepEnded), 1e-9);
  m_stepEnded = Clock::now();
  const auto images = static_cast<double>(batch.whole > 0 ? batch.whole : batch.labels.size(0));
  StepMetrics told{{m_at.step, result.loss, result.learningRate, images / seconds,
                    result.distillationLoss, result.auxiliaryLoss},
                   m_at.epoch,
                   result.gradientNorm,
                   m_steps.schedule().totalSteps()};
  told.point.skipped = result.skipped;
  if (m_steps.lossScale().on()) told.lossScale = m_steps.lossScale().state();
  tell(told);
  if (m_at.step % telemetry.metricsSteps == 0) {
    reportSkipped(m_batches.loader(), m_skippedTrain);
    requireFolder();
  }
  if (telemetry.alsSteps > 0 && m_at.step % telemetry.alsSteps == 0) measureHeadMetrics();
  if (m_at.step - m_lastAttempt >= m_parts.experiment.training.checkpointSteps) trySaving();
}

void Trainer::tell(const StepMetrics& metrics) {
  if (m_at.step % m_parts.experiment.telemetry.metricsSteps == 0) m_recorder.step(metrics);
  m_control.publish([&](TrainingUpdate& update) {
    update.steps.push_back(metrics.point);
    update.progress = progress();
    update.epoch = m_at.epoch;
  });
}

/// Validation and the checkpoints that follow it. False when stopped: the position then says that
/// the epoch is trained but not validated.
bool Trainer::endEpoch(std::stop_token stop) {
  reportSkipped(m_batches.loader(), m_skippedTrain);
  reportSkippedSteps();
  if (agreed(stop.stop_requested())) return false;
  // Weights are kept only beside a checkpoint: where there are some and it is missing, it was lost.
  if (m_recorder.savedStep() < 0) trySaving();
  setState(TrainingState::Validating);
  EpochPoint point;
  const auto result = validate(stop, point);
  if (!result && result.error().code == ErrorCode::Canceled) return false;
  if (!result) failOnData(result.error());
  reportSkipped(m_validation.loader(), m_skippedValidation);
  const double learningRate =
      m_steps.schedule().learningRate(std::max<std::int64_t>(m_at.step, 1) - 1);
  m_recorder.epoch(point, learningRate, secondsSince(m_epochStarted));
  m_lastTop1 = point.top1;
  drawMaps();
  ++m_at.epoch;
  m_at.batch = 0;
  m_at.lossSum = 0;
  m_at.lossSteps = 0;
  trySaving();
  m_control.publish([&](TrainingUpdate& update) {
    update.epochPoints.push_back(point);
    update.epoch = m_at.epoch;
    update.state = TrainingState::Running;
  });
  return true;
}

/// Measures, and saves what is to be kept, with the moving average in the model where there is one.
Result<EvaluationResult> Trainer::validate(std::stop_token stop, EpochPoint& point) {
  Result<EvaluationResult> result = EvaluationResult();
  m_steps.average().withAverages([&] {
    EvaluationOptions options;
    options.device = m_parts.device;
    options.precision = precision();
    result = evaluateModel(*m_parts.model, m_validation, options, {}, stop);
    if (!result) return;
    point.epoch = m_at.epoch + 1;
    point.step = m_at.step;
    point.trainLoss = m_at.lossSum / static_cast<double>(std::max<std::int64_t>(m_at.lossSteps, 1));
    point.validationLoss = result->loss;
    point.top1 = result->top1;
    point.top5 = result->top5;
    point.best = point.top1 > m_at.bestTop1;
    const TrainingCheckpoint weights = checkpoint();
    if (point.best) {
      m_recorder.saveWeights(kRunBest, weights);
      m_at.bestTop1 = point.top1;
    }
    const std::int64_t every = m_parts.experiment.training.keepEvery;
    if (every > 0 && point.epoch % every == 0)
      m_recorder.saveWeights(RunFolder::keptName(point.epoch), weights);
  });
  return result;
}

}  // namespace headlight
