// RunFollower, continued: which folders are followed, the weights in them, their masks.

#include <algorithm>

#include "core/base/LockState.h"
#include "core/base/OpenFolder.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/workbench/ModelSnapshot.h"
#include "core/workbench/RunFollower.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRuns = 1000;
constexpr int kDeepestRun = 2;  ///< OUTPUT/VARIANT/seed-SEED of a sweep

void addRuns(const OpenFolder& folder, const fs::path& path, int depth, std::vector<fs::path>& to) {
  if (to.size() >= kMostRuns) return;
  if (RunFolder::holdsRun(folder)) {
    to.push_back(path);
    return;
  }
  if (depth >= kDeepestRun) return;
  std::vector<std::string> names = folder.names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    if (const auto inner = folder.subfolder(name, /*make=*/false))
      addRuns(*inner, path / name, depth + 1, to);
  }
}

}  // namespace

std::vector<fs::path> runsIn(const fs::path& path) {
  std::vector<fs::path> runs;
  if (const auto folder = OpenFolder::open(path)) addRuns(*folder, path, 0, runs);
  return runs;
}

bool isHeld(const fs::path& folder) {
  const auto opened = OpenFolder::open(folder);
  return opened && lockStateOf(*opened) == LockState::Held;
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
