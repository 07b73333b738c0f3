// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a sweep trains, image classifiers or sequence models, and all in which the two differ.
// Internal.

#include <memory>
#include <optional>
#include <vector>

#include "core/base/files/FolderLock.h"
#include "core/workbench/sweeps/SweepResults.h"
#include "core/workbench/sweeps/SweepSpeed.h"

namespace headlight {

/// What is heard of a run while it is trained, from the thread that trains it.
struct RunListener {
  std::function<void(bool resumed)> begun;
  std::function<void(const Progress&)> progress;
};

/// All that fail throw Failure.
class SweepSubject {
 public:
  virtual ~SweepSubject() = default;

  /// As beginning it would fail, and writes nothing. `fresh`: there is no checkpoint to go on from.
  virtual void requireTrainable(const SweepVariant& variant, bool fresh) const = 0;
  /// The first setting in which the run that lies in the folder is not `run`; nothing: it is.
  virtual std::optional<std::string> difference(const SweepRun& run,
                                                const OpenFolder& folder) const = 0;
  /// Begins or resumes it. Its error is that of a run that began; what cannot begin throws.
  virtual Result<SweepOutcome> train(const SweepRun& run, const HeldFolder& held,
                                     const RunListener& listener, const SweepObserver& observer,
                                     std::stop_token stop) const = 0;
  /// For a finished run.
  virtual RunResult resultIn(const SweepRun& run, const OpenFolder& folder) const = 0;
  /// A row without what runs and measurements say.
  virtual SweepRow describe(const SweepRun& run, const OpenFolder& folder) const = 0;
  /// For inferenceSpeeds(): the model of a checkpoint, ready to predict.
  virtual SpeedContender contender(const std::filesystem::path& checkpoint,
                                   const SpeedSettings& settings) = 0;
  /// For the first variant: device and threads.
  virtual SpeedSettings speedSettings(const SweepVariant& variant, std::int64_t batch) const = 0;
};

std::unique_ptr<SweepSubject> makeSubject(const SweepPlan& plan);
std::unique_ptr<SweepSubject> sequenceSubject();

}  // namespace headlight
