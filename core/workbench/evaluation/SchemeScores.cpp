// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/SchemeScores.h"

#include <ATen/Parallel.h>

#include "core/models/Registry.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

/// Of one pass among `passes`.
ProgressCallback passProgress(const ProgressCallback& progress, std::int64_t pass,
                              std::int64_t passes) {
  if (!progress) return {};
  return [progress, pass, passes](const Progress& now) {
    Progress whole = now;
    whole.done = pass * now.total + now.done;
    whole.total = passes * now.total;
    progress(whole);
  };
}

SchemeResult scoredWith(const OpenedEvaluation& opened, const EvaluationResult& scores) {
  SchemeResult result;
  result.scores = scores;
  result.loss = scores.loss;
  result.skipped = scores.skipped;
  result.classNames = opened.loaded.info.classNames;
  result.classMatch = opened.classes.text;
  return result;
}

}  // namespace

bool measuresScores(const ModelInfo& info) {
  return !info.isPrecomputed && taskOf(info.experiment.model) != Task::Classify;
}

Result<std::vector<SchemeResult>> scoreSchemes(InferenceSession& session, const ImageSample& sample,
                                               const std::vector<MaskScheme>& schemes,
                                               const ProgressCallback& progress,
                                               std::stop_token stop) {
  return guarded("evaluation", [&] {
    at::init_num_threads();  // counts are per thread
    const OpenedEvaluation opened = openEvaluation(copyModel(session), sample, "float32");
    const auto passes = static_cast<std::int64_t>(schemes.size());
    std::vector<SchemeResult> results;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      opened.loaded.model->setMasks(schemes[static_cast<std::size_t>(pass)]);
      results.push_back(scoredWith(
          opened, valueOrThrow(opened.measure(passProgress(progress, pass, passes), stop))));
    }
    return results;
  });
}

}  // namespace headlight
