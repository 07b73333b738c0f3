// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is measured on datasets as JSON, for files that a program reads again. Reading checks
// everything: what does not fit the model it is said to be of is an error. No torch type here.

#include "core/base/Result.h"
#include "core/config/Parameter.h"
#include "core/workbench/evaluation/BranchReport.h"
#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/evaluation/LayerSimilarity.h"
#include "core/workbench/evaluation/MaskEffect.h"

namespace headlight {

Json toJson(const HeadValues& values);
Json toJson(const SchemeResult& result);
Json toJson(const LayerSimilarity& similarity);
Json toJson(const BranchReport& report);

/// Errors of all: InvalidFile, saying what is wrong.
Result<HeadValues> headValuesFrom(const Json& json, HeadMetric measure, const ModelInfo& info);
Result<SchemeResult> schemeResultFrom(const Json& json, const ModelInfo& info);
/// The same of one with scores in place of images (SchemeScores.h).
Result<SchemeResult> schemeScoresFrom(const Json& json, const ModelInfo& info);
Result<LayerSimilarity> similarityFrom(const Json& json, const ModelInfo& info);
Result<BranchReport> branchReportFrom(const Json& json, const ModelInfo& info);

}  // namespace headlight
