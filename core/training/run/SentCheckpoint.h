// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A checkpoint on its way from process 0 to the others of a run, which need not see its folder.

#include "core/processes/Processes.h"
#include "core/training/run/TrainingCheckpoint.h"

namespace headlight {

/// Process 0. Throws Failure.
void sendCheckpoint(Processes& processes, const TrainingCheckpoint& checkpoint);
/// All others. Throws Failure.
TrainingCheckpoint receiveCheckpoint(Processes& processes);

}  // namespace headlight
