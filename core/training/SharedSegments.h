// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The classes of pixels of a batch of which each of several processes has some rows.

#include <vector>

#include "core/data/Loader.h"
#include "core/processes/Processes.h"

namespace headlight {

/// Batch::segments of all rows of the whole batch (here.whole), in every process: [whole, H, W],
/// uint8; undefined where no process has any. Rows that no process has are of class 0. Every
/// process of the run calls it. Throws Failure as Processes does.
at::Tensor sharedSegments(const Batch& here, Processes& processes);

/// Likewise ImageTruth::segments, one for each row; empty where no process has any.
std::vector<ClassImage> sharedTrueSegments(const Batch& here, Processes& processes);

}  // namespace headlight
