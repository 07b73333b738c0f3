// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model and the validation split that it is measured on. Torch types: core only.

#include <memory>
#include <stop_token>

#include "core/training/Evaluation.h"
#include "core/workbench/classes/ClassMatch.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/loading/LoadedModel.h"

namespace headlight {

struct OpenedEvaluation {
  LoadedModel loaded;
  std::shared_ptr<const Dataset> dataset;
  EvaluationOptions options;
  int loaderThreads;
  ClassMatch classes;  ///< of data and model; its order is the options' labelMap

  std::unique_ptr<Loader> loader() const;
  /// Average precision where a detector's cells meet data with boxes, else accuracy.
  Result<EvaluationResult> measure(const ProgressCallback& progress, std::stop_token stop) const;
};

/// The validation split of `data` for this model, at most `samples` of its images, spread over the
/// classes (0: all). A place without a validation split is measured whole, unless the model was
/// trained on it (TrainedData.h). What is to be said of the data goes to the log. Throws Failure.
std::shared_ptr<const Dataset> openImages(const ModelInfo& info, const DataConfig& data,
                                          std::int64_t samples);
/// Throws Failure(InvalidArgument) for a model without classes that data can be matched with:
/// detectors, no classifier.
void requireClasses(const ModelInfo& info);
/// For a model that has no accuracy of images: those, and segmenters.
void requireAccuracy(const ModelInfo& info);
/// matchClasses() of the two. Throws Failure, also for a model without classes.
ClassMatch matchedClasses(const Dataset& dataset, const ModelInfo& info, const ClassMatching& how);

/// Throws Failure: what opening a model or a dataset can say, and classes that do not fit.
/// `labeled`: whether labels count; else they are not matched.
OpenedEvaluation openEvaluation(const EvaluationRequest& request, bool labeled = true);
/// The same of a model of one's own (ModelCopy.h). `precision`: EvaluationRequest's.
OpenedEvaluation openEvaluation(LoadedModel loaded, const ImageSample& sample,
                                const std::string& precision = "float32");

}  // namespace headlight
