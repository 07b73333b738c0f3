// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/Rollout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// One [T, T] map from the heads of a layer.
std::vector<float> fuseHeads(const LayerMaps& maps, HeadFusion fusion) {
  std::vector<float> fused = stochasticMap(maps, 0);
  for (int h = 1; h < maps.heads; ++h) {
    const std::vector<float> head = stochasticMap(maps, h);
    for (std::size_t i = 0; i < fused.size(); ++i) {
      if (fusion == HeadFusion::Mean)
        fused[i] += head[i];
      else
        fused[i] =
            fusion == HeadFusion::Max ? std::max(fused[i], head[i]) : std::min(fused[i], head[i]);
    }
  }
  if (fusion == HeadFusion::Mean)
    for (float& value : fused)
      value /= static_cast<float>(maps.heads);
  return fused;
}

/// Zeroes the lowest `ratio` of all entries of the image's map, never in the class column.
void discardLowest(std::vector<float>& map, const Grid& grid, double ratio) {
  const auto drop = static_cast<std::size_t>(ratio * static_cast<double>(map.size()));
  if (drop == 0) return;
  std::vector<std::size_t> order(map.size());
  std::iota(order.begin(), order.end(), 0);
  // Ties by position, so that the result does not depend on the library.
  std::nth_element(
      order.begin(), order.begin() + drop, order.end(),
      [&](std::size_t a, std::size_t b) { return map[a] != map[b] ? map[a] < map[b] : a < b; });
  const std::size_t tokens = grid.tokens();
  for (std::size_t i = 0; i < drop; ++i)
    if (!grid.hasClassToken() || order[i] % tokens != 0) map[order[i]] = 0;
}

/// Adds the identity and makes each row sum to 1.
void addIdentityAndNormalize(std::vector<float>& map, std::size_t tokens) {
  for (std::size_t i = 0; i < tokens; ++i) {
    float* row = map.data() + i * tokens;
    row[i] += 1.0f;
    const double sum = std::accumulate(row, row + tokens, 0.0);
    for (std::size_t j = 0; j < tokens; ++j)
      row[j] = static_cast<float>(row[j] / sum);
  }
}

/// Ok if every layer has maps and no grid is finer than the one before it.
Result<void> checkLayers(const std::vector<LayerMaps>& layers) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers[l].empty())
      return Error{ErrorCode::InvalidArgument,
                   tr("the maps of layer ") + std::to_string(l) + tr(" are missing"), "rollout"};
    if (l > 0 && (layers[l].grid.rows > layers[l - 1].grid.rows ||
                  layers[l].grid.cols > layers[l - 1].grid.cols))
      return Error{ErrorCode::InvalidArgument,
                   tr("the grid grows between layers, which rollout does not support"), "rollout"};
  }
  return {};
}

}  // namespace

std::vector<double> carriedBack(const std::vector<double>& row, const Grid& from, const Grid& to) {
  if (from == to) return row;
  std::vector<double> result(to.tokens(), 0.0);
  for (int i = 0; i < std::min(from.prefix, to.prefix); ++i)
    result[i] = row[i];
  const int tall = (to.rows + from.rows - 1) / from.rows,
            wide = (to.cols + from.cols - 1) / from.cols;
  std::vector<int> joined(from.patches(), 0);
  const auto parent = [&](int patch) {
    return std::min(patch / to.cols / tall, from.rows - 1) * from.cols +
           std::min(patch % to.cols / wide, from.cols - 1);
  };
  for (int i = 0; i < to.patches(); ++i)
    ++joined[parent(i)];
  for (int i = 0; i < to.patches(); ++i)
    result[to.prefix + i] = row[from.prefix + parent(i)] / joined[parent(i)];
  return result;
}

std::vector<float> stochasticMap(const LayerMaps& maps, int head) {
  const auto tokens = static_cast<std::size_t>(maps.tokens());
  std::vector<float> result(tokens * tokens);
  const MapNumbers map = maps.head(head);
  for (std::size_t i = 0; i < tokens; ++i) {
    const float* from = map.begin() + i * tokens;
    float* to = result.data() + i * tokens;
    double sum = 0;
    for (std::size_t j = 0; j < tokens; ++j)
      sum += to[j] = std::max(0.0f, from[j]);
    if (sum <= 0) continue;
    for (std::size_t j = 0; j < tokens; ++j)
      to[j] = static_cast<float>(to[j] / sum);
  }
  return result;
}

std::string rolloutWords(const RolloutOptions& options) {
  std::string words = "heads fused by " + headFusionName(options.fusion);
  if (options.discardRatio > 0)
    words.append(", lowest ").append(numberText(100 * options.discardRatio)).append(" % dropped");
  return words;
}

std::string rolloutPreparation(bool isSigned, bool rowsSumToOne) {
  if (isSigned) return "signed maps clamped at 0, rows normalized";
  return rowsSumToOne ? "" : "rows of each map normalized";
}

const std::vector<std::string>& headFusionNames() {
  static const std::vector<std::string> names{"mean", "max", "min"};
  return names;
}

const std::string& headFusionName(HeadFusion fusion) {
  return headFusionNames()[static_cast<std::size_t>(fusion)];
}

std::optional<HeadFusion> headFusionFromName(const std::string& name) {
  const auto& names = headFusionNames();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<HeadFusion>(found - names.begin());
}

Result<std::vector<float>> rollout(const AttentionMaps& maps, const RolloutOptions& options) {
  if (maps.layers.empty())
    return Error{ErrorCode::InvalidArgument, tr("rollout needs the maps of every layer"),
                 "rollout"};
  if (!(options.discardRatio >= 0 && options.discardRatio < 1))
    return Error{ErrorCode::InvalidArgument, tr("the discard ratio must be at least 0 and below 1"),
                 "rollout"};
  if (auto checked = checkLayers(maps.layers); !checked) return checked.error();
  // Only one row of Â_L ⋯ Â_1 is shown: a row vector times matrices, from the last layer down.
  Grid grid = maps.layers.back().grid;
  std::vector<double> row(grid.tokens(), 0.0);
  if (grid.hasClassToken())
    row[0] = 1.0;
  else
    std::fill(row.begin() + grid.prefix, row.end(), 1.0 / grid.patches());
  for (auto layer = maps.layers.rbegin(); layer != maps.layers.rend(); ++layer) {
    row = carriedBack(row, grid, layer->grid);
    grid = layer->grid;
    const std::size_t tokens = grid.tokens();
    auto map = fuseHeads(*layer, options.fusion);
    discardLowest(map, grid, options.discardRatio);
    addIdentityAndNormalize(map, tokens);
    std::vector<double> next(tokens, 0.0);
    for (std::size_t i = 0; i < tokens; ++i)
      for (std::size_t j = 0; j < tokens; ++j)
        next[j] += row[i] * map[i * tokens + j];
    row = std::move(next);
  }
  return std::vector<float>(row.begin() + grid.prefix, row.end());
}

Result<std::vector<float>> layerSimilarity(const AttentionMaps& maps, int head) {
  const std::size_t layers = maps.layers.size();
  std::vector<float> result(layers * layers, 0.0f);
  for (std::size_t i = 0; i < layers; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const LayerMaps &a = maps.layers[i], &b = maps.layers[j];
      if (a.empty() || b.empty())
        return Error{
            ErrorCode::InvalidArgument,
            tr("the maps of layer ") + std::to_string(a.empty() ? i : j) + tr(" are missing"),
            "similarity"};
      if (!(a.grid == b.grid)) {
        result[i * layers + j] = result[j * layers + i] = std::numeric_limits<float>::quiet_NaN();
        continue;
      }
      if (head < 0 || head >= a.heads || head >= b.heads) continue;
      double sum = 0;
      const MapNumbers mapA = a.head(head), mapB = b.head(head);
      for (int t = 0; t < a.tokens(); ++t) {
        const auto start = static_cast<std::size_t>(t) * a.tokens();
        const float *x = mapA.begin() + start, *y = mapB.begin() + start;
        double xy = 0, xx = 0, yy = 0;
        for (int k = 0; k < a.tokens(); ++k) {
          xy += double{x[k]} * y[k];
          xx += double{x[k]} * x[k];
          yy += double{y[k]} * y[k];
        }
        if (xx > 0 && yy > 0) sum += xy / std::sqrt(xx * yy);
      }
      result[i * layers + j] = result[j * layers + i] = static_cast<float>(sum / a.tokens());
    }
  return result;
}

Result<std::vector<std::vector<float>>> similarities(const AttentionMaps& maps) {
  const std::size_t layers = maps.layers.size();
  int heads = 0;
  for (const LayerMaps& layer : maps.layers)
    heads = std::max(heads, layer.heads);
  std::vector<std::vector<float>> all{std::vector<float>(layers * layers, 0.0f)};
  for (int h = 0; h < heads; ++h) {
    auto one = layerSimilarity(maps, h);
    if (!one) return one.error();
    for (std::size_t i = 0; i < all[0].size(); ++i) {
      // Heads that one of the two layers does not have count as nothing, not as 0.
      const int common = std::min(maps.layers[i / layers].heads, maps.layers[i % layers].heads);
      if (h < common) all[0][i] += (*one)[i] / static_cast<float>(common);
    }
    all.push_back(std::move(*one));
  }
  return all;
}

Result<std::vector<float>> computeSimilarity(const AttentionMaps& maps, int head) {
  if (head >= 0) return layerSimilarity(maps, head);
  auto all = similarities(maps);
  return all ? Result<std::vector<float>>(std::move(all->front())) : all.error();
}

}  // namespace headlight
