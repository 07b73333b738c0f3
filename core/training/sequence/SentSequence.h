// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sequence model's run on its way from process 0 to the others, which need not see its folder.

#include "core/processes/Processes.h"
#include "core/training/sequence/SequenceFile.h"

namespace headlight {

/// Process 0; what is still to be written stays its own. Throws Failure.
void sendSequenceFile(Processes& processes, SequenceFile file);
/// All others. Throws Failure.
SequenceFile receiveSequenceFile(Processes& processes);

}  // namespace headlight
