// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/HeadMetrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/evaluation/HeadMetricNumbers.h"

namespace headlight {
namespace {

std::string measureNames() {
  std::vector<std::string> names;
  for (const HeadMeasureInfo& info : headMeasures())
    names.push_back(info.name);
  return joined(names);
}

std::vector<HeadPlace> everyHead(const HeadValues& values) {
  std::vector<HeadPlace> places;
  for (int l = 0; l < static_cast<int>(values.values.size()); ++l)
    for (int h = 0; h < static_cast<int>(values.values[l].size()); ++h)
      if (!std::isnan(values.values[l][h])) places.push_back({l, h});
  return places;
}

double valueAt(const HeadValues& values, const HeadPlace& place) {
  return values.values[place.layer][place.head];
}

Error noCondition(const std::string& text) {
  return {ErrorCode::InvalidArgument,
          tr("is not a condition; give a metric (") + measureNames() +
              tr("), one of < <= > >=, and a number, such as als<0.2"),
          text};
}

}  // namespace

const std::vector<HeadMeasureInfo>& headMeasures() {
  using M = HeadMetric;
  static const std::vector<HeadMeasureInfo> all{
      {.measure = M::Locality,
       .name = "als",
       .title = "attention locality (ALS)",
       .larger = "more local",
       .help = "The share of attention that patches give to their 3 × 3 neighborhood.",
       .isShare = true,
       .hasChance = true,
       .needsMaps = true},
      {.measure = M::Entropy,
       .name = "entropy",
       .title = "attention entropy",
       .larger = "more spread",
       .help = "How evenly a query spreads its attention over all tokens: 0 on one token, 1 evenly "
               "on all.",
       .isShare = true,
       .hasChance = true,
       .needsMaps = true},
      {.measure = M::Distance,
       .name = "distance",
       .title = "mean attention distance",
       .unit = "px",
       .larger = "farther",
       .help =
           "Mean distance between a patch and what it attends to, in pixels of the model's input.",
       .hasChance = true,
       .needsMaps = true},
      {.measure = M::Importance,
       .name = "importance",
       .title = "importance (exact)",
       .larger = "more important",
       .help =
           "Effect of setting the head's output to 0: the drop of the predicted class's "
           "probability on an image, or the rise of the mean loss on a dataset. One pass per head.",
       .needsLabels = true,
       .isSlow = true},
      {.measure = M::ImportanceFirstOrder,
       .name = "importance_first_order",
       .title = "importance (first order)",
       .larger = "more important",
       .help = "First-order approximation of the importance, without its sign: |Σ output · "
               "gradient|, from one backward pass for all heads.",
       .needsLabels = true},
      {.measure = M::Alpha,
       .name = "alpha",
       .title = "learned α",
       .larger = "more attention outside the window",
       .help = "Learned factor of soft masks on the logits outside the window.",
       .isShare = true},
      {.measure = M::Sink,
       .name = "sink",
       .title = "attention sink",
       .larger = "more attention on one token",
       .help = "The largest share of the patches' attention that one token receives.",
       .isShare = true,
       .hasChance = true,
       .needsMaps = true},
      {.measure = M::ValueNorm,
       .name = "value_norm",
       .title = "value norm",
       .larger = "longer values",
       .help = "The median length of the head's value vectors over the tokens.",
       .needsOutputs = true},
      {.measure = M::OutputRank,
       .name = "output_rank",
       .title = "output rank",
       .larger = "outputs of more directions",
       .help = "The effective rank of the head's outputs over the tokens: exp of the entropy of "
               "the singular values.",
       .needsOutputs = true},
  };
  return all;
}

const HeadMeasureInfo& findInfo(HeadMetric measure) {
  return headMeasures()[static_cast<std::size_t>(measure)];
}

Result<HeadMetric> headMeasureFromName(const std::string& name) {
  for (const HeadMeasureInfo& info : headMeasures())
    if (info.name == name) return info.measure;
  return Error{ErrorCode::InvalidArgument,
               tr("is not a head metric; choose one of ") + measureNames(), name};
}

Result<HeadValues> computeHeadValues(const InferenceResult& inference, const ModelInfo& info,
                                     HeadMetric measure) {
  return guarded("heads", [&] {
    const bool fromMaps = findInfo(measure).needsMaps;
    if (findInfo(measure).needsOutputs)
      throw Failure({ErrorCode::InvalidArgument, tr("needs a forward pass of the model"),
                     findInfo(measure).name});
    if (!fromMaps && measure != HeadMetric::Alpha)
      throw Failure({ErrorCode::InvalidArgument, tr("needs more than one forward pass"),
                     findInfo(measure).name});
    std::vector<Grid> grids;
    for (const LayerMaps& layer : inference.maps.layers)
      grids.push_back(layer.grid);
    if (fromMaps && grids.size() != info.heads.size())
      throw Failure({ErrorCode::InvalidArgument, tr("needs the maps of every layer"),
                     findInfo(measure).name});
    grids.resize(info.heads.size(), info.grid);
    const LayerGrids layers(std::move(grids), info.experiment.model);
    HeadValues result = startedValues(measure, info, layers);
    result.images = fromMaps ? 1 : 0;
    for (std::size_t l = 0; l < result.values.size(); ++l)
      result.values[l] =
          fromMaps ? computeMetric(measure, inference.maps.layers[l], layers.pitches[l])
                   : std::vector<double>(inference.alphas[l].begin(), inference.alphas[l].end());
    return result;
  });
}

bool HeadCondition::holds(double value) const {
  switch (order) {
    case Order::Below:
      return value < bound;
    case Order::AtMost:
      return value <= bound;
    case Order::Above:
      return value > bound;
    case Order::AtLeast:
      return value >= bound;
  }
  return false;
}

Result<HeadCondition> headConditionFromText(const std::string& text) {
  const auto at = text.find_first_of("<>");
  if (at == std::string::npos) return noCondition(text);
  const bool orEqual = text.substr(at + 1, 1) == "=", below = text[at] == '<';
  const std::string number = text.substr(at + (orEqual ? 2 : 1));
  HeadCondition condition;
  const auto measure = headMeasureFromName(text.substr(0, at));
  if (!measure) return measure.error();
  condition.measure = *measure;
  using Order = HeadCondition::Order;
  condition.order =
      below ? (orEqual ? Order::AtMost : Order::Below) : (orEqual ? Order::AtLeast : Order::Above);
  const char* end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, condition.bound);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(condition.bound))
    return noCondition(text);
  return condition;
}

std::vector<HeadPlace> headsWhere(const HeadValues& values, const HeadCondition& condition) {
  std::vector<HeadPlace> places = everyHead(values);
  std::erase_if(places,
                [&](const HeadPlace& place) { return !condition.holds(valueAt(values, place)); });
  return places;
}

std::vector<HeadPlace> sortedHeads(const HeadValues& values) {
  std::vector<HeadPlace> places = everyHead(values);
  std::stable_sort(places.begin(), places.end(), [&](const HeadPlace& a, const HeadPlace& b) {
    return valueAt(values, a) > valueAt(values, b);
  });
  return places;
}

}  // namespace headlight
