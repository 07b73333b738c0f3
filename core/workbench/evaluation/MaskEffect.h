// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What masks do to a model on a data set: loss and accuracy under a scheme, picture by picture, and
// what changes from one scheme to another. No torch type here.

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/PictureSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// What a model says of one picture.
struct PictureVerdict {
  std::int64_t index = 0;  ///< in the validation split, limited as the sample says
  std::string name;        ///< its path, or what the data set calls it
  int label = 0;           ///< its class, as the model counts them
  int predicted = 0;       ///< the model's class
  float probability = 0;   ///< of the predicted class
  float ofLabel = 0;       ///< the probability of its own class
  double loss = 0;         ///< −ln of that
  bool amongFive = false;  ///< whether its class is among the five best
  bool right() const { return predicted == label; }
};

/// One scheme over all pictures: what a program keeps to compare others with, as long as weights,
/// data and sample are the same.
struct SchemeResult {
  std::vector<PictureVerdict> pictures;  ///< those that can be read, in order
  std::vector<std::string> classNames;   ///< of the model's classes; empty: they have none
  std::int64_t skipped = 0;              ///< damaged files
  double loss = 0;                       ///< mean
  double top1 = 0, top5 = 0;             ///< shares
  std::string classMatch = {};           ///< ClassMatch::text
  std::string measured = {};             ///< when (utcNow()), of a result that is kept; else empty
};

/// Each of `schemes` over the same pictures, which are decoded once, with the weights that the
/// session has when this begins: on a copy of the model, so that the session stays free. Blocks its
/// caller's thread. Progress is in pictures times schemes. `precision` is that of
/// EvaluationRequest. Errors: those of opening a data set, classes that do not fit, a scheme of
/// another shape, a precision that the device does not have, Canceled, no memory.
Result<std::vector<SchemeResult>> evaluateSchemes(InferenceSession& session,
                                                  const PictureSample& sample,
                                                  const std::vector<MaskScheme>& schemes,
                                                  const ProgressCallback& progress = {},
                                                  std::stop_token stop = {},
                                                  const std::string& precision = "float32");

/// One picture under two schemes.
struct PictureChange {
  PictureVerdict before, after;
  double lossRise() const { return after.loss - before.loss; }
};

/// What changes from one scheme to another.
struct MaskEffect {
  std::int64_t pictures = 0;
  double lossRise = 0, top1Rise = 0, top5Rise = 0;
  std::int64_t changed = 0;  ///< pictures whose prediction is another one
  std::int64_t mended = 0;   ///< wrong before and right after
  std::int64_t broken = 0;   ///< right before and wrong after
  /// Of those whose prediction changed, the ones whose loss changed most come first.
  std::vector<PictureChange> changes;
  /// Of all pictures those whose loss rose most, the worst first; none whose loss fell.
  std::vector<PictureChange> worst;
};

/// Of two results over the same pictures; at most `most` pictures in each list. Nothing is
/// computed anew. Error: InvalidArgument, other pictures.
Result<MaskEffect> maskEffect(const SchemeResult& before, const SchemeResult& after,
                              std::size_t most = 24);

}  // namespace headlight
