#include "core/training/run/RunRecorder.h"

#include "core/config/RunId.h"
#include "core/training/run/ModelFile.h"

namespace headlight {

RunRecorder::RunRecorder(RunFolder folder, const std::string& run,
                         std::function<void(const std::string&)> warn)
    : m_folder(std::move(folder)),
      m_log(m_folder.files(), run),
      m_debts(m_folder.files(), m_log.logs(), std::move(warn)) {}

Result<void> RunRecorder::saveLast(TrainingCheckpoint checkpoint) {
  // Lines up to here must be on the disk before a checkpoint says that they are.
  m_debts.settle();
  checkpoint.owed = m_debts.files();
  checkpoint.unwritten = m_debts.lines();
  auto written = writeTrainingCheckpoint(m_folder.files(), kRunLast, checkpoint);
  if (!written) return written;
  m_savedStep = checkpoint.position.step;
  m_folder.noteCheckpoint(m_savedStep);
  return written;
}

void RunRecorder::saveWeights(const std::string& name, const TrainingCheckpoint& checkpoint) {
  auto metadata = modelMetadata(checkpoint.experiment, checkpoint.masks, checkpoint.classNames,
                                checkpoint.progress, checkpoint.learned);
  if (!checkpoint.run.empty()) metadata[kRunKey] = checkpoint.run;
  m_debts.write({name, checkpoint.weights, std::move(metadata)});
}

Result<void> RunRecorder::cutBack(const TrainingCheckpoint* checkpoint) {
  if (!checkpoint) return m_log.cutTo(-1, -1, 0);
  m_savedStep = checkpoint->position.step;
  m_folder.noteCheckpoint(m_savedStep);
  m_debts.takeOver(checkpoint->owed, checkpoint->unwritten);
  return m_log.cutTo(checkpoint->position.step, checkpoint->position.epoch,
                     checkpoint->editsApplied);
}

}  // namespace headlight
