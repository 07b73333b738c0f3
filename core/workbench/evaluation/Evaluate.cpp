// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/Evaluate.h"

#include "core/workbench/evaluation/OpenedEvaluation.h"

namespace headlight {

Result<EvaluationResult> evaluate(const EvaluationRequest& request,
                                  const ProgressCallback& progress, std::stop_token stop) {
  return guarded("evaluation", [&] { return openEvaluation(request).measure(progress, stop); });
}

}  // namespace headlight
