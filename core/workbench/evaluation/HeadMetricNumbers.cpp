// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/HeadMetricNumbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/Rollout.h"
#include "core/base/Text.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double chanceOf(HeadMetric measure, const Grid& grid, const PatchPitch& pitch) {
  switch (measure) {
    case HeadMetric::Locality:
      return uniformLocality(grid);
    case HeadMetric::Entropy:
      return uniformEntropy(grid);
    case HeadMetric::Distance:
      return uniformDistance(grid, pitch);
    case HeadMetric::Sink:
      return uniformSink(grid);
    default:
      return kNone;
  }
}

std::string noteOf(HeadMetric measure, const ModelInfo& info) {
  if (!findInfo(measure).needsMaps) return {};
  std::string note;
  if (measure == HeadMetric::Sink)
    note = info.mapIsSigned        ? "signed maps count by size, rows normalized"
           : !info.mapRowsSumToOne ? "rows normalized"
                                   : "";
  else if (measure != HeadMetric::Locality)
    note = rolloutPreparation(info.mapIsSigned, info.mapRowsSumToOne);
  else if (info.mapIsSigned)
    note = "maps are signed and used unchanged";
  const MaskShape shape = makeMaskShape(info.experiment.model);
  const int layers = static_cast<int>(shape.heads.size());
  if (shape.maskableLayers > 0 && shape.maskableLayers < layers)
    addTo(note,
          "patches attend only to themselves in the class attention of the last " +
              std::to_string(layers - shape.maskableLayers) + " layers",
          "; ");
  return note;
}

}  // namespace

std::vector<double> computeMetric(HeadMetric measure, const LayerMaps& maps,
                                  const PatchPitch& pitch) {
  const auto values = measure == HeadMetric::Locality  ? localityScores(maps)
                      : measure == HeadMetric::Entropy ? attentionEntropies(maps)
                      : measure == HeadMetric::Sink    ? attentionSinks(maps)
                                                       : attentionDistances(maps, pitch);
  return {values.begin(), values.end()};
}

LayerGrids::LayerGrids(std::vector<Grid> layers, const ModelConfig& model)
    : grids(std::move(layers)),
      pitches(patchPitches(grids, model.imageHeightPixels(), model.imageWidthPixels())) {}

HeadValues startedValues(HeadMetric measure, const ModelInfo& info, const LayerGrids& layers) {
  HeadValues started;
  started.measure = measure;
  started.note = noteOf(measure, info);
  for (std::size_t l = 0; l < info.heads.size(); ++l) {
    started.values.emplace_back(info.heads[l], kNone);
    started.chance.push_back(chanceOf(measure, layers.grids[l], layers.pitches[l]));
  }
  return started;
}

std::string outputsNote(const HeadValues& values) {
  for (const auto& layer : values.values)
    for (const double value : layer)
      if (std::isnan(value))
        return values.measure == HeadMetric::ValueNorm
                   ? "no value for heads whose outputs are not weights times values alone"
                   : "no value for heads without outputs of their own";
  return {};
}

HeadAverage::HeadAverage(const std::vector<int>& heads) {
  for (const int count : heads)
    m_sums.emplace_back(count, 0.0);
  m_weights = m_squares = m_sums;
}

void HeadAverage::add(int layer, int head, double value, double weight) {
  if (std::isnan(value)) return;
  m_sums[layer][head] += weight * value;
  m_squares[layer][head] += weight * value * value;
  m_weights[layer][head] += weight;
}

std::vector<std::vector<double>> HeadAverage::deviations() const {
  std::vector<std::vector<double>> result = m_squares;
  for (std::size_t l = 0; l < result.size(); ++l)
    for (std::size_t h = 0; h < result[l].size(); ++h) {
      const double count = m_weights[l][h], sum = m_sums[l][h];
      result[l][h] =
          count > 1 ? std::sqrt(std::max(0.0, m_squares[l][h] - sum * sum / count) / (count - 1))
                    : kNone;
    }
  return result;
}

std::vector<std::vector<double>> HeadAverage::means() const {
  std::vector<std::vector<double>> means = m_sums;
  for (std::size_t l = 0; l < means.size(); ++l)
    for (std::size_t h = 0; h < means[l].size(); ++h)
      means[l][h] = m_weights[l][h] > 0 ? m_sums[l][h] / m_weights[l][h] : kNone;
  return means;
}

}  // namespace headlight
