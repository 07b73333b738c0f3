// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunCheckpoints.h"

#include <algorithm>

#include "core/base/files/OpenFolder.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/workbench/session/ModelSnapshot.h"

namespace headlight {

namespace fs = std::filesystem;

std::vector<RunCheckpoint> checkpointsIn(const fs::path& folder) {
  std::vector<RunCheckpoint> kept;
  const auto files = OpenFolder::open(folder);
  if (!files) return kept;
  std::vector<RunCheckpoint> epochs;
  for (const std::string& name : files->names()) {
    const std::int64_t epoch = RunFolder::keptEpoch(name);
    if (epoch > 0 && files->openToRead(name)) epochs.push_back({folder / name, epoch});
  }
  for (const char* name : {kRunBest, kRunLast})
    if (files->openToRead(name)) kept.push_back({folder / name, 0});
  std::sort(epochs.begin(), epochs.end(),
            [](const RunCheckpoint& a, const RunCheckpoint& b) { return a.epoch > b.epoch; });
  kept.insert(kept.end(), epochs.begin(), epochs.end());
  return kept;
}

Result<std::shared_ptr<const ModelSnapshot>> checkpointWeights(const fs::path& folder) {
  return guarded(folder.string(), [&]() -> Result<std::shared_ptr<const ModelSnapshot>> {
    const OpenFolder files = valueOrThrow(OpenFolder::open(folder));
    TrainingCheckpoint saved = valueOrThrow(readTrainingCheckpoint(files, kRunLast));
    std::vector<AppliedEdit> edits;
    for (std::size_t i = 0; i < saved.editsApplied; ++i)
      edits.push_back({saved.experiment.edits[i].step, saved.experiment.edits[i].edit});
    auto snapshot = std::make_shared<ModelSnapshot>();
    snapshot->masks = valueOrThrow(masksAtStep(saved.experiment, edits, saved.position.step));
    snapshot->weights = std::move(saved.weights);
    snapshot->learned = std::move(saved.learned);
    snapshot->classNames = std::move(saved.classNames);
    snapshot->step = saved.position.step;
    snapshot->progress = saved.progress;
    snapshot->experiment = std::move(saved.experiment);
    return std::shared_ptr<const ModelSnapshot>(std::move(snapshot));
  });
}

Result<MaskScheme> masksAtStep(const Experiment& experiment, const std::vector<AppliedEdit>& edits,
                               std::int64_t step) {
  auto masks = resolveMasks(experiment.masks, experiment.model.maskShape());
  if (!masks) return masks;
  for (const AppliedEdit& applied : edits)
    if (applied.step <= step) static_cast<void>(applyMaskEdit(*masks, applied.edit));
  return masks;
}

}  // namespace headlight
