// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A checkpoint on its way from process 0 to the others of a run, which need not see its folder.

#include "core/processes/Processes.h"
#include "core/training/run/TrainingCheckpoint.h"

namespace headlight {

/// Where what is received comes from, for messages.
inline constexpr const char* kSender = "process 0";

/// What a file holds. Process 0. Throws Failure.
void sendFile(Processes& processes, const Checkpoint& file);
/// All others. Throws Failure.
Checkpoint receiveFile(Processes& processes);

/// Process 0. Throws Failure.
void sendCheckpoint(Processes& processes, const TrainingCheckpoint& checkpoint);
/// All others. Throws Failure.
TrainingCheckpoint receiveCheckpoint(Processes& processes);

}  // namespace headlight
