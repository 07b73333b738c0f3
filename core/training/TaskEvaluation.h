// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model measured by what it learns.

#include "core/training/Evaluation.h"

namespace headlight {

/// What a model is measured by (taskOf()): evaluateBoxes() in short for a detector,
/// evaluateSegments() for a segmenter, evaluateRebuilding() for a masked autoencoder, else
/// evaluateModel().
Result<EvaluationResult> evaluateByTask(Model& model, SharedBatches& batches,
                                        const EvaluationOptions& options,
                                        const ProgressCallback& progress = {},
                                        std::stop_token stop = {});

}  // namespace headlight
