// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter makes of the pixels of a dataset.

#include "core/analysis/segments/SegmentConfusion.h"
#include "core/training/Evaluation.h"

namespace headlight {

struct SegmentEvaluationResult {
  std::int64_t images = 0;
  double loss = 0;           ///< of all images as one batch, without auxiliary losses
  SegmentMeasures measures;  ///< over all pixels of the original images; the model's classes
  double imagesPerSecond = 0;
  std::int64_t skipped = 0;

  /// With mIoU, mAcc and pAcc.
  EvaluationResult summary() const;
};

/// The class of every pixel (pixelClasses) in one pass of `batches`, beside the true one. The loader
/// does not augment, and shows the model each picture whole: squashed, or in its proportions with
/// padding to the right and below. The model is in evaluation mode and put back afterwards. Points
/// of the losses are drawn from an image's place alone. Of several processes each takes its rows,
/// every image once, and all get the result of the whole. Errors: those of evaluateModel();
/// InvalidConfig where the model finds no segments or the data has none.
Result<SegmentEvaluationResult> evaluateSegments(Model& model, SharedBatches& batches,
                                                 const EvaluationOptions& options,
                                                 const ProgressCallback& progress = {},
                                                 std::stop_token stop = {});

}  // namespace headlight
