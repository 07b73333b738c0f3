// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/RunRecorder.h"

#include "core/config/RunId.h"
#include "core/training/run/ModelFile.h"

namespace headlight {

RunRecorder::RunRecorder(RunFolder folder, const std::string& run,
                         std::function<void(const std::string&)> warn, bool silent, Task task)
    : m_folder(std::move(folder)),
      m_run(run),
      m_silent(silent),
      m_log(m_folder.files(), run, task),
      m_debts(m_folder.files(), m_log.logs(), warn),
      m_warn(std::move(warn)) {}

void RunRecorder::step(const StepMetrics& metrics) {
  if (m_silent) return;
  m_debts.noteLog(m_log.step(metrics));
  reportEvents([&](EventLog& events) { return events.step(metrics); });
}

void RunRecorder::start(const EpochPoint& point) {
  if (m_silent) return;
  m_debts.noteLog(m_log.start(point));
  reportEvents([&](EventLog& events) { return events.epoch(point); });
}

void RunRecorder::epoch(const EpochPoint& point, double learningRate, double seconds) {
  if (m_silent) return;
  m_debts.noteLog(m_log.epoch(point, learningRate, seconds));
  reportEvents([&](EventLog& events) { return events.epoch(point); });
}

void RunRecorder::heads(const HeadPoint& point) {
  if (m_silent) return;
  m_debts.noteLog(m_log.heads(point));
  reportEvents([&](EventLog& events) { return events.heads(point); });
}

void RunRecorder::images(const std::vector<EventImage>& images, std::int64_t step) {
  reportEvents([&](EventLog& events) { return events.images(images, step); });
}

Result<void> RunRecorder::maps(const EvolutionBeginning& beginning, const EvolutionPoint& point,
                               bool last) {
  return m_maps ? m_maps->add(beginning, point, last) : Result<void>();
}

void RunRecorder::noteMaps(const Result<void>& kept) {
  if (!kept) m_mapsReason = kept.error().text();
  if (!kept && !m_mapsFail)
    m_warn("the maps of the run cannot be recorded: " + m_mapsReason + ". Training continues; " +
           (owesMaps() ? "missing points are added when writing works again"
                       : "these points are missing from the evolution"));
  m_mapsFail = !kept;
}

Result<void> RunRecorder::requireComplete() const {
  if (!owesMaps()) return m_debts.requireNone();
  const std::string name = kEvolutionFile;
  return m_debts.requireNone(m_maps->lost() ? name + " (points lost)" : name, m_mapsReason);
}

/// A curve less is no reason to end a run, nor to keep what is missing of it: the logs have it.
void RunRecorder::reportEvents(const std::function<Result<void>(EventLog&)>& notify) {
  if (!m_events) return;
  const Result<void> reported = notify(*m_events);
  if (!reported && !m_eventsFail)
    m_warn("the event file for TensorBoard cannot be written: " + reported.error().text() +
           ". Training continues; its curves have a gap, but metrics.jsonl is complete");
  m_eventsFail = !reported;
}

Result<void> RunRecorder::saveLast(TrainingCheckpoint checkpoint) {
  if (m_silent) {
    m_savedStep = checkpoint.position.step;
    return {};
  }
  // Lines up to here must be on the disk before a checkpoint says that they are.
  m_debts.settle();
  if (m_maps)
    if (const auto synced = m_maps->sync(); !synced) noteMaps(synced);
  checkpoint.owed = m_debts.files();
  checkpoint.unwritten = m_debts.lines();
  if (m_maps) checkpoint.maps = m_maps->unwritten();
  auto written = writeTrainingCheckpoint(m_folder.files(), kRunLast, checkpoint);
  if (!written) return written;
  m_savedStep = checkpoint.position.step;
  m_folder.noteCheckpoint(m_savedStep);
  return written;
}

void RunRecorder::saveWeights(const std::string& name, const TrainingCheckpoint& checkpoint) {
  if (m_silent) return;
  auto metadata = modelMetadata(checkpoint.experiment, checkpoint.masks, checkpoint.classNames,
                                checkpoint.progress, checkpoint.learned);
  if (!checkpoint.run.empty()) metadata[kRunKey] = checkpoint.run;
  metadata[kStepKey] = std::to_string(checkpoint.position.step);
  m_debts.write({name, checkpoint.weights, std::move(metadata)});
}

/// A file that is not this run's does not keep it from going on; a disk that fails does.
Result<void> RunRecorder::cutMaps(const TrainingCheckpoint* checkpoint) {
  if (!m_maps) return {};
  Result<void> cut = m_maps->cutTo(checkpoint ? checkpoint->position.step : -1);
  if (!cut && !m_maps->isOff()) return cut;
  noteMaps(cut);
  if (checkpoint && !m_maps->isOff()) return m_maps->owe(checkpoint->maps);
  return {};
}

Result<void> RunRecorder::cutBack(const TrainingCheckpoint* checkpoint) {
  if (m_events) m_events->goOnFrom(checkpoint ? checkpoint->position.step + 1 : 0);
  if (auto cut = cutMaps(checkpoint); !cut) return cut;
  if (!checkpoint) return m_log.cutTo(-1, -1, 0);
  m_savedStep = checkpoint->position.step;
  if (m_silent) return {};
  m_folder.noteCheckpoint(m_savedStep);
  m_debts.takeOver(checkpoint->owed, checkpoint->unwritten);
  return m_log.cutTo(checkpoint->position.step, checkpoint->position.epoch,
                     checkpoint->editsApplied);
}

}  // namespace headlight
