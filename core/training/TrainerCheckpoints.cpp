// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/TrainerCheckpoints.h"

#include <utility>
#include <vector>

#include "core/base/Translation.h"
#include "core/data/files/DataStamp.h"
#include "core/training/run/RunFailures.h"
#include "core/training/run/RuntimeEnvironment.h"
#include "core/training/tuning/Adapters.h"

namespace headlight {

void TrainerCheckpoints::sendSnapshot() const {
  if (m_sink) m_sink(m_on.parts.model->state(), m_on.at.step);
}

TrainingCheckpoint TrainerCheckpoints::current() const {
  TrainingCheckpoint saved;
  saved.experiment = m_on.ledger.exported();
  saved.editsApplied = m_on.ledger.applied();
  saved.masks = m_on.ledger.masks();
  saved.classNames = m_on.parts.train->classNames();
  saved.trainImages = m_on.parts.train->size();
  saved.validationImages = m_on.parts.validation->size();
  saved.teacherFingerprint = m_on.parts.teacherFingerprint;
  saved.trainStamp = m_on.parts.trainStamp;
  saved.validationStamp = m_on.parts.validationStamp;
  saved.computedWith = surroundings(m_on.parts.device);
  saved.run = m_on.parts.run;
  saved.position = m_on.at;
  saved.progress = m_on.parts.model->progress();
  saved.learned = m_on.parts.model->learnedAlphas();
  saved.weights = m_on.parts.model->state();
  return saved;
}

void TrainerCheckpoints::restore(const TrainingCheckpoint& saved, std::int64_t batchesPerEpoch) {
  const std::string where = m_on.recorder.folder().last().string();
  const TrainingPosition& at = saved.position;
  if (at.epoch > m_on.parts.experiment.training.epochs || at.batch > batchesPerEpoch)
    throw Failure({ErrorCode::InvalidFile,
                   tr("its position is beyond the end of the run: the dataset is smaller than it "
                      "was, or the file is damaged"),
                   where});
  reportChanges(saved);
  if (saved.classNames != m_on.parts.train->classNames())
    throw Failure({ErrorCode::InvalidFile,
                   tr("the classes of the dataset changed since the run began; restore the dataset "
                      "or start a new run"),
                   where});
  if (!saved.teacherFingerprint.empty() &&
      saved.teacherFingerprint != m_on.parts.teacherFingerprint)
    throw Failure({ErrorCode::InvalidFile,
                   tr("the teacher's files (training.teacher, training.teacher_weights, "
                      "data.teacher_logits) changed since the run began: ") +
                       m_on.parts.teacherFingerprint + tr(" instead of ") +
                       saved.teacherFingerprint + tr("; restore them, or start a new run"),
                   where});
  // The edits one by one, as they came: in older files only they tell which parameters there are.
  for (std::size_t i = 0; i < saved.editsApplied; ++i) {
    auto pending = m_on.ledger.next(saved.experiment.edits[i].step);
    if (!pending)
      throw Failure({ErrorCode::InvalidFile, tr("its mask edits are out of order"), where});
    m_on.ledger.commit(*pending);
    m_on.parts.model->setMasks(m_on.ledger.masks());
  }
  if (!saved.learned.empty()) m_on.parts.model->setLearnedAlphas(saved.learned);
  attachBottlenecks(*m_on.parts.model, saved.weights);  // those that its starting weights had
  m_on.steps.announce(at.step);
  m_on.steps.refreshParameters();
  copyExactly(m_on.parts.model->state(), saved.weights, where);
  m_on.steps.optimizer().load(saved.optimizer, where);
  m_on.steps.average().load(saved.average, where);
  if (saved.lossScale) m_on.steps.lossScale().load(*saved.lossScale);
  m_on.at = at;
  m_editsSaved = saved.editsApplied;
  valueOrThrow(m_on.recorder.cutBack(&saved));
}

/// What does not keep the run from going on, but from going on exactly.
void TrainerCheckpoints::reportChanges(const TrainingCheckpoint& saved) {
  const std::int64_t train = m_on.parts.train->size(), validation = m_on.parts.validation->size();
  std::vector<std::string> notes;
  if (saved.trainImages != train || saved.validationImages != validation) {
    notes.push_back(
        "the dataset has " + std::to_string(train) + " + " + std::to_string(validation) +
        " images; it had " + std::to_string(saved.trainImages) + " + " +
        std::to_string(saved.validationImages) +
        " when the run began. The run continues, but not exactly as without the change");
  } else {
    notes = {stampNote(saved.trainStamp, m_on.parts.trainStamp, "training"),
             stampNote(saved.validationStamp, m_on.parts.validationStamp, "validation")};
  }
  notes.push_back(surroundingsNote(saved.computedWith, surroundings(m_on.parts.device)));
  for (const std::string& note : notes)
    if (!note.empty()) m_telemetry.warn(note);
}

void TrainerCheckpoints::restart() {
  valueOrThrow(m_on.recorder.cutBack(nullptr));
}

/// With all that a run goes on from.
TrainingCheckpoint TrainerCheckpoints::whole() const {
  TrainingCheckpoint now = current();
  for (const auto& item : m_on.steps.optimizer().state())
    now.optimizer.push_back(item);
  now.average = m_on.steps.average().state();
  if (m_on.steps.lossScale().on()) now.lossScale = m_on.steps.lossScale().state();
  return now;
}

bool TrainerCheckpoints::isDue() const {
  return m_on.at.step - m_lastAttempt >= m_on.parts.experiment.training.checkpointSteps;
}

/// Where it fails, the older checkpoint is intact and the next interval tries again.
Result<void> TrainerCheckpoints::saveLast() {
  m_lastAttempt = m_on.at.step;
  requireFolder();
  TrainingCheckpoint now = whole();
  const std::size_t applied = now.editsApplied;
  m_saved = m_on.recorder.saveLast(std::move(now));
  if (m_saved)
    m_editsSaved = applied;
  else
    m_telemetry.warn(checkpointWarning(m_on.at.step, m_on.recorder.savedStep(),
                                       m_on.parts.experiment.training.checkpointSteps,
                                       m_saved.error()));
  return m_saved;
}

/// A folder that was deleted takes the run with it: what is trained from here on could not be kept.
/// Who watches gets the newest weights first.
void TrainerCheckpoints::requireFolder() const {
  if (!m_on.recorder.folder().files().isGone()) return;
  sendSnapshot();
  throw Failure(m_on.recorder.folder().goneError(m_on.at.step, m_on.recorder.savedStep()));
}

void TrainerCheckpoints::saveAnew(RunFolder folder) const {
  valueOrThrow(folder.writeConfig(experimentToJson(m_on.parts.experiment), m_on.parts.run));
  RunRecorder recorder(std::move(folder), m_on.parts.run, [](const std::string&) {});
  TrainingCheckpoint now = whole();
  now.position.bestScore = -1;  // the weights that it was of are gone
  valueOrThrow(recorder.saveLast(std::move(now)));
}

/// At the end of a run nothing will try again: not being able to save is an error.
void TrainerCheckpoints::saveLastOrFail(const std::string& occasion) {
  if (const auto saved = saveLast(); !saved)
    throw lastCheckpointFailure(occasion, m_on.at.step, m_on.recorder.savedStep(), saved.error());
}

void TrainerCheckpoints::failOnData(const Error& error) {
  throw dataFailure(error, m_on.at.step, saveLast());
}

void TrainerCheckpoints::complete(TrainingState state) {
  const bool unsaved = m_on.recorder.savedStep() != m_on.at.step || !m_saved ||
                       m_editsSaved != m_on.ledger.applied() || m_on.recorder.owes();
  if (unsaved)
    saveLastOrFail(state == TrainingState::Finished ? "the run finished" : "the run stopped");
  const auto complete = m_on.recorder.requireComplete();
  if (!complete && state == TrainingState::Finished) throw Failure(complete.error());
  sendSnapshot();
}

}  // namespace headlight
