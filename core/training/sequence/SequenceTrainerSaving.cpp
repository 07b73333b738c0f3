// SPDX-License-Identifier: GPL-3.0-or-later

// SequenceTrainer, continued: checkpoints, and going on from them.

#include "core/base/Log.h"
#include "core/data/files/DataStamp.h"
#include "core/training/run/RunFailures.h"
#include "core/training/run/RuntimeEnvironment.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/sequence/SequenceTrainer.h"

namespace headlight {

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
  m_average.load(saved.average, where);
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

SequenceFile SequenceTrainer::file(bool withTraining) const {
  SequenceFile saved;
  saved.experiment = m_parts.experiment;
  saved.weights = m_parts.model->trainable();
  saved.run = m_parts.run;
  if (!withTraining) return saved;
  saved.position = m_at;
  saved.optimizer = m_optimizer.state();
  saved.average = m_average.state();
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

void SequenceTrainer::failOnData(const Error& error) {
  throw dataFailure(error, m_at.step, saveLast());
}

/// A folder that was deleted takes the run with it.
void SequenceTrainer::requireFolder() const {
  if (m_folder.files().isGone()) throw Failure(m_folder.goneError(m_at.step, m_saved));
}

}  // namespace headlight
