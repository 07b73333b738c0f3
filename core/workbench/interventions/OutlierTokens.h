// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Outlier tokens (Darcet et al. 2024, "Vision Transformers Need Registers"): patches whose tokens
// are far longer than others, of which models make scratch space, and what comes with them: heads
// that attend to one token (sinks), short values, outputs of low rank. No torch type here.

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {

struct OutlierLayer {
  Grid grid;
  std::vector<float> norms;  ///< [T]: ‖x‖ of the tokens that leave the layer, prefix tokens first
  double median = 0;         ///< of the patches' norms
  std::vector<int> outliers;  ///< patches (counted from 0) whose norm is above the bound
  /// [head]: the largest share of the patches' attention that one token receives, and which.
  std::vector<double> sink;
  std::vector<int> sinkToken;
  /// [head]: the median of ‖v‖ over tokens, and ‖v‖ of the sink's token in shares of it; NaN where
  /// attention is not weights times values.
  std::vector<double> valueNorm, sinkValue;
  /// [head]: effective rank of its outputs over the tokens (Roy & Vetterli 2007): exp of the entropy
  /// of the singular values; NaN where attention does not say.
  std::vector<double> outputRank;
};

struct OutlierReport {
  double factor = 0;  ///< outliers are longer than this times the median
  std::vector<OutlierLayer> layers;

  std::size_t most() const;  ///< outliers of the layer that has most
};

/// A bound of 3 times the median parts the two groups that Darcet et al. find in DINOv2.
inline constexpr double kOutlierFactor = 3;

/// Works on a copy of the model. Errors: InvalidArgument: a factor of at most 1, an image of another
/// size, a model without attention; Canceled; a scheme of another shape.
Result<OutlierReport> findOutliers(InferenceSession& session, const RawImages& image,
                                   const MaskScheme& masks, double factor = kOutlierFactor,
                                   const ProgressCallback& progress = {},
                                   std::stop_token stop = {});

/// The norms of every layer's patches beside each other, on one scale. Throws Failure without
/// layers.
Image outlierImage(const OutlierReport& report, const std::string& model);
/// layer,head,sink,sink_token,value_norm,sink_value,output_rank,outliers,median_norm.
std::string outlierCsv(const OutlierReport& report);

}  // namespace headlight
