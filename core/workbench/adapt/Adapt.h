// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Teaches a model classes of a person's own: features of the frozen backbone, a linear probe and
// k-NN on them, and what both make of images that they were not fitted to. No torch type here. It
// blocks its caller's thread.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/TrainingConfig.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/adapt/AccuracyInterval.h"
#include "core/workbench/adapt/AdaptOptions.h"
#include "core/workbench/adapt/FeatureStore.h"
#include "core/workbench/adapt/LinearHead.h"
#include "core/workbench/adapt/NamedImages.h"
#include "core/workbench/adapt/TriedStrength.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct AdaptRequest {
  DataConfig data;                   ///< fitted to its training split, measured on the other
  std::vector<NamedImages> classes;  ///< in place of the data; empty: the data
  AdaptOptions options;
  FeaturePlace features;  ///< where features are kept
  /// Measured on the same images: a classifier of other masks, say. Of the same choice of features.
  std::optional<LinearHead> previous;
};

struct AdaptScore {
  std::int64_t images = 0, right = 0;
  double top1 = 0;            ///< in [0, 1]
  AccuracyInterval interval;  ///< 95 %
};

struct TaughtClass {
  std::string name;
  std::int64_t fitted = 0, held = 0;  ///< images
};

struct AdaptReport {
  LinearHead head;
  std::vector<TaughtClass> classes;
  /// Of the linear probe, image by image: for ClassReport.h. Empty where no image was held out.
  SchemeResult probe;
  AdaptScore score, neighbors;
  std::optional<AdaptScore> previous;
  double l2 = 0;
  std::vector<TriedStrength> tried;
  int iterations = 0;
  std::vector<std::string> notes;         ///< what a person should know, a sentence each
  std::int64_t computed = 0, reused = 0;  ///< images: features computed now, and kept before
  /// Of the features, of choosing a penalty and fitting, and of measuring probe and k-NN.
  double featureSeconds = 0, fitSeconds = 0, measureSeconds = 0;
};

/// `masks`: those of the backbone. Works on a copy of the model. Deterministic for equal features.
/// Errors: Canceled; those of opening the data; InvalidArgument: a model that classifies no images,
/// a token that it has not, one class, a class without an image that can be read, features of
/// another model in a file of the person's.
Result<AdaptReport> adapt(InferenceSession& session, const MaskScheme& masks,
                          const AdaptRequest& request, const ProgressCallback& progress = {},
                          std::stop_token stop = {});

/// Held-out images at `indices` (ImageVerdict::index), to be shown; an empty one for each that
/// cannot be read. Errors: those of opening the data.
Result<std::vector<Image>> heldImages(const ModelInfo& info, const AdaptRequest& request,
                                      const std::vector<std::int64_t>& indices,
                                      std::stop_token stop = {});

/// "91.2 % (95 % interval 88.0 to 93.7 %)"; "not measured" of no images.
std::string adaptScoreText(const AdaptScore& score);

}  // namespace headlight
