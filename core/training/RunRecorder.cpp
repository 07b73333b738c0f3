#include "core/training/RunRecorder.h"

#include "core/training/ModelFile.h"

namespace headlight {

RunRecorder::RunRecorder(RunFolder folder, std::function<void(const std::string&)> warn)
    : m_folder(std::move(folder)), m_log(m_folder.path()), m_warn(std::move(warn)) {}

Result<void> RunRecorder::saveLast(const TrainingCheckpoint& checkpoint) {
  // Lines up to here must be on the disk before a checkpoint says that they are.
  noteLog(m_log.sync());
  auto written = writeTrainingCheckpoint(m_folder.last(), checkpoint);
  if (written) m_savedStep = checkpoint.position.step;
  return written;
}

bool RunRecorder::saveWeights(const std::filesystem::path& path,
                              const TrainingCheckpoint& checkpoint) {
  const auto metadata =
      modelMetadata(checkpoint.experiment, checkpoint.masks, checkpoint.classNames,
                    checkpoint.progress, checkpoint.learned);
  const auto written = writeSafetensors(path, checkpoint.weights, metadata);
  if (!written) m_warn("a checkpoint was not written: " + written.error().text());
  return written.ok();
}

void RunRecorder::noteLog(const Result<void>& written) {
  if (!written && !m_logFails)
    m_warn("the metrics cannot be written: " + written.error().text() +
           ". Training goes on; what is missing is added once it works again");
  m_logFails = !written;
}

Result<void> RunRecorder::cutBack(const TrainingCheckpoint* checkpoint) {
  if (!checkpoint) return m_log.cutTo(-1, -1, 0);
  m_savedStep = checkpoint->position.step;
  return m_log.cutTo(checkpoint->position.step, checkpoint->position.epoch,
                     checkpoint->editsApplied);
}

}  // namespace headlight
