// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The two passes over a data set that castling is judged by. Torch types: core only.

#include "core/workbench/evaluation/CastlingReport.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"

namespace headlight {

/// With the branch and without it, over the same pictures; the model is castled afterwards. Throws
/// Failure, also for a model without a branch.
CastlingReport castlingReport(OpenedEvaluation& opened, const ProgressCallback& progress,
                              std::stop_token stop);

}  // namespace headlight
