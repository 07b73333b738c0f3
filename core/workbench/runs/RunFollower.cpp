// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunFollower.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include "core/base/Translation.h"
#include "core/base/files/FileStamp.h"
#include "core/base/files/LockState.h"
#include "core/base/files/OpenFolder.h"
#include "core/models/Registry.h"
#include "core/training/logs/FollowedLogs.h"
#include "core/training/run/RunFolder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/workbench/runs/RunConfig.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

/// Looks that found new lines and nobody who holds the run: the lock is one that is not seen from
/// here, a container's.
constexpr int kUnseenHolder = 2;

/// For a folder, only what stays while its files change.
FileStamp placeOf(const OpenFolder& folder) {
  const auto here = fileStamp(folder, ".");
  return here ? FileStamp{here->device, here->inode, 0, 0, 0} : FileStamp();
}

/// Everything that a look goes by.
using RunStamps = std::array<std::optional<FileStamp>, 6>;

RunStamps stampsOf(const OpenFolder& folder) {
  return {placeOf(folder),
          fileStamp(folder, kRunConfig),
          fileStamp(folder, kRunLast),
          fileStamp(folder, "metrics.jsonl"),
          fileStamp(folder, "masks.jsonl"),
          fileStamp(folder, kLockName)};
}

Result<Experiment> followedExperiment(const OpenFolder& folder) {
  const std::string where = folder.pathOf(kRunConfig).string();
  return guarded(where, [&] {
    const Json config = runConfigIn(folder);
    if (config.is_object() && config.contains("task") && config["task"] == "sequence")
      throw Failure(
          {ErrorCode::UnsupportedFile,
           tr("belongs to a sequence model; only runs of image classifiers can be followed"),
           where});
    auto experiment = experimentFromJson(config, modelCatalog());
    if (experiment) return std::move(*experiment);
    throw Failure({experiment.error().code, experiment.error().text(), where});
  });
}

double secondsAgo(double secondsSince1970) {
  return std::max(0.0, static_cast<double>(std::time(nullptr)) - secondsSince1970);
}

}  // namespace

struct RunFollower::State {
  explicit State(fs::path path) : folder(std::move(path)) {}

  fs::path folder;
  bool seen = false;  ///< the folder was there
  FileStamp place;
  std::optional<FileStamp> config, checkpoint;
  std::shared_ptr<const Experiment> experiment;
  Error configError;                            ///< where there is a config and no experiment
  std::optional<FollowedLogs> logs;             ///< where there is an experiment
  std::int64_t bytes = 0;                       ///< of the logs, at the last look
  std::optional<SteadyClock::time_point> grew;  ///< while it was looked at
  bool heldOnce = false;
  int growthsUnheld = 0;
  std::uint64_t checkpoints = 0;     ///< that were seen
  std::int64_t checkpointStep = -1;  ///< negative: not asked for yet, or unreadable
  std::optional<RunStamps> settled;  ///< of a run that has ended, as it was looked at last

  RunGrowth poll(const std::stop_token& stop) {
    RunGrowth growth;
    const auto files = OpenFolder::open(folder);
    // Before anything is read: what comes meanwhile makes another stamp.
    const auto stamps = files ? std::optional(stampsOf(*files)) : std::nullopt;
    settled.reset();
    if (!files) {
      growth.standing = missing(files.error());
    } else {
      growth.anew = isAnother(*files);
      if (growth.anew) forget();
      if (readConfig(*files)) growth.anew = true;
      Result<void> read;
      if (logs) read = logs->read(*files, growth.points, stop);
      noteGrowth();
      noteCheckpoint(*files);
      growth.standing = standing(*files);
      if (!read) growth.standing.problem = read.error();
    }
    if (hasEnded(growth.standing.state) && growth.standing.certain && !stop.stop_requested())
      settled = stamps;
    growth.experiment = experiment;
    growth.checkpoint = files && checkpoint ? checkpoints : 0;
    return growth;
  }

  RunStatus missing(const Error& error) const {
    RunStatus standing = known();
    const bool isMissing = error.code == ErrorCode::NotFound;
    standing.state = !isMissing ? FollowedRunState::Unreadable
                     : seen     ? FollowedRunState::Gone
                                : FollowedRunState::NoRun;
    standing.problem =
        standing.state == FollowedRunState::Gone
            ? Error{ErrorCode::Io, tr("the run's folder was removed"), folder.string()}
            : error;
    standing.numbers.secondsRemaining = -1;
    return standing;
  }

  /// Whether what was read is not what stands there now.
  bool isAnother(const OpenFolder& files) {
    const FileStamp here = placeOf(files);
    const bool moved = std::exchange(seen, true) && !(here == place);
    place = here;
    return moved || (logs && logs->wasRewritten(files));
  }

  void forget() {
    config.reset();
    experiment.reset();
    logs.reset();
    grew.reset();
    bytes = 0;
    growthsUnheld = 0;
  }

  /// True where what was read belongs to another run. One that was deleted changes nothing: the run
  /// itself goes on.
  bool readConfig(const OpenFolder& files) {
    const auto stamp = fileStamp(files, kRunConfig);
    if (!stamp || stamp == config) return false;
    auto read = followedExperiment(files);
    const bool same =
        read && experiment && experimentToJson(*read) == experimentToJson(*experiment);
    const bool another = experiment && !same;
    if (another) forget();
    config = stamp;
    if (!read) configError = read.error();
    if (!read || same) return another;
    experiment = std::make_shared<const Experiment>(std::move(*read));
    logs.emplace(*experiment);
    return another;
  }

  void noteGrowth() {
    const std::int64_t now = logs ? logs->bytes() : 0;
    // What was there when it was first looked at may be old.
    if (bytes > 0 && now > bytes) {
      grew = SteadyClock::now();
      if (!heldOnce) ++growthsUnheld;
    }
    bytes = now;
  }

  void noteCheckpoint(const OpenFolder& files) {
    const auto now = fileStamp(files, kRunLast);
    if (now == checkpoint) return;
    checkpoint = now;
    checkpointStep = -1;
    ++checkpoints;
  }

  double secondsSinceLine() const {
    if (grew) return std::chrono::duration<double>(SteadyClock::now() - *grew).count();
    return logs && logs->changed() ? secondsAgo(*logs->changed()) : -1;
  }

  /// What needs no folder.
  RunStatus known() const {
    RunStatus standing;
    if (!experiment) return standing;
    standing.name = experiment->name;
    standing.numbers = logs->tally().numbers();
    standing.secondsSinceLine = secondsSinceLine();
    return standing;
  }

  LockState lockState(const OpenFolder& files) {
    const LockState lock = readLockState(files);
    heldOnce = heldOnce || lock == LockState::Held;
    const bool unseen = !heldOnce && growthsUnheld >= kUnseenHolder;
    return lock == LockState::Free && unseen ? LockState::Unknown : lock;
  }

  RunStatus standing(const OpenFolder& files) {
    RunStatus standing = known();
    const LockState lock = lockState(files);
    standing.certain = lock != LockState::Unknown;
    if (experiment) {
      standing.state = stateOf(files, lock, standing.secondsSinceLine);
      if (standing.state != FollowedRunState::Training) standing.numbers.secondsRemaining = -1;
    } else if (config) {
      standing.state = FollowedRunState::Unreadable;
      standing.problem = configError;
    } else if (lock == LockState::Held) {
      standing.state = FollowedRunState::NotBegun;
    } else {
      standing.problem =
          Error{ErrorCode::NotFound, tr("contains no run: it has no config.json"), folder.string()};
    }
    return standing;
  }

  FollowedRunState stateOf(const OpenFolder& files, LockState lock, double age) {
    const RunProgress& tally = logs->tally();
    const double quiet = age >= 0 ? age : secondsAgo(static_cast<double>(config->seconds));
    const bool fresh = lock == LockState::Unknown && quiet < kRunQuietSeconds && !tally.finished();
    if (lock == LockState::Held || fresh)
      return tally.isEmpty() ? FollowedRunState::NotBegun : FollowedRunState::Training;
    if (tally.finished()) return FollowedRunState::Finished;
    return reachedBy(files) >= tally.step() ? FollowedRunState::Stopped : FollowedRunState::CutOff;
  }

  /// The step of the checkpoint; negative where there is none that can be read.
  std::int64_t reachedBy(const OpenFolder& files) {
    if (checkpoint && checkpointStep < 0)
      if (const auto step = readCheckpointStep(files, kRunLast)) checkpointStep = *step;
    return checkpoint ? checkpointStep : -1;
  }
};

RunFollower::RunFollower(fs::path folder) : m_state(std::make_unique<State>(std::move(folder))) {}
RunFollower::~RunFollower() = default;
RunFollower::RunFollower(RunFollower&&) noexcept = default;
RunFollower& RunFollower::operator=(RunFollower&&) noexcept = default;

const fs::path& RunFollower::folder() const {
  return m_state->folder;
}

RunGrowth RunFollower::poll(const std::stop_token& stop) {
  auto growth = guarded(m_state->folder.string(), [&] { return m_state->poll(stop); });
  if (growth) return std::move(*growth);
  RunGrowth failed;
  failed.standing = m_state->missing(growth.error());
  return failed;
}

bool RunFollower::isSettled() const {
  if (!m_state->settled) return false;
  const auto files = OpenFolder::open(m_state->folder);
  return files && stampsOf(*files) == *m_state->settled;
}

std::string followedStateName(FollowedRunState state) {
  switch (state) {
    case FollowedRunState::NoRun:
      return "no run";
    case FollowedRunState::NotBegun:
      return "not begun";
    case FollowedRunState::Training:
      return "training";
    case FollowedRunState::Finished:
      return "finished";
    case FollowedRunState::Stopped:
      return "stopped";
    case FollowedRunState::CutOff:
      return "cut off";
    case FollowedRunState::Gone:
      return "gone";
    case FollowedRunState::Unreadable:
      return "unreadable";
  }
  return "unknown";
}

bool hasEnded(FollowedRunState state) {
  return state != FollowedRunState::Training && state != FollowedRunState::NotBegun;
}

}  // namespace headlight
