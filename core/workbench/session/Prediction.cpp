// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/Prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headlight {
namespace {

std::vector<double> probabilitiesOf(const InferenceResult& inference) {
  std::vector<double> values(inference.logits.begin(), inference.logits.end());
  if (values.empty()) return values;
  if (inference.sigmoid) {
    for (double& value : values)
      value = 1 / (1 + std::exp(-value));
    return values;
  }
  const double most = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values)
    sum += value = std::exp(value - most);
  for (double& value : values)
    value /= sum;
  return values;
}

/// Rank of every class, from 1; ties by index.
std::vector<int> ranksOf(const std::vector<float>& logits) {
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return logits[a] > logits[b]; });
  std::vector<int> ranks(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks[order[i]] = static_cast<int>(i) + 1;
  return ranks;
}

}  // namespace

namespace {

/// Names that were assumed, or given by a person, say nothing of what the classes are.
bool knowsItsClasses(const ModelInfo& info) {
  if (info.classNamesFrom == ClassNamesFrom::ImageNet) return false;
  if (info.classNamesFrom == ClassNamesFrom::File) return !info.classKeys.empty();
  return !info.classNames.empty();
}

}  // namespace

bool sameClasses(const ModelInfo& a, const ModelInfo& b) {
  if (a.experiment.model.classes != b.experiment.model.classes) return false;
  const bool sameKeys = !a.classKeys.empty() && a.classKeys == b.classKeys;
  return sameKeys || a.classNames == b.classNames || !knowsItsClasses(a) || !knowsItsClasses(b);
}

namespace {

/// A recorded result has the best classes, but no logits.
std::vector<PredictionRow> recordedRows(const InferenceResult& inference, int rows) {
  std::vector<PredictionRow> all;
  for (const ClassScore& score : inference.top)
    if (const int rank = static_cast<int>(all.size()) + 1; rank <= rows)
      all.push_back({score.name, rank, score.probability, 0, 0, score.index});
  return all;
}

}  // namespace

std::vector<PredictionRow> predictionRows(const InferenceResult& after,
                                          const InferenceResult* before, int rows) {
  if (after.logits.empty()) return recordedRows(after, rows);
  const std::vector<double> now = probabilitiesOf(after);
  const std::vector<int> rank = ranksOf(after.logits);
  std::vector<double> then;
  std::vector<int> rankThen;
  if (before && before->logits.size() == after.logits.size()) {
    then = probabilitiesOf(*before);
    rankThen = ranksOf(before->logits);
  }
  std::vector<PredictionRow> all;
  const auto add = [&](const ClassScore& score) {
    const auto index = static_cast<std::size_t>(score.index);
    if (score.index < 0 || index >= now.size()) return;
    PredictionRow row;
    row.name = score.name;
    row.index = score.index;
    row.rank = rank[index];
    row.probability = now[index];
    if (!then.empty()) {
      row.rankBefore = rankThen[index];
      row.probabilityBefore = then[index];
    }
    all.push_back(row);
  };
  for (const ClassScore& score : after.top) {
    if (static_cast<int>(all.size()) == rows) break;
    add(score);
  }
  if (!then.empty() && !before->top.empty()) {
    const int best = before->top.front().index;
    const auto shown = std::min<std::size_t>(after.top.size(), static_cast<std::size_t>(rows));
    if (std::none_of(after.top.begin(), after.top.begin() + static_cast<std::ptrdiff_t>(shown),
                     [best](const ClassScore& score) { return score.index == best; }))
      add(before->top.front());
  }
  return all;
}

}  // namespace headlight
