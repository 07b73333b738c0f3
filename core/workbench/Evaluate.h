#pragma once
// Loss and accuracy of a model, and what castling would change of them. No torch type here. Both
// doors block their caller's thread.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/TrainingConfig.h"
#include "core/masks/MaskScheme.h"
#include "core/training/run/TrainingTypes.h"
#include "core/workbench/InferenceSession.h"

namespace headlight {

struct EvaluationRequest {
  ModelSource source;
  DataConfig data;                  ///< its validation split
  std::optional<MaskScheme> masks;  ///< nothing: those the model came with
  /// Called once the model is open and before anything is measured: what of its weights fitted.
  std::function<void(const ModelInfo&)> opened;
  std::int64_t samples = 0;  ///< at most so many pictures, spread over the classes; 0: all
};

/// Errors: those of opening a model and a dataset, Canceled, classes that do not fit.
Result<EvaluationResult> evaluate(const EvaluationRequest& request,
                                  const ProgressCallback& progress, std::stop_token stop);

/// Castling-ViT, §3.2.2: a model with its auxiliary softmax branch, and without.
struct CastlingReport {
  struct Layer {
    /// Of the auxiliary mask over all images, in [0, 1]; NaN in a layer without a branch.
    double nonzeros = 0;
    double perImage = 0;  ///< as many entries of an image's H × T × T on average; NaN likewise
  };
  EvaluationResult with, castled;
  std::vector<Layer> layers;
  /// No entry was left in any layer for any image: leaving the branch out changes nothing.
  bool free = false;
  std::string verdict;  ///< in words
};

/// As evaluate(), twice. Errors besides: InvalidConfig for a model without an auxiliary branch.
Result<CastlingReport> evaluateCastling(const EvaluationRequest& request,
                                        const ProgressCallback& progress, std::stop_token stop);

}  // namespace headlight
