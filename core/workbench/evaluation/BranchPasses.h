// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The two passes over a dataset, with the auxiliary branch and without. Torch types: core only.

#include "core/workbench/evaluation/BranchReport.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"

namespace headlight {

/// With the branch and without it, over the same images; afterwards the model has no branch. Throws
/// Failure, also for a model without a branch.
BranchReport branchReport(OpenedEvaluation& opened, const ProgressCallback& progress,
                          std::stop_token stop);

}  // namespace headlight
