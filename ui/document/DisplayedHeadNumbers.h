// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The number that is shown of every head, in tiles, in the matrix and in lists: which, and how it
// reads.

#include <QString>

#include <memory>
#include <optional>

#include "core/workbench/evaluation/HeadMetrics.h"
#include "core/workbench/evaluation/LayerSimilarity.h"

namespace headlight {

struct HeadNumbers {
  HeadMetric measure = HeadMetric::Locality;
  bool averaged = false;  ///< over the dataset that masks are measured on
  /// Null: from the newest result (locality, α), or not measured yet.
  std::shared_ptr<const HeadValues> values = nullptr;
};

/// Similarity of layers averaged over a dataset.
struct LayerNumbers {
  bool averaged = false;  ///< over the dataset that masks are measured on
  /// Null: not measured yet.
  std::shared_ptr<const LayerSimilarity> values = nullptr;
};

/// "0.31", "47 px", "−0.0021": as people compare them.
QString headNumberText(const HeadMeasureInfo& info, double value);

}  // namespace headlight
