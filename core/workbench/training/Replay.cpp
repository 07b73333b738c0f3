// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/Replay.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/Translation.h"
#include "core/base/files/FolderLock.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/workbench/runs/RecordedRun.h"
#include "core/workbench/training/HeldTraining.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

struct FinishedRun {
  RecordedRun run;
  std::int64_t steps = 0;
};

/// A window may hold the folder still: what counts is that its last checkpoint is of the end.
FinishedRun finishedRun(const fs::path& folder) {
  FinishedRun found{valueOrThrow(readRecordedRun(folder)), 0};
  const RecordedRun& run = found.run;
  if (!run.last.empty())
    found.steps =
        valueOrThrow(readCheckpointStep(valueOrThrow(OpenFolder::open(folder)), kRunLast));
  if (!run.finished || found.steps < run.history.epochPoints.back().step)
    throw Failure({ErrorCode::InvalidArgument,
                   run.held ? tr("is still training; replay it after it finishes")
                            : tr("has not finished training; resume it before the replay"),
                   folder.string()});
  return found;
}

bool sameBytes(const at::Tensor& a, const at::Tensor& b) {
  return std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

double largestDifference(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0) return 0;
  const at::Tensor apart = (a.to(at::kDouble) - b.to(at::kDouble)).abs();
  return at::nan_to_num(apart).max().item<double>();
}

void compareInto(ReplayReport& report, const Checkpoint& first, const Checkpoint& second) {
  const std::map<std::string, at::Tensor> others(second.tensors.begin(), second.tensors.end());
  const auto note = [&](const std::string& name) {
    if (report.different++ == 0) report.firstDifferent = name;
  };
  report.tensors = first.tensors.size();
  for (const auto& [name, tensor] : first.tensors) {
    const auto found = others.find(name);
    const bool alike = found != others.end() && found->second.sizes() == tensor.sizes() &&
                       found->second.scalar_type() == tensor.scalar_type();
    if (!alike) {
      note(name);
      continue;
    }
    const at::Tensor a = tensor.contiguous(), b = found->second.contiguous();
    if (sameBytes(a, b)) continue;
    note(name);
    report.largest = std::max(report.largest, largestDifference(a, b));
  }
  if (others.size() > first.tensors.size()) note("tensors that the run does not have");
}

void train(const Experiment& experiment, const fs::path& folder, const ReplayObserver& observer,
           const std::stop_token& stop) {
  const OpenFolder files = valueOrThrow(OpenFolder::make(folder));
  const HeldFolder held{files, valueOrThrow(FolderLock::acquire(files))};
  const auto begun = [&](bool resumed) {
    if (observer.begun) observer.begun(resumed);
  };
  const auto update = [&](const TrainingUpdate& reported) {
    if (observer.progress) observer.progress(reported.progress);
  };
  const auto outcome = trainHeld(experiment, held, {begun, update}, stop);
  if (valueOrThrow(outcome).state == TrainingState::Stopped)
    throw Failure({ErrorCode::Canceled, tr("stopped, checkpoint written; replaying again resumes"),
                   folder.string()});
}

}  // namespace

Result<ReplayReport> replayRun(const fs::path& run, const fs::path& folder,
                               const ReplayObserver& observer, const std::stop_token& stop) {
  return guarded(run.string(), [&] {
    const auto [recorded, steps] = finishedRun(run);
    const Experiment experiment = replayExperiment(recorded);
    train(experiment, folder, observer, stop);
    ReplayReport report;
    report.run = run;
    report.replay = folder;
    report.steps = steps;
    report.edits = experiment.edits.size();
    compareInto(report, valueOrThrow(readSafetensors(recorded.last)),
                valueOrThrow(readSafetensors(folder / kRunLast)));
    return report;
  });
}

std::string replayText(const ReplayReport& report) {
  const std::string length = std::to_string(report.steps) + " steps with " +
                             std::to_string(report.edits) +
                             (report.edits == 1 ? " mask edit" : " mask edits");
  if (report.same())
    return "bit-identical: " + std::to_string(report.tensors) + " tensors after " + length;
  char largest[32];
  std::snprintf(largest, sizeof largest, "%.3g", report.largest);
  return "not identical: of " + std::to_string(report.tensors) + " tensors " +
         std::to_string(report.different) + " differ after " + length + ", first " +
         report.firstDifferent + "; largest difference " + largest;
}

fs::path makeReplayPath(const fs::path& run) {
  fs::path folder = run.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder.concat("-replay");
}

}  // namespace headlight
