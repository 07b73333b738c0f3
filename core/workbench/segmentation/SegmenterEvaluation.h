// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A segmenter measured class by class on a dataset with a class for every pixel. No torch type
// here. It blocks its caller's thread.

#include <functional>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/config/ClassMatching.h"
#include "core/config/TrainingConfig.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/segmentation/SegmentReport.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct SegmenterRequest {
  DataConfig data;              ///< its validation split
  std::int64_t samples = 0;     ///< at most so many images, spread over all; 0: all
  ClassMatching matching = {};  ///< of the data's classes with the model's
  /// Called before anything is measured, with ClassMatch::text.
  std::function<void(const std::string& text)> matched = {};
};

/// The class of every pixel of every image, at the image's own size, beside the true one. Damaged
/// images are left out and counted. Errors: no segmenter, data without segments, classes that do
/// not fit, NaN, no image that can be read, Canceled, those of opening the data.
Result<SegmentReport> evaluateSegmenter(InferenceSession& session, const MaskScheme& masks,
                                        const SegmenterRequest& request,
                                        const ProgressCallback& progress = {},
                                        std::stop_token stop = {});

}  // namespace headlight
