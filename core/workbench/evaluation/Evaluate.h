// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Loss and accuracy of a model. No torch type here. It blocks its caller's thread.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/ClassMatching.h"
#include "core/config/TrainingConfig.h"
#include "core/masks/MaskScheme.h"
#include "core/training/logs/TrainingTypes.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct EvaluationRequest {
  ModelSource source;
  DataConfig data;                  ///< its validation split
  std::optional<MaskScheme> masks;  ///< nothing: those the model came with
  /// Called once the model is open and before anything is measured: what of its weights fitted.
  std::function<void(const ModelInfo&)> opened;
  std::int64_t samples = 0;  ///< at most so many images, spread over the classes; 0: all
  /// Precision of the forward passes, as in training.precision; losses are always float32.
  std::string precision = "float32";
  ClassMatching matching = {};
  /// Called before anything is measured, with what is to be said of how the classes of data and
  /// model are matched (ClassMatch::text).
  std::function<void(const std::string& text)> matched = {};
};

/// Errors: those of opening a model and a dataset, Canceled, classes that do not fit, a precision
/// that the device does not have.
Result<EvaluationResult> evaluate(const EvaluationRequest& request,
                                  const ProgressCallback& progress, std::stop_token stop);

}  // namespace headlight
