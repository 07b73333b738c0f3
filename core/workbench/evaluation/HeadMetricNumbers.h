// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Numbers of heads, gathered over layers and images. No torch type here.

#include <vector>

#include "core/analysis/HeadStatistics.h"
#include "core/workbench/evaluation/HeadMetrics.h"

namespace headlight {

/// What a measure reads off the maps of a layer of one image, a number a head. Only of measures
/// that need maps.
std::vector<double> computeMetric(HeadMetric measure, const LayerMaps& maps,
                                  const PatchPitch& pitch);

/// Where the tokens of a model's layers lie, and how far apart in pixels.
struct LayerGrids {
  std::vector<Grid> grids;
  std::vector<PatchPitch> pitches;
  LayerGrids(std::vector<Grid> layers, const ModelConfig& model);
};

/// No values yet (NaN), but chance and the note that every such measure of this model has.
HeadValues startedValues(HeadMetric measure, const ModelInfo& info, const LayerGrids& layers);

/// What has to be said where not every layer has values (NaN) of a measure of outputs of heads.
std::string outputsNote(const HeadValues& values);

/// Means over images, of each head those that have a value for it.
class HeadAverage {
 public:
  explicit HeadAverage(const std::vector<int>& heads);
  void add(int layer, int head, double value, double weight = 1);  ///< NaN is left out
  std::vector<std::vector<double>> means() const;                  ///< NaN where nothing came
  /// Over values that came one by one, with weight 1; NaN for fewer than two.
  std::vector<std::vector<double>> deviations() const;

 private:
  std::vector<std::vector<double>> m_sums, m_squares, m_weights;
};

}  // namespace headlight
