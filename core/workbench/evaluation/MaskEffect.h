// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What masks do to a model on a dataset: loss and accuracy under a scheme, image by image, and
// what changes from one scheme to another. No torch type here.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/masks/MaskScheme.h"
#include "core/training/logs/TrainingTypes.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// What a model says of one image.
struct ImageVerdict {
  std::int64_t index = 0;  ///< in the validation split, limited as the sample says
  std::string name;        ///< its path, or what the dataset calls it
  int label = 0;           ///< its class, as the model counts them
  int predicted = 0;       ///< the model's class
  float probability = 0;   ///< of the predicted class
  float ofLabel = 0;       ///< the probability of its own class
  double loss = 0;         ///< −ln of that
  bool amongFive = false;  ///< whether its class is among the five best
  bool right() const { return predicted == label; }
};

/// One scheme over all images: what a program keeps to compare others with, as long as weights,
/// data and sample are the same.
struct SchemeResult {
  std::vector<ImageVerdict> images;     ///< those that can be read, in order
  std::vector<std::string> classNames;  ///< of the model's classes; empty: they have none
  std::int64_t skipped = 0;             ///< damaged files
  double loss = 0;                      ///< mean
  double top1 = 0, top5 = 0;            ///< shares
  std::string classMatch = {};          ///< ClassMatch::text
  /// Of a model without an accuracy of images (SchemeScores.h); then `images` is empty.
  std::optional<EvaluationResult> scores = {};
  std::string measured = {};  ///< when (utcNow()), of a result that is kept; else empty
};

/// What one scheme is judged by, in [0, 1], more is better: top-1, or SchemeResult::scores' own.
double qualityOf(const SchemeResult& result);

/// Each of `schemes` over the same images, which are decoded once, with the weights that the
/// session has when this begins: on a copy of the model, so that the session stays free. Blocks its
/// caller's thread. Progress is in images times schemes. `precision` is that of
/// EvaluationRequest. Errors: those of opening a dataset, classes that do not fit, a scheme of
/// another shape, a precision that the device does not have, Canceled, no memory.
Result<std::vector<SchemeResult>> evaluateSchemes(InferenceSession& session,
                                                  const ImageSample& sample,
                                                  const std::vector<MaskScheme>& schemes,
                                                  const ProgressCallback& progress = {},
                                                  std::stop_token stop = {},
                                                  const std::string& precision = "float32");

/// One image under two schemes.
struct ImageChange {
  ImageVerdict before, after;
  double lossRise() const { return after.loss - before.loss; }
};

/// What changes from one scheme to another.
struct MaskEffect {
  std::int64_t images = 0;
  double lossRise = 0;
  double top1Rise = 0;  ///< of qualityOf()
  double top5Rise = 0;
  std::int64_t changed = 0;  ///< images whose prediction is another one
  std::int64_t mended = 0;   ///< wrong before and right after
  std::int64_t broken = 0;   ///< right before and wrong after
  /// Images whose prediction changed; the largest change of loss comes first.
  std::vector<ImageChange> changes;
  /// Images whose loss rose most, the worst first; none whose loss fell.
  std::vector<ImageChange> worst;
};

/// For two results over the same images; at most `most` images in each list. Nothing is
/// computed anew. Error: InvalidArgument, other images.
Result<MaskEffect> maskEffect(const SchemeResult& before, const SchemeResult& after,
                              std::size_t most = 24);

}  // namespace headlight
