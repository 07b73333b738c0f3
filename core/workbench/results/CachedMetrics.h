// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Measurements on datasets as their own doors make them (HeadMetrics.h, LayerSimilarity.h,
// MaskEffect.h, SchemeScores.h, BranchReport.h), unless the same was measured before and is kept:
// then it comes from the cache at once, with the date when it was measured. No torch type here. All
// block their caller's thread; errors are those of the doors. What the cache cannot do is logged and
// keeps nobody from measuring.

#include <memory>
#include <vector>

#include "core/workbench/evaluation/BranchReport.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/evaluation/LayerSimilarity.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/results/ResultCache.h"

namespace headlight {

struct CachePolicy {
  enum class Use {
    KeptOrMeasured,
    Measured,  ///< in any case, and in place of what is kept
    Kept,      ///< nothing is measured; error: NotFound
  };
  std::shared_ptr<const ResultCache> shelf = {};  ///< null: measures, and keeps nothing
  Use use = Use::KeptOrMeasured;
};

/// What is measured, of which model's weights, masks and images.
struct MeasuredOn {
  InferenceSession& session;
  const ImageSample& sample;
  const MaskScheme& masks;
};

Result<std::vector<HeadValues>> keptHeads(const CachePolicy& keeping, const MeasuredOn& on,
                                          const std::vector<HeadMetric>& measures,
                                          const ProgressCallback& progress = {},
                                          std::stop_token stop = {});
Result<LayerSimilarity> keptSimilarity(const CachePolicy& keeping, const MeasuredOn& on,
                                       const ProgressCallback& progress = {},
                                       std::stop_token stop = {});
Result<BranchReport> cachedBranchReport(const CachePolicy& keeping, const MeasuredOn& on,
                                        const ProgressCallback& progress = {},
                                        std::stop_token stop = {});
/// `on.masks` do not count: each of `schemes` does.
Result<std::vector<SchemeResult>> keptEvaluations(const CachePolicy& keeping, const MeasuredOn& on,
                                                  const std::vector<MaskScheme>& schemes,
                                                  const ProgressCallback& progress = {},
                                                  std::stop_token stop = {});

/// The same of a model that has scores in place of an accuracy (measuresScores()).
Result<std::vector<SchemeResult>> keptScores(const CachePolicy& keeping, const MeasuredOn& on,
                                             const std::vector<MaskScheme>& schemes,
                                             const ProgressCallback& progress = {},
                                             std::stop_token stop = {});

/// "measured on 2 November 2026, 14:03"; empty of what is not kept.
std::string measuredText(const std::string& measured);

}  // namespace headlight
