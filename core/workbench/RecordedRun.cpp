#include "core/workbench/RecordedRun.h"

#include "core/base/LockState.h"
#include "core/base/OpenFolder.h"
#include "core/config/ConfigText.h"
#include "core/models/Registry.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/RunHistory.h"

namespace headlight {
namespace {

constexpr std::uintmax_t kMaxRecordedConfig = 64u << 20;

Experiment recordedExperiment(const OpenFolder& files) {
  const std::string text = valueOrThrow(files.read(kRunConfig, kMaxRecordedConfig));
  const Json config = valueOrThrow(parseConfigJson(text, files.pathOf(kRunConfig).string()));
  return valueOrThrow(experimentFromJson(config, modelCatalogue()));
}

}  // namespace

Result<RecordedRun> readRecordedRun(const std::filesystem::path& folder) {
  return guarded(folder.string(), [&] {
    const OpenFolder files = valueOrThrow(OpenFolder::open(folder));
    RecordedRun run;
    run.folder = folder;
    run.experiment = recordedExperiment(files);
    run.history = readRunHistory(files, run.experiment.model.maskShape().heads);
    if (files.has(kRunLast)) run.last = files.pathOf(kRunLast);
    if (files.has(kRunBest)) run.best = files.pathOf(kRunBest);
    run.finished = !run.history.epochPoints.empty() &&
                   run.history.epochPoints.back().epoch >= run.experiment.training.epochs;
    run.held = lockStateOf(files) == LockState::Held;
    return run;
  });
}

}  // namespace headlight
