// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/Trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/models/Registry.h"
#include "core/training/TaskEvaluation.h"
#include "core/training/TrainingLoaders.h"
#include "core/training/run/SentCheckpoint.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

/// What validation measured, as the point of an epoch has it.
void addMeasured(EpochPoint& point, const EvaluationResult& result) {
  point.validationLoss = result.loss;
  point.top1 = result.top1;
  point.top5 = result.top5;
  point.ap = result.ap;
  point.ap50 = result.ap50;
  point.ap75 = result.ap75;
  point.rebuilt = result.rebuilt;
  point.miou = result.miou;
  point.macc = result.macc;
  point.pacc = result.pacc;
}

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Batch norms that each process keeps for itself follow process 0, whose weights are kept: what is
/// measured is then of one model. All others are alike already.
void shareStatistics(Model& model, Processes& processes) {
  if (!normsApart(model.config())) return;
  const at::NoGradGuard noGrad;
  for (const auto& item : model.named_buffers(/*recurse=*/true)) {
    if (!item.value().is_floating_point()) continue;
    at::Tensor shared = item.value().to(at::kCPU).contiguous();
    processes.broadcast(shared);
    item.value().copy_(shared);
  }
}

}  // namespace

Trainer::Trainer(TrainerParts parts, RunFolder folder, RunControl& control, MaskEditQueue& ledger)
    : m_parts(std::move(parts)),
      m_control(control),
      m_ledger(ledger),
      m_recorder(
          std::move(folder), m_parts.run,
          [&control](const std::string& message) { publishWarning(control, message); }, !isFirst(),
          taskOf(m_parts.experiment.model)),
      m_batches(trainingLoader(m_parts), m_parts.processes),
      m_validation(validationLoader(m_parts), m_parts.processes),
      m_steps(m_parts.model, m_parts.device, m_parts.experiment.training,
              static_cast<std::uint64_t>(m_parts.experiment.seed), m_batches.perEpoch(),
              m_parts.teacher, m_parts.processes, m_parts.teacherRows),
      m_telemetry(context()),
      m_checkpoints(context(), m_telemetry) {
  const TelemetryConfig& telemetry = m_parts.experiment.telemetry;
  if (telemetry.tensorboard && isFirst()) m_recorder.keepEvents();
  if (telemetry.evolutionMegabytes > 0 && telemetry.alsSteps > 0 && isFirst())
    m_recorder.keepMaps(std::llround(telemetry.evolutionMegabytes * 1e6), telemetry.alsSteps);
}

TrainerContext Trainer::context() {
  return {m_parts, m_control, m_ledger, m_recorder, m_steps, m_at};
}

EvaluationOptions Trainer::evaluation() const {
  EvaluationOptions options;
  options.device = m_parts.device;
  options.precision = precisionFromConfig(m_parts.experiment.training.precision);
  return options;
}

void Trainer::restore(const TrainingCheckpoint& saved) {
  m_checkpoints.restore(saved, m_batches.perEpoch());
  m_telemetry.noteSkippedSteps();
  m_restored = true;
}

void Trainer::share() {
  if (!m_parts.processes) return;
  if (isFirst())
    sendCheckpoint(*m_parts.processes, m_checkpoints.whole());
  else
    restore(receiveCheckpoint(*m_parts.processes));
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
    m_telemetry.keepLastMaps();
    return outcome(TrainingState::Finished);
  } catch (const std::exception& exception) {
    m_ledger.close();
    m_telemetry.setState(TrainingState::Failed, failureMessage(exception));
    if (m_parts.processes) m_parts.processes->fail(failureMessage(exception));
    throw;
  }
}

/// False when stopped.
bool Trainer::prepare(std::stop_token stop) {
  m_parts.model->train();
  m_steps.announce(m_at.step);
  m_telemetry.setState(TrainingState::Preparing, "reading the first images");
  if (isFirst()) m_telemetry.openProbe();
  if (!m_restored) {
    m_telemetry.measureHeadMetrics();
    m_telemetry.drawMaps();
  }
  if (m_at.step == 0 && !validateStart(stop)) return false;
  m_checkpoints.noteStart();
  m_telemetry.startClock();
  m_telemetry.setState(TrainingState::Running);
  return true;
}

/// How good the weights are before the first step: what all that follows is compared with. Draws no
/// random number and changes nothing of the model. False when stopped: who goes on begins here.
bool Trainer::validateStart(std::stop_token stop) {
  if (agreed(stop.stop_requested())) return false;
  m_telemetry.setState(TrainingState::Preparing, "validating the starting weights");
  const auto result = measure(stop);
  if (!result && result.error().code == ErrorCode::Canceled) return false;
  if (!result) m_checkpoints.failOnData(result.error());
  EpochPoint start;
  start.trainLoss = std::numeric_limits<double>::quiet_NaN();
  addMeasured(start, *result);
  m_startScore = start.quality();
  m_telemetry.start(start);
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
    if (!batch) m_checkpoints.failOnData(batch.error());
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
    m_telemetry.setState(TrainingState::Paused);
    m_checkpoints.trySaving();
    while (m_control.paused() && !stop.stop_requested()) {
      m_control.waitWhilePaused(stop);
      serve();
    }
    m_telemetry.startClock();
    m_stepEnded = Clock::now();
    if (!stop.stop_requested()) m_telemetry.setState(TrainingState::Running);
  }
  return !stop.stop_requested();
}

void Trainer::serve() {
  applyEdits();
  if (m_control.takeSnapshotRequest()) m_checkpoints.sendSnapshot();
}

void Trainer::applyEdits() {
  while (auto pending = m_ledger.next(m_at.step)) {
    MaskScheme scheme = m_ledger.masks();
    valueOrThrow(applyMaskEdit(scheme, pending->edit.edit));
    m_parts.model->setMasks(scheme);
    m_steps.refreshParameters();
    m_ledger.commit(*pending);
    m_telemetry.edit({m_at.step, pending->edit.edit});
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
  StepMetrics reported{{m_at.step, result.loss, result.learningRate, images / seconds,
                        result.distillationLoss, result.auxiliaryLoss},
                       m_at.epoch,
                       result.gradientNorm,
                       m_steps.schedule().totalSteps()};
  reported.point.skipped = result.skipped;
  reported.point.classLoss = result.classLoss;
  reported.point.overlapLoss = result.overlapLoss;
  reported.point.sideLoss = result.sideLoss;
  reported.point.maskLoss = result.maskLoss;
  reported.point.diceLoss = result.diceLoss;
  if (m_steps.lossScale().on()) reported.lossScale = m_steps.lossScale().state();
  m_telemetry.step(reported);
  if (m_at.step % telemetry.metricsSteps == 0) {
    m_telemetry.reportSkippedTraining(m_batches.loader());
    m_checkpoints.requireFolder();
  }
  // The last step is measured in any case: curves and evolution end where the run does.
  const bool last = m_at.step == m_steps.schedule().totalSteps();
  if (telemetry.alsSteps > 0 && (last || m_at.step % telemetry.alsSteps == 0))
    m_telemetry.measureHeadMetrics();
  if (m_checkpoints.isDue()) m_checkpoints.trySaving();
}

/// Validation and the checkpoints that follow it. False when stopped: the position then says that
/// the epoch is trained but not validated.
bool Trainer::endEpoch(std::stop_token stop) {
  m_telemetry.reportSkippedTraining(m_batches.loader());
  m_telemetry.reportSkippedSteps();
  if (agreed(stop.stop_requested())) return false;
  // Weights are kept only beside a checkpoint: where there are some and it is missing, it was lost.
  if (m_recorder.savedStep() < 0) m_checkpoints.trySaving();
  m_telemetry.setState(TrainingState::Validating);
  EpochPoint point;
  const auto result = validate(stop, point);
  if (!result && result.error().code == ErrorCode::Canceled) return false;
  if (!result) m_checkpoints.failOnData(result.error());
  m_telemetry.reportSkippedValidation(m_validation.loader());
  const double learningRate =
      m_steps.schedule().learningRate(std::max<std::int64_t>(m_at.step, 1) - 1);
  m_telemetry.recordEpoch(point, learningRate, secondsSince(m_epochStarted));
  m_lastScore = point.quality();
  m_telemetry.drawMaps();
  ++m_at.epoch;
  m_at.batch = 0;
  m_at.lossSum = 0;
  m_at.lossSteps = 0;
  m_checkpoints.trySaving();
  m_telemetry.publishEpoch(point);
  return true;
}

Result<EvaluationResult> Trainer::measure(std::stop_token stop) {
  if (m_parts.processes) shareStatistics(*m_parts.model, *m_parts.processes);
  return evaluateByTask(*m_parts.model, m_validation, evaluation(), {}, stop);
}

/// Measures, and saves what is to be kept, with the moving average in the model where there is one.
Result<EvaluationResult> Trainer::validate(std::stop_token stop, EpochPoint& point) {
  Result<EvaluationResult> result = EvaluationResult();
  m_steps.average().withAverages([&] {
    result = measure(stop);
    if (!result) return;
    point.epoch = m_at.epoch + 1;
    point.step = m_at.step;
    point.trainLoss = m_at.lossSum / static_cast<double>(std::max<std::int64_t>(m_at.lossSteps, 1));
    addMeasured(point, *result);
    point.best = point.quality() > m_at.bestScore;
    const TrainingCheckpoint weights = m_checkpoints.current();
    if (point.best) {
      m_recorder.saveWeights(kRunBest, weights);
      m_at.bestScore = point.quality();
    }
    const std::int64_t every = m_parts.experiment.training.keepEvery;
    if (every > 0 && point.epoch % every == 0)
      m_recorder.saveWeights(RunFolder::keptName(point.epoch), weights);
  });
  return result;
}

TrainingOutcome Trainer::outcome(TrainingState state) {
  m_ledger.close();
  m_checkpoints.complete(state);
  m_telemetry.setState(state);
  TrainingOutcome result;
  result.state = state;
  result.steps = m_at.step;
  result.scoreName = scoreNames(taskOf(m_parts.experiment.model)).front().name;
  result.bestScore = std::max(m_at.bestScore, 0.0);
  result.startScore = m_startScore;
  result.lastScore = m_lastScore;
  result.last = m_recorder.folder().last();
  if (m_at.bestScore >= 0) result.best = m_recorder.folder().best();
  return result;
}

}  // namespace headlight
