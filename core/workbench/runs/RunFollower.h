// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A run on disk that somebody else trains, or trained: what is new in its folder since it was last
// looked at. Reads only, and by polling, for nothing tells of changes on a network file system.
// Takes no lock, writes nothing, follows no link in the folder. No torch type here.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/training/logs/RunProgress.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// How often the window and the command line look at a run.
inline constexpr double kRunPollSeconds = 2;
/// Where its lock cannot be seen (a network file system), a run whose newest line is older than
/// this is taken to have ended. A long validation writes no line meanwhile.
inline constexpr double kRunQuietSeconds = 600;

enum class FollowedRunState {
  NoRun,       ///< the folder is not there, or holds no run
  NotBegun,    ///< somebody holds it, and there is no line yet
  Training,    ///< or paused, or validating: somebody holds it
  Finished,    ///< its last epoch was validated
  Stopped,     ///< before that, with a checkpoint of its last step
  CutOff,      ///< before that; what came after its checkpoint is lost
  Gone,        ///< the folder was there and is no more
  Unreadable,  ///< no permission, or a config that cannot be understood
};
std::string followedStateName(FollowedRunState state);  ///< "not begun", "cut off"
/// Whether nothing more is to be expected, unless somebody resumes or mends it.
bool hasEnded(FollowedRunState state);

struct RunStatus {
  FollowedRunState state = FollowedRunState::NoRun;
  bool certain = true;           ///< false: by the age of the newest line (kRunQuietSeconds)
  std::optional<Error> problem;  ///< what could not be read, and why
  std::string name;              ///< of its experiment
  RunMetrics numbers;
  double secondsSinceLine = -1;  ///< negative: there is none
};

/// What one look found.
struct RunGrowth {
  /// What was handed out before does not count: the run was resumed from an earlier step, or is
  /// another one. All of it is in `points` again.
  bool anew = false;
  RunHistory points;  ///< new ones; of very many at once every second, fourth, …
  RunStatus standing;
  std::shared_ptr<const Experiment> experiment;  ///< as it began; null until it could be read
  std::uint64_t checkpoint = 0;  ///< another number is another last.safetensors; 0: there is none
};

class RunFollower {
 public:
  explicit RunFollower(std::filesystem::path folder);
  ~RunFollower();
  RunFollower(RunFollower&&) noexcept;
  RunFollower& operator=(RunFollower&&) noexcept;

  const std::filesystem::path& folder() const;
  /// Blocks while it reads; what is wrong with the folder is in the standing. Where `stop` is asked
  /// for, the rest is for the next look.
  RunGrowth poll(const std::stop_token& stop = {});
  /// Whether it had ended when it was looked at, and its files are as they were: a look would find
  /// nothing, unless somebody holds it again and has written nothing yet. Reads no file.
  bool isSettled() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
