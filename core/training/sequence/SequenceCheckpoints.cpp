// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SequenceCheckpoints.h"

#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/data/files/DataStamp.h"
#include "core/training/run/RunFailures.h"
#include "core/training/run/RuntimeEnvironment.h"
#include "core/training/run/TrainingCheckpoint.h"

namespace headlight {

SequenceCheckpoints::SequenceCheckpoints(const SequenceContext& on, RunFolder folder)
    : m_on(on),
      m_silent(on.parts.processes && !on.parts.processes->isFirst()),
      m_folder(std::move(folder)),
      m_log(m_folder.files(), on.parts.run),
      m_debts(m_folder.files(), m_log.logs(), logWarning),
      m_stamp(on.parts.train->stamp()) {}

void SequenceCheckpoints::restore(const SequenceFile& saved) {
  const std::string where = m_folder.last().string();
  if (!saved.position)
    throw Failure(
        {ErrorCode::InvalidFile,
         tr("contains no training position; it is damaged or was not written by a training run"),
         where});
  m_on.at = *saved.position;
  if (m_on.at.step > m_on.parts.experiment.training.steps || m_on.at.validatedStep > m_on.at.step)
    throw Failure({ErrorCode::InvalidFile,
                   tr("its position is beyond the end of the run; the file is damaged"), where});
  copyExactly(m_on.parts.model->trainable(), saved.weights, where);
  m_on.optimizer.load(saved.optimizer, where);
  m_on.average.load(saved.average, where);
  m_saved = m_tried = m_on.at.step;
  m_savedValidation = m_on.at.validatedStep;
  if (m_silent) return;
  reportChanges(saved);
  m_folder.noteCheckpoint(m_on.at.step);
  m_debts.takeOver(saved.owed, saved.unwritten);
  valueOrThrow(m_log.cutTo(m_on.at));
}

void SequenceCheckpoints::reportChanges(const SequenceFile& saved) const {
  if (m_on.at.trainSequences != m_on.parts.train->size())
    logWarning("the data has " + std::to_string(m_on.parts.train->size()) +
               " sequences to train on; it had " + std::to_string(m_on.at.trainSequences) +
               " when the run began. The run continues, but not exactly as without the change");
  for (const std::string& note :
       {stampNote(saved.trainStamp, m_stamp, "training"),
        surroundingsNote(saved.computedWith, surroundings(m_on.parts.device))})
    if (!note.empty()) logWarning(note);
}

void SequenceCheckpoints::restart() {
  SequencePosition before;
  before.step = before.validatedStep = -1;
  valueOrThrow(m_log.cutTo(before));
}

void SequenceCheckpoints::saveBest() {
  if (!m_silent) m_debts.write(sequenceFileContent(kRunBest, file(/*withTraining=*/false)));
}

void SequenceCheckpoints::saveIfDue() {
  if (m_on.at.step - m_tried >= m_on.parts.experiment.training.checkpointSteps) save();
}

void SequenceCheckpoints::saveBeforeTheFirst() {
  const std::int64_t tried = m_tried;
  save();
  m_tried = tried;
}

void SequenceCheckpoints::save() {
  if (const auto saved = saveLast(); !saved)
    logWarning(checkpointWarning(m_on.at.step, m_saved,
                                 m_on.parts.experiment.training.checkpointSteps, saved.error()));
}

SequenceFile SequenceCheckpoints::file(bool withTraining) const {
  SequenceFile saved;
  saved.experiment = m_on.parts.experiment;
  saved.weights = m_on.parts.model->trainable();
  saved.run = m_on.parts.run;
  if (!withTraining) return saved;
  saved.position = m_on.at;
  saved.optimizer = m_on.optimizer.state();
  saved.average = m_on.average.state();
  saved.trainStamp = m_stamp;
  saved.computedWith = surroundings(m_on.parts.device);
  saved.owed = m_debts.files();
  saved.unwritten = m_debts.lines();
  return saved;
}

Result<void> SequenceCheckpoints::saveLast() {
  m_tried = m_on.at.step;
  if (auto written = m_silent ? Result<void>() : writeLast(); !written) return written;
  m_saved = m_on.at.step;
  m_savedValidation = m_on.at.validatedStep;
  return {};
}

Result<void> SequenceCheckpoints::writeLast() {
  requireFolder();
  // Lines up to here must be on the disk before a checkpoint says that they are.
  m_debts.settle();
  auto written = writeSequenceFile(m_folder.files(), kRunLast, file(/*withTraining=*/true));
  if (written) m_folder.noteCheckpoint(m_on.at.step);
  return written;
}

/// At the end of a run nothing will try again: not being able to save is an error.
void SequenceCheckpoints::complete(bool finished) {
  if (m_saved != m_on.at.step || m_savedValidation != m_on.at.validatedStep || m_debts.any())
    if (const auto saved = saveLast(); !saved)
      throw lastCheckpointFailure(finished ? "the run finished" : "the run stopped", m_on.at.step,
                                  m_saved, saved.error());
  if (finished) valueOrThrow(m_debts.requireNone());
}

void SequenceCheckpoints::failOnData(const Error& error) {
  throw dataFailure(error, m_on.at.step, saveLast());
}

void SequenceCheckpoints::requireFolder() const {
  if (!m_silent && m_folder.files().isGone())
    throw Failure(m_folder.goneError(m_on.at.step, m_saved));
}

}  // namespace headlight
