// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One training run. No torch type here. run() blocks its caller's thread; every other function may
// be called from any thread meanwhile.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/base/files/FolderLock.h"
#include "core/config/Experiment.h"
#include "core/training/logs/TrainingTypes.h"
#include "core/workbench/training/DistributedContext.h"

namespace headlight {

class ModelSnapshot;
class RunFolder;

/// At which step of its run the copy was made.
std::int64_t snapshotStep(const ModelSnapshot& snapshot);

class TrainingSession {
 public:
  /// Begins a run in `folder` (made if missing; it must be empty or not hold a run). Of several
  /// processes (`together`) the first begins or resumes it and the others join.
  static Result<std::unique_ptr<TrainingSession>> begin(const Experiment& experiment,
                                                        const std::filesystem::path& folder,
                                                        const DistributedContext& together = {});
  /// In a folder that is held already: a sweep's, in which no link is followed.
  static Result<std::unique_ptr<TrainingSession>> begin(const Experiment& experiment,
                                                        const HeldFolder& folder);
  /// Whether it could begin: opens the data, the teacher and the weights and builds the model, and
  /// writes nothing. The error is that of begin().
  static Result<void> check(const Experiment& experiment);
  /// Goes on with the run in `folder` from its last checkpoint, exactly as if never interrupted.
  /// Refused (InvalidFile, InvalidConfig): a checkpoint that is damaged, missing or another run's,
  /// and a config.json that was changed, but for its name, device, threads and where the data lies.
  /// Data or a processor that changed are a warning in the first update.
  static Result<std::unique_ptr<TrainingSession>> resume(const std::filesystem::path& folder,
                                                         const DistributedContext& together = {});
  static Result<std::unique_ptr<TrainingSession>> resume(const HeldFolder& folder);
  /// Takes part in the run of process 0, writing nothing. `own`, where there is one, says on what
  /// device and where the data lies on this machine.
  static Result<std::unique_ptr<TrainingSession>> join(const std::optional<Experiment>& own,
                                                       const DistributedContext& together);
  ~TrainingSession();
  /// Whether it is for this process to say what went wrong with the run.
  bool speaks() const;

  const Experiment& experiment() const;
  /// Where it is now: it may have been moved.
  std::filesystem::path folder() const;

  /// Trains until finished or stopped. A stop request writes a checkpoint first.
  Result<TrainingOutcome> run(std::stop_token stop);

  /// The error says why a run of `experiment` takes no mask edits while it goes.
  static Result<void> takesEdits(const Experiment& experiment);

  void pause();
  void unpause();
  /// Takes effect at the next step boundary and is logged with its step. Refused (false) when the
  /// queue of 256 commands is full, the edit does not fit the model or takesEdits() is an error.
  bool submit(const MaskEdit& edit);

  /// What the folder's logs say of the run so far: of one that was resumed, the steps before. Reads
  /// files; meant for before run().
  RunHistory history() const;

  /// Called from the training thread when there is something new; keep it short. At most one call
  /// between two takeUpdate().
  void setWakeUp(std::function<void()> wakeUp);
  TrainingUpdate takeUpdate();
  /// The scheme that is in force, edits included.
  MaskScheme masks() const;

  /// Asks for a copy of the weights at the next step boundary; snapshot() returns the newest.
  void requestSnapshot();
  std::shared_ptr<const ModelSnapshot> snapshot() const;
  /// Writes the weights of the newest snapshot as safetensors, as InferenceSession::save does. Of a
  /// run whose folder was deleted it is that of its last step. Errors: there is none, Io.
  Result<void> saveSnapshot(const std::filesystem::path& path) const;
  /// For a run that ended because its folder was deleted: makes the folder again, with a checkpoint
  /// of the step at which it ended, to be resumed. Errors: the run still goes on, a run lies there.
  Result<void> recreateFolder();

  /// The run so far as one config: its headless replay ends in the same weights.
  Experiment exported() const;

 private:
  TrainingSession();
  static Result<std::unique_ptr<TrainingSession>> begin(const Experiment& experiment,
                                                        const std::function<RunFolder()>& create,
                                                        const std::string& where,
                                                        const DistributedContext& together);
  static std::unique_ptr<TrainingSession> resumeIn(RunFolder folder,
                                                   const DistributedContext& together);
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
