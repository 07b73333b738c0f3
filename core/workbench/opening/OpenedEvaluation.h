#pragma once
// A model and the validation split that it is measured on. Torch types: core only.

#include <memory>
#include <stop_token>

#include "core/training/Evaluation.h"
#include "core/workbench/Evaluate.h"
#include "core/workbench/opening/LoadedModel.h"

namespace headlight {

struct OpenedEvaluation {
  LoadedModel loaded;
  std::shared_ptr<const Dataset> dataset;
  EvaluationOptions options;
  int loaderThreads;

  std::unique_ptr<Loader> loader() const;
  Result<EvaluationResult> measure(const ProgressCallback& progress, std::stop_token stop) const;
};

/// Throws Failure: what opening a model or a dataset can say, and classes that do not fit.
OpenedEvaluation openEvaluation(const EvaluationRequest& request);

}  // namespace headlight
