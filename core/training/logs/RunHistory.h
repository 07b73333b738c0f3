// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reading back what MetricsLog.h wrote, to go on with a run's curves where they were.

#include <vector>

#include "core/base/files/OpenFolder.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// What metrics.jsonl and masks.jsonl in `folder` say. `heads`: of every layer of the model;
/// measurements of another shape are passed over, as are lines that are damaged or go back in time.
/// Files that are missing say nothing. HeadPoint::images is not logged: 0.
RunHistory readRunHistory(const OpenFolder& folder, const std::vector<int>& heads);

}  // namespace headlight
