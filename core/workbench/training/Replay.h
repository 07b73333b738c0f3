// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether what a run's folder says of it is all there is to say: its config with every mask edit at
// its step is trained again, headless, and the two last checkpoints are compared bit by bit. No
// torch type here.

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

struct ReplayReport {
  std::filesystem::path run, replay;
  std::int64_t steps = 0;
  std::size_t edits = 0;    ///< that were made while it was trained, or planned
  std::size_t tensors = 0;  ///< of last.safetensors: weights, and what the optimizer and EMA keep
  std::size_t different = 0;
  std::string firstDifferent;  ///< name of a tensor that differs, or that one of them lacks
  double largest = 0;          ///< |difference| of two values, over all tensors of equal shape
  bool same() const { return different == 0; }
};
/// "the same, bit for bit: 152 tensors after 300 steps with 2 mask edits", or what differs.
std::string replayText(const ReplayReport& report);

struct ReplayObserver {
  std::function<void(bool resumed)> begun;
  ProgressCallback progress;
};

/// Trains in `folder`, where an interrupted replay goes on. Errors: NotFound and InvalidConfig of
/// the run's folder, InvalidArgument where the run is not finished or is trained just now, those of
/// training, Canceled with a checkpoint in `folder`.
Result<ReplayReport> replayRun(const std::filesystem::path& run,
                               const std::filesystem::path& folder, const ReplayObserver& observer,
                               const std::stop_token& stop);

/// Beside the run: its folder's name with "-replay".
std::filesystem::path makeReplayPath(const std::filesystem::path& run);

}  // namespace headlight
