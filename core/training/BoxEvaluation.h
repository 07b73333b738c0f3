// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Average precision of a detector over a dataset.

#include "core/analysis/boxes/AveragePrecision.h"
#include "core/training/Evaluation.h"

namespace headlight {

struct BoxEvaluationResult {
  std::int64_t images = 0;
  double loss = 0;  ///< of all images as one batch, without auxiliary losses
  AveragePrecision
      precision;  ///< in pixels of the original images; categories: the model's classes
  double imagesPerSecond = 0;
  std::int64_t skipped = 0;

  /// With AP, AP50 and AP75; 0 where no box is there to be found.
  EvaluationResult summary() const;
};

/// What a detector finds in one pass of `batches` (findBoxes), beside what is there. The loader does
/// not augment, and shows the model each image whole (Preprocessing::squash, nothing cropped). The
/// model is in evaluation mode and put back afterwards; no random number is drawn. Of several
/// processes each takes its rows, every image once, and all get the result of the whole. Errors:
/// those of evaluateModel(); InvalidConfig where the model finds no boxes or the data has none.
Result<BoxEvaluationResult> evaluateBoxes(Model& model, SharedBatches& batches,
                                          const EvaluationOptions& options,
                                          const ProgressCallback& progress = {},
                                          std::stop_token stop = {});

}  // namespace headlight
