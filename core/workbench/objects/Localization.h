// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Objects found without labels over a dataset with true boxes: correct localization (CorLoc). A
// dataset with a class for every pixel has a box around each class of an image (SegmentMatch.h),
// and the IoU of masks beside that of boxes. No torch type here. It blocks its caller's thread.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/adapt/AccuracyInterval.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/objects/DiscoverObject.h"

namespace headlight {

struct LocalizedImage {
  std::string name;
  BoxSides box{};      ///< in pixels of the image
  double overlap = 0;  ///< IoU with the true box that overlaps most
  std::string label;   ///< the class of that box
  /// Of the marked patches with the true class that overlaps most; empty: data with boxes.
  std::optional<double> maskOverlap = {};
  std::string problem;  ///< why there is no box; empty: there is one
};

struct Localization {
  std::int64_t images = 0;                     ///< with true boxes
  std::int64_t found = 0;                      ///< of them, IoU > 0.5 with some true box
  std::int64_t without = 0;                    ///< images without true boxes, which do not count
  double meanOverlap = 0;                      ///< IoU, over `images`; 0 of those without a box
  std::optional<double> meanMaskOverlap = {};  ///< likewise, of masks; empty: data with boxes
  AccuracyInterval interval;                   ///< of the share, 95 %
  std::vector<LocalizedImage> each;
  std::vector<std::string> unread;  ///< why, of each image that could not be read
  std::string of;                   ///< the dataset in words

  double corLoc() const;  ///< found / images; NaN of no images
};

/// Over the validation split. An image in which the method finds no object (NotFound) is counted as
/// missed. Errors: data or images without true boxes or segments; those of opening it and of
/// discoverObject().
Result<Localization> localizeObjects(InferenceSession& session, const MaskScheme& masks,
                                     const ObjectOptions& options, const ImageSample& sample,
                                     const ProgressCallback& progress = {},
                                     std::stop_token stop = {});

/// image,iou,class,left,top,right,bottom; of data with segments also mask_iou.
std::string localizationCsv(const Localization& localization);

}  // namespace headlight
