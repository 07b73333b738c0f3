#include "core/training/sequence/SequenceTrainer.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/Log.h"
#include "core/base/Random.h"
#include "core/data/DataStamp.h"
#include "core/training/run/RunFailures.h"
#include "core/training/run/Surroundings.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/sequence/SequenceEvaluation.h"
#include "core/training/step/Divergence.h"

namespace headlight {
namespace {

constexpr std::uint64_t kSequenceStep = 0x73657173746570ULL;  // "seqstep"
constexpr std::uint64_t kSequenceDraw = 0x73657164726177ULL;  // "seqdraw"
constexpr std::int64_t kLoggedSteps = 10;                     ///< between lines of metrics.jsonl
constexpr double kSecondsBetweenReadings = 0.1;               ///< of a validation that goes on

ScheduleOptions scheduleOptions(const SequenceTrainingConfig& config) {
  ScheduleOptions options;
  options.peak = config.learningRate;
  options.minimum = config.minLearningRate;
  options.start =
      config.learningRate / static_cast<double>(std::max<std::int64_t>(config.warmupSteps, 1));
  options.totalSteps = config.steps;
  options.warmupSteps = config.warmupSteps;
  return options;
}

}  // namespace

SequenceTrainer::SequenceTrainer(SequenceTrainerParts parts, RunFolder folder)
    : m_parts(std::move(parts)),
      m_folder(std::move(folder)),
      m_log(m_folder.files(), m_parts.run),
      m_debts(m_folder.files(), m_log.logs(), logWarning),
      m_schedule(scheduleOptions(m_parts.experiment.training)),
      m_optimizer(AdamWOptions{.weightDecay = m_parts.experiment.training.weightDecay}) {
  m_optimizer.setParameters(m_parts.model->trainable(), SequenceModel::decays);
  m_at.trainSequences = m_parts.train->size();
  m_stamp = m_parts.train->stamp();
}

void SequenceTrainer::restore(const SequenceFile& saved) {
  const std::string where = m_folder.last().string();
  if (!saved.position)
    throw Failure({ErrorCode::InvalidFile,
                   "carries no training position; it is damaged or was not written by a training",
                   where});
  m_at = *saved.position;
  if (m_at.step > m_parts.experiment.training.steps || m_at.validatedStep > m_at.step)
    throw Failure({ErrorCode::InvalidFile,
                   "its position lies beyond the end of the run; the file is damaged", where});
  copyExactly(m_parts.model->trainable(), saved.weights, where);
  m_optimizer.load(saved.optimizer, where);
  m_trainBits = m_at.meanBits();
  m_saved = m_tried = m_at.step;
  m_savedValidation = m_at.validatedStep;
  if (m_at.trainSequences != m_parts.train->size())
    logWarning("the data has " + std::to_string(m_parts.train->size()) +
               " sequences to train on; it had " + std::to_string(m_at.trainSequences) +
               " when the run began. It goes on, but not exactly as it would have");
  for (const std::string& note :
       {stampNote(saved.trainStamp, m_stamp, "training"),
        surroundingsNote(saved.computedWith, surroundings(m_parts.device))})
    if (!note.empty()) logWarning(note);
  m_folder.noteCheckpoint(m_at.step);
  m_debts.takeOver(saved.owed, saved.unwritten);
  valueOrThrow(m_log.cutTo(m_at));
}

void SequenceTrainer::restart() {
  SequencePosition before;
  before.step = before.validatedStep = -1;
  valueOrThrow(m_log.cutTo(before));
}

SequenceOutcome SequenceTrainer::run(const OnReading& onReading, std::stop_token stop) {
  const std::int64_t steps = m_parts.experiment.training.steps;
  m_parts.model->train();
  m_remaining.start(m_at.step);
  m_since = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    if (validationIsDue() && m_saved < 0) saveBeforeTheFirst();
    if (validationIsDue() && !validate(onReading, stop)) break;
    saveIfDue();  // after the validation: what it finds is then saved with the step
    if (m_at.step >= steps) break;
    const auto bytes = batch(stop);
    if (stop.stop_requested()) break;
    if (!bytes) failOnData(bytes.error());
    step(*bytes, onReading);
  }
  SequenceOutcome outcome;
  outcome.finished = m_at.step >= steps && !validationIsDue();
  if (m_saved != m_at.step || m_savedValidation != m_at.validatedStep || m_debts.any())
    saveLastOrFail(outcome.finished ? "the run finished" : "the run stopped");
  if (outcome.finished) valueOrThrow(m_debts.requireNone());
  outcome.steps = m_at.step;
  outcome.bestBits = m_at.bestBits;
  outcome.last = m_folder.last();
  if (m_at.bestBits) outcome.best = m_folder.best();
  return outcome;
}

bool SequenceTrainer::validationIsDue() const {
  const SequenceTrainingConfig& training = m_parts.experiment.training;
  return m_at.step > m_at.validatedStep &&
         (m_at.step % training.evaluateSteps == 0 || m_at.step == training.steps);
}

void SequenceTrainer::saveIfDue() {
  if (m_at.step - m_tried >= m_parts.experiment.training.checkpointSteps) save();
}

/// Weights are kept only beside a checkpoint: where there are some and it is missing, it was lost.
/// The one that follows the validation is due as before.
void SequenceTrainer::saveBeforeTheFirst() {
  const std::int64_t tried = m_tried;
  save();
  m_tried = tried;
}

void SequenceTrainer::save() {
  if (const auto saved = saveLast(); !saved)
    logWarning(checkpointWarning(m_at.step, m_saved, m_parts.experiment.training.checkpointSteps,
                                 saved.error()));
}

/// Turns the progress of a validation into readings: the first at once, then a few a second.
ProgressCallback SequenceTrainer::tellValidating(const OnReading& onReading) const {
  if (!onReading) return {};
  using Clock = std::chrono::steady_clock;
  return [this, &onReading,
          told = std::optional<Clock::time_point>()](const Progress& progress) mutable {
    const auto now = Clock::now();
    if (told && std::chrono::duration<double>(now - *told).count() < kSecondsBetweenReadings)
      return;
    told = now;
    const std::int64_t steps = m_parts.experiment.training.steps;
    SequenceReading reading{m_at.step, steps, m_trainBits, std::nullopt,
                            m_remaining.secondsRemaining(m_at.step, steps)};
    reading.validating = true;
    reading.validationFraction =
        static_cast<double>(progress.done) / static_cast<double>(progress.total);
    onReading(reading);
  };
}

void SequenceTrainer::requireFiniteStep(const std::string& what, double value) const {
  requireFinite(what, value, m_at.step,
                m_saved >= 0 ? "the last checkpoint is from before it" : "nothing is saved yet",
                "training.warmup_steps");
}

/// False where it was stopped: the position then says that this step is not validated.
bool SequenceTrainer::validate(const OnReading& onReading, std::stop_token stop) {
  const SequenceTrainingConfig& training = m_parts.experiment.training;
  SequenceEvaluation options;
  options.samples = training.evaluateSamples;
  options.batchSize = std::min(training.batchSize, kMostEvaluatedTogether);
  options.device = m_parts.device;
  const auto score = evaluateSequences(*m_parts.model, *m_parts.validation, options,
                                       tellValidating(onReading), stop);
  if (!score && score.error().code == ErrorCode::Canceled) return false;
  if (!score) failOnData(score.error());
  if (score->skipped > 0)
    logWarning(std::to_string(score->skipped) + " of " +
               std::to_string(score->skipped + score->sequences) +
               " validation pictures cannot be read and were skipped");
  requireFiniteStep("validation", score->bits);
  SequenceValidation done;
  done.step = m_at.step;
  done.validationBits = score->bits;
  done.trainBits = m_at.meanBits();
  done.learningRate = m_schedule.learningRate(m_at.step - 1);
  done.best = !m_at.bestBits || score->bits < *m_at.bestBits;
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_since).count();
  if (done.best) {
    m_debts.write(sequenceFileContent(kRunBest, file(/*withTraining=*/false)));
    m_at.bestBits = score->bits;
  }
  m_debts.noteLog(m_log.validation(done));
  m_at.validatedStep = m_at.step;
  m_at.bitsSum = 0;
  m_at.bitsSteps = 0;
  m_since = std::chrono::steady_clock::now();
  if (onReading)
    onReading({m_at.step, training.steps, done.trainBits, done.validationBits,
               m_remaining.secondsRemaining(m_at.step, training.steps)});
  return true;
}

/// [B, T] uint8: the sequences of the step that comes. Errors: Canceled, those of the data.
Result<at::Tensor> SequenceTrainer::batch(const std::stop_token& stop) const {
  const auto seed = static_cast<std::uint64_t>(m_parts.experiment.seed);
  const std::int64_t size = m_parts.experiment.training.batchSize;
  std::vector<ByteSequence> sequences;
  for (std::int64_t i = 0; i < size; ++i) {
    if (stop.stop_requested()) return Error{ErrorCode::Canceled, "stopped while reading", ""};
    auto drawn = m_parts.train->draw(streamKey({seed, kSequenceDraw}), m_at.step * size + i);
    if (!drawn) return drawn.error();
    sequences.push_back(std::move(*drawn));
  }
  return byteTensor(sequences);
}

void SequenceTrainer::failOnData(const Error& error) {
  throw dataFailure(error, m_at.step, saveLast());
}

void SequenceTrainer::step(const at::Tensor& drawn, const OnReading& onReading) {
  const SequenceTrainingConfig& training = m_parts.experiment.training;
  const auto seed = static_cast<std::uint64_t>(m_parts.experiment.seed);
  const at::Tensor bytes = drawn.to(m_parts.device);
  m_optimizer.clearGradients();
  const at::Tensor logits = [&] {
    const auto random = holdTorchRandom();
    seedTorch(streamKey({seed, kSequenceStep, static_cast<std::uint64_t>(m_at.step)}));
    return m_parts.model->forward(bytes);
  }();
  const at::Tensor bits = sequenceBits(logits, bytes);
  (bits * std::log(2.0)).backward();  // the cross-entropy
  SequenceStepMetrics metrics;
  metrics.bits = bits.item<double>();
  metrics.gradientNorm = m_optimizer.gradientNorm().item<double>();
  metrics.learningRate = m_schedule.learningRate(m_at.step);
  requireFiniteStep("loss", metrics.bits);
  requireFiniteStep("gradient", metrics.gradientNorm);
  m_optimizer.step(metrics.learningRate,
                   clippingScale(metrics.gradientNorm, training.clipGradient));
  m_optimizer.clearGradients();
  metrics.step = ++m_at.step;
  m_trainBits = metrics.bits;
  m_at.bitsSum += metrics.bits;
  ++m_at.bitsSteps;
  if (m_at.step % kLoggedSteps == 0 || m_at.step == 1) {
    requireFolder();
    m_debts.noteLog(m_log.step(metrics));
  }
  if (onReading)
    onReading({m_at.step, training.steps, metrics.bits, std::nullopt,
               m_remaining.secondsRemaining(m_at.step, training.steps)});
}

SequenceFile SequenceTrainer::file(bool withTraining) const {
  SequenceFile saved;
  saved.experiment = m_parts.experiment;
  saved.weights = m_parts.model->trainable();
  saved.run = m_parts.run;
  if (!withTraining) return saved;
  saved.position = m_at;
  saved.optimizer = m_optimizer.state();
  saved.trainStamp = m_stamp;
  saved.computedWith = surroundings(m_parts.device);
  saved.owed = m_debts.files();
  saved.unwritten = m_debts.lines();
  return saved;
}

Result<void> SequenceTrainer::saveLast() {
  m_tried = m_at.step;
  requireFolder();
  // Lines up to here must be on the disk before a checkpoint says that they are.
  m_debts.settle();
  auto written = writeSequenceFile(m_folder.files(), kRunLast, file(/*withTraining=*/true));
  if (!written) return written;
  m_saved = m_at.step;
  m_savedValidation = m_at.validatedStep;
  m_folder.noteCheckpoint(m_saved);
  return written;
}

/// At the end of a run nothing will try again: not being able to save is an error.
void SequenceTrainer::saveLastOrFail(const std::string& occasion) {
  if (const auto saved = saveLast(); !saved)
    throw lastCheckpointFailure(occasion, m_at.step, m_saved, saved.error());
}

/// A folder that was deleted takes the run with it.
void SequenceTrainer::requireFolder() const {
  if (m_folder.files().isGone()) throw Failure(m_folder.goneError(m_at.step, m_saved));
}

}  // namespace headlight
