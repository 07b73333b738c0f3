// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RecordedRun.h"

#include "core/base/files/LockState.h"
#include "core/base/files/OpenFolder.h"
#include "core/models/Registry.h"
#include "core/training/logs/RunHistory.h"
#include "core/training/run/RunFolder.h"
#include "core/workbench/runs/RunConfig.h"

namespace headlight {

Result<RecordedRun> readRecordedRun(const std::filesystem::path& folder) {
  return guarded(folder.string(), [&] {
    const OpenFolder files = valueOrThrow(OpenFolder::open(folder));
    RecordedRun run;
    run.folder = folder;
    run.experiment = valueOrThrow(experimentFromJson(runConfigIn(files), modelCatalog()));
    run.history = readRunHistory(files, run.experiment.model.maskShape().heads);
    if (files.has(kRunLast)) run.last = files.pathOf(kRunLast);
    if (files.has(kRunBest)) run.best = files.pathOf(kRunBest);
    run.finished = !run.history.epochPoints.empty() &&
                   run.history.epochPoints.back().epoch >= run.experiment.training.epochs;
    run.held = readLockState(files) == LockState::Held;
    return run;
  });
}

Experiment replayExperiment(const RecordedRun& run) {
  Experiment replay = run.experiment;
  const auto& steps = run.history.steps;
  const std::int64_t done = steps.empty() ? -1 : steps.back().step;
  // Those that were planned from the beginning are logged like any other once they took effect.
  std::vector<ScheduledEdit> planned = std::move(replay.edits);
  replay.edits.clear();
  for (const AppliedEdit& applied : run.history.edits)
    replay.edits.push_back({applied.step, applied.edit});
  const std::int64_t last = replay.edits.empty() ? -1 : replay.edits.back().step;
  for (ScheduledEdit& edit : planned)
    if (edit.step > last && edit.step >= done) replay.edits.push_back(std::move(edit));
  return replay;
}

}  // namespace headlight
