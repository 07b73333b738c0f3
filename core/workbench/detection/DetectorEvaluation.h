// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Average precision of a detector (YOLOS, LCNet-ViT) on a dataset of COCO's kind. No torch type here. It
// blocks its caller's thread.

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/config/ClassMatching.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/detection/BoxReport.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct DetectorRequest {
  std::filesystem::path truth;   ///< COCO's annotations
  std::filesystem::path images;  ///< their folder; empty: found beside the annotations
  std::int64_t samples = 0;      ///< at most so many images, spread over all; 0: all
  ClassMatching matching = {};   ///< of its categories with the model's classes
  std::filesystem::path output;  ///< where the boxes go as COCO's results; empty: nowhere
  /// Called before anything is measured, with ClassMatch::text.
  std::function<void(const std::string& text)> matched = {};
};

/// Runs the model over every image: what it finds, with scores and boxes in the image's pixels. Of
/// each detection token that is the likeliest class but "no object", as transformers'
/// post_process_object_detection with threshold 0; of cells what findBoxes() keeps. Classes that are no category of the data are left out. Errors: no detector,
/// categories that are not the model's (isClassMisfit), an image that is missing or damaged, NaN,
/// Canceled, and those of openBoxTruth() and of writing.
Result<BoxReport> evaluateDetector(InferenceSession& session, const MaskScheme& masks,
                                   const DetectorRequest& request,
                                   const ProgressCallback& progress = {},
                                   std::stop_token stop = {});

/// The category of each of the model's classes, -1 for none. `order`: ClassMatch's, empty: they
/// are the same. Throws Failure: two categories are one class.
std::vector<int> categoriesOfClasses(const std::vector<std::int64_t>& order,
                                     const std::vector<std::string>& categories, int classes);

}  // namespace headlight
