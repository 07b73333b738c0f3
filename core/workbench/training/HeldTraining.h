// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Training a run in a folder that is held, from its beginning or from where it was. Internal: of
// sweeps, and of the rounds of a search.

#include <functional>
#include <stop_token>

#include "core/base/Result.h"
#include "core/base/files/FolderLock.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// What is heard of it, from the thread that trains it.
struct HeldTrainingListener {
  std::function<void(bool resumed)> begun;
  std::function<void(const TrainingUpdate&)> update;
};

/// Begins the run, or resumes it where the folder holds it. Its error is that of a run that began;
/// what cannot begin throws Failure.
Result<TrainingOutcome> trainHeld(const Experiment& experiment, const HeldFolder& held,
                                  const HeldTrainingListener& listener, std::stop_token stop);

}  // namespace headlight
