// SPDX-License-Identifier: GPL-3.0-or-later

// Trainer, continued: checkpoints, going on from them, and what is told to those who watch.

#include <algorithm>
#include <utility>

#include "core/base/Text.h"
#include "core/data/files/DataStamp.h"
#include "core/training/ProbePictures.h"
#include "core/training/Trainer.h"
#include "core/training/run/RunFailures.h"
#include "core/training/run/RuntimeEnvironment.h"
#include "core/training/run/SentCheckpoint.h"

namespace headlight {
namespace {

/// Damaged files that are named one by one.
constexpr std::size_t kMaxNamedFiles = 20;
/// The longer side of a picture that is kept with its maps.
constexpr int kRecordedPixels = 224;

EvolutionBeginning recordedBeginning(const Model& model, const HeadProbe& probe,
                                     const MapRecorder& maps, const Preprocessing& preprocessing,
                                     const std::vector<std::string>& classNames,
                                     const std::string& run) {
  EvolutionBeginning beginning;
  beginning.run = run;
  beginning.meaning = model.mapMeaning();
  beginning.isSigned = model.mapIsSigned();
  beginning.rowsSumToOne = model.mapRowsSumToOne();
  beginning.layers = maps.layers();
  beginning.classNames = classNames;
  for (std::int64_t i = 0; i < std::min(probe.images(), kRecordedPictures); ++i) {
    const ProbeImage& image = probe.described()[static_cast<std::size_t>(i)];
    beginning.pictures.push_back({image.index, image.label, image.name,
                                  valueOrThrow(encodePng(seenImage(
                                      probe.imageTensor()[i], preprocessing, kRecordedPixels)))});
  }
  return beginning;
}

}  // namespace

TrainingCheckpoint Trainer::checkpoint() const {
  TrainingCheckpoint saved;
  saved.experiment = m_ledger.exported();
  saved.editsApplied = m_ledger.applied();
  saved.masks = m_ledger.masks();
  saved.classNames = m_parts.train->classNames();
  saved.trainImages = m_parts.train->size();
  saved.validationImages = m_parts.validation->size();
  saved.teacherFingerprint = m_parts.teacherFingerprint;
  saved.trainStamp = m_parts.trainStamp;
  saved.validationStamp = m_parts.validationStamp;
  saved.computedWith = surroundings(m_parts.device);
  saved.run = m_parts.run;
  saved.position = m_at;
  saved.progress = m_parts.model->progress();
  saved.learned = m_parts.model->learnedAlphas();
  saved.weights = m_parts.model->state();
  return saved;
}

void Trainer::restore(const TrainingCheckpoint& saved) {
  const std::string where = m_recorder.folder().last().string();
  const TrainingPosition& at = saved.position;
  if (at.epoch > m_parts.experiment.training.epochs || at.batch > m_batches.perEpoch())
    throw Failure({ErrorCode::InvalidFile,
                   "its position lies beyond the end of the run: the dataset is smaller than it "
                   "was, or the file is damaged",
                   where});
  tellChanges(saved);
  if (saved.classNames != m_parts.train->classNames())
    throw Failure({ErrorCode::InvalidFile,
                   "the classes of the dataset are not those the run began with; put the dataset "
                   "back or begin a new run",
                   where});
  if (!saved.teacherFingerprint.empty() && saved.teacherFingerprint != m_parts.teacherFingerprint)
    throw Failure({ErrorCode::InvalidFile,
                   "the teacher's files (training.teacher, training.teacher_weights) are not those "
                   "the run began with: " +
                       m_parts.teacherFingerprint + " instead of " + saved.teacherFingerprint +
                       "; put them back, or begin a new run",
                   where});
  // The edits one by one, as they came: in older files only they tell which parameters there are.
  for (std::size_t i = 0; i < saved.editsApplied; ++i) {
    auto pending = m_ledger.next(saved.experiment.edits[i].step);
    if (!pending) throw Failure({ErrorCode::InvalidFile, "its mask edits are out of order", where});
    m_ledger.commit(*pending);
    m_parts.model->setMasks(m_ledger.masks());
  }
  if (!saved.learned.empty()) m_parts.model->setLearnedAlphas(saved.learned);
  m_steps.refreshParameters();
  copyExactly(m_parts.model->state(), saved.weights, where);
  m_steps.optimizer().load(saved.optimizer, where);
  m_steps.average().load(saved.average, where);
  if (saved.lossScale) m_steps.lossScale().load(*saved.lossScale);
  m_skippedSteps = m_steps.lossScale().state().skipped;
  m_at = at;
  m_editsSaved = saved.editsApplied;
  m_restored = true;
  valueOrThrow(m_recorder.cutBack(&saved));
}

/// What does not keep the run from going on, but from going on exactly.
void Trainer::tellChanges(const TrainingCheckpoint& saved) {
  const std::int64_t train = m_parts.train->size(), validation = m_parts.validation->size();
  std::vector<std::string> notes;
  if (saved.trainImages != train || saved.validationImages != validation) {
    notes.push_back("the dataset has " + std::to_string(train) + " + " +
                    std::to_string(validation) + " images; it had " +
                    std::to_string(saved.trainImages) + " + " +
                    std::to_string(saved.validationImages) +
                    " when the run began. It goes on, but not exactly as it would have");
  } else {
    notes = {stampNote(saved.trainStamp, m_parts.trainStamp, "training"),
             stampNote(saved.validationStamp, m_parts.validationStamp, "validation")};
  }
  notes.push_back(surroundingsNote(saved.computedWith, surroundings(m_parts.device)));
  for (const std::string& note : notes)
    if (!note.empty()) warn(note);
}

void Trainer::share() {
  if (!m_parts.processes) return;
  if (isFirst())
    sendCheckpoint(*m_parts.processes, wholeCheckpoint());
  else
    restore(receiveCheckpoint(*m_parts.processes));
}

void Trainer::restart() {
  valueOrThrow(m_recorder.cutBack(nullptr));
}

/// With all that a run goes on from.
TrainingCheckpoint Trainer::wholeCheckpoint() {
  TrainingCheckpoint now = checkpoint();
  for (const auto& item : m_steps.optimizer().state())
    now.optimizer.push_back(item);
  now.average = m_steps.average().state();
  if (m_steps.lossScale().on()) now.lossScale = m_steps.lossScale().state();
  return now;
}

/// Where it fails, the older checkpoint is intact and the next interval tries again.
Result<void> Trainer::saveLast() {
  m_lastAttempt = m_at.step;
  requireFolder();
  TrainingCheckpoint now = wholeCheckpoint();
  const std::size_t applied = now.editsApplied;
  m_saved = m_recorder.saveLast(std::move(now));
  if (m_saved)
    m_editsSaved = applied;
  else
    warn(checkpointWarning(m_at.step, m_recorder.savedStep(),
                           m_parts.experiment.training.checkpointSteps, m_saved.error()));
  return m_saved;
}

/// A folder that was deleted takes the run with it: what is trained from here on could not be kept.
/// Who watches gets the newest weights first.
void Trainer::requireFolder() {
  if (!m_recorder.folder().files().isGone()) return;
  if (m_snapshotSink) m_snapshotSink(m_parts.model->state(), m_at.step);
  throw Failure(m_recorder.folder().goneError(m_at.step, m_recorder.savedStep()));
}

void Trainer::saveAnew(RunFolder folder) {
  valueOrThrow(folder.writeConfig(experimentToJson(m_parts.experiment), m_parts.run));
  RunRecorder recorder(std::move(folder), m_parts.run, [](const std::string&) {});
  TrainingCheckpoint now = wholeCheckpoint();
  now.position.bestTop1 = -1;  // the weights that it was of are gone
  valueOrThrow(recorder.saveLast(std::move(now)));
}

/// At the end of a run nothing will try again: not being able to save is an error.
void Trainer::saveLastOrFail(const std::string& occasion) {
  if (const auto saved = saveLast(); !saved)
    throw lastCheckpointFailure(occasion, m_at.step, m_recorder.savedStep(), saved.error());
}

void Trainer::failOnData(const Error& error) {
  throw dataFailure(error, m_at.step, saveLast());
}

TrainingOutcome Trainer::outcome(TrainingState state) {
  m_ledger.close();
  const bool unsaved = m_recorder.savedStep() != m_at.step || !m_saved ||
                       m_editsSaved != m_ledger.applied() || m_recorder.owes();
  if (unsaved)
    saveLastOrFail(state == TrainingState::Finished ? "the run finished" : "the run stopped");
  const auto complete = m_recorder.requireComplete();
  if (!complete && state == TrainingState::Finished) throw Failure(complete.error());
  if (m_snapshotSink) m_snapshotSink(m_parts.model->state(), m_at.step);
  setState(state);
  TrainingOutcome result;
  result.state = state;
  result.steps = m_at.step;
  result.bestTop1 = std::max(m_at.bestTop1, 0.0);
  result.startTop1 = m_startTop1;
  result.lastTop1 = m_lastTop1;
  result.last = m_recorder.folder().last();
  if (m_at.bestTop1 >= 0) result.best = m_recorder.folder().best();
  return result;
}

void Trainer::setState(TrainingState state, const std::string& message) {
  m_control.publish([&](TrainingUpdate& update) {
    update.state = state;
    update.message = message;
    update.epoch = m_at.epoch;
    update.epochs = m_parts.experiment.training.epochs;
    update.progress = progress();
  });
}

void Trainer::measureHeadMetrics() {
  if (!m_probe || m_probe->images() == 0) return;
  const AutocastScope autocast(precision(), m_parts.device);
  std::optional<MapRecorder> maps;
  if (m_recorder.wantsMaps(m_at.step))
    maps.emplace(*m_parts.model, std::min(m_probe->images(), kRecordedPictures));
  const HeadPoint point = m_probe->measure(*m_parts.model, m_at.step, maps ? &*maps : nullptr);
  m_recorder.heads(point);
  if (maps) keepMaps(*maps, point, /*last=*/false);
  m_control.publish([&](TrainingUpdate& update) { update.heads.push_back(point); });
}

void Trainer::keepMaps(MapRecorder& maps, const HeadPoint& heads, bool last) {
  m_recorder.noteMaps(guarded(kEvolutionFile, [&] {
    EvolutionPoint point = maps.point();
    point.step = m_at.step;
    point.epoch = m_at.epoch;
    point.locality = heads.locality;
    point.alpha = heads.alpha;
    if (!m_recorded)
      m_recorded = recordedBeginning(*m_parts.model, *m_probe, maps, m_parts.preprocessing,
                                     m_parts.validation->classNames(), m_parts.run);
    return m_recorder.maps(*m_recorded, point, last);
  }));
}

/// The weights that a run ends in are recorded whether it is their turn or not.
void Trainer::keepLastMaps() {
  if (!m_probe || m_probe->images() == 0 || !m_recorder.lacksMaps(m_at.step)) return;
  const AutocastScope autocast(precision(), m_parts.device);
  MapRecorder maps(*m_parts.model, std::min(m_probe->images(), kRecordedPictures));
  const HeadPoint heads = m_probe->measure(*m_parts.model, m_at.step, &maps);
  keepMaps(maps, heads, /*last=*/true);
}

/// Before the first step, with the pictures themselves, and after every validation.
void Trainer::drawMaps() {
  if (!m_probe || m_probe->images() == 0 || !m_recorder.keepsEvents()) return;
  const AutocastScope autocast(precision(), m_parts.device);
  const at::Tensor images = m_probe->imageTensor().slice(0, 0, kProbePictures);
  std::vector<EventPicture> pictures = mapPictures(*m_parts.model, images);
  if (m_at.step == 0) pictures.push_back(probePictures(images, m_parts.preprocessing));
  m_recorder.pictures(pictures, m_at.step);
}

Progress Trainer::progress() const {
  const std::int64_t epochs = m_parts.experiment.training.epochs;
  const std::int64_t total = m_steps.schedule().totalSteps();
  return {
      "epoch " + std::to_string(std::min(m_at.epoch + 1, epochs)) + "/" + std::to_string(epochs),
      m_at.step, total, m_remaining.secondsRemaining(m_at.step, total)};
}

void Trainer::warn(const std::string& message) {
  m_control.publish([&](TrainingUpdate& update) { update.warnings.push_back(message); });
}

/// Now and then one is as it should be: the factor is tried out so.
void Trainer::reportSkippedSteps() {
  const LossScaleState& state = m_steps.lossScale().state();
  const std::int64_t skipped = state.skipped - m_skippedSteps;
  m_skippedSteps = state.skipped;
  if (skipped == 0) return;
  warn(countText(skipped, "step", "steps") + " of epoch " + std::to_string(m_at.epoch + 1) +
       (skipped == 1 ? " was skipped, because its gradients were"
                     : " were skipped, because their gradients were") +
       " too large for float16; the loss is now scaled "
       "by " +
       std::to_string(static_cast<std::int64_t>(state.scale)));
}

void Trainer::reportSkipped(const Loader& loader, std::size_t& reported) {
  const std::vector<SkippedFile> skipped = loader.skipped();
  for (; reported < skipped.size() && reported < kMaxNamedFiles; ++reported)
    warn("skipped " + skipped[reported].path + ": " + skipped[reported].reason);
  if (reported < skipped.size()) {
    reported = skipped.size();
    warn(countText(static_cast<std::int64_t>(reported), "damaged file", "damaged files") +
         " skipped so far");
  }
}

}  // namespace headlight
