// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The reconstruction loss of a masked autoencoder over a dataset.

#include "core/training/Evaluation.h"

namespace headlight {

/// The mean loss over all images (rebuildLosses), as trained, and `rebuilt`. Which patches are
/// dropped is a function of an image's place in the dataset alone (evaluationKey). The model is in
/// evaluation mode and put back afterwards; no random number is drawn. Of several processes each
/// counts its rows, every image once, and all get the result of the whole. Errors: those of
/// evaluateModel(); InvalidConfig for a model without a decoder and while heads are masked.
Result<EvaluationResult> evaluateRebuilding(Model& model, SharedBatches& batches,
                                            const EvaluationOptions& options,
                                            const ProgressCallback& progress = {},
                                            std::stop_token stop = {});

}  // namespace headlight
