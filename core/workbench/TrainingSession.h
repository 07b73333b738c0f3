#pragma once
// One training run. No torch type here. run() blocks its caller's thread; every other function may
// be called from any thread meanwhile.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/training/TrainingTypes.h"

namespace headlight {

class ModelSnapshot;

class TrainingSession {
 public:
  /// Begins a run in `folder` (made if missing; it must be empty or not hold a run).
  static Result<std::unique_ptr<TrainingSession>> begin(const Experiment& experiment,
                                                        const std::filesystem::path& folder);
  /// Whether it could begin: opens the data, the teacher and the weights and builds the model, and
  /// writes nothing. The error is that of begin().
  static Result<void> check(const Experiment& experiment);
  /// Goes on with the run in `folder` from its last checkpoint, exactly as if never interrupted.
  static Result<std::unique_ptr<TrainingSession>> resume(const std::filesystem::path& folder);
  ~TrainingSession();

  const Experiment& experiment() const;
  const std::filesystem::path& folder() const;

  /// Trains until finished or stopped. A stop request writes a checkpoint first.
  Result<TrainingOutcome> run(std::stop_token stop);

  void pause();
  void unpause();
  /// Takes effect at the next step boundary and is logged with its step. Refused (false) when the
  /// queue of 256 commands is full or the edit does not fit the model.
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

  /// The run so far as one config: its headless replay ends in the same weights.
  Experiment exported() const;

 private:
  TrainingSession();
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
