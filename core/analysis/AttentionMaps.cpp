// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/AttentionMaps.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/masks/Neighborhood.h"

namespace headlight {

namespace {

std::vector<float> seenInWindow(const LayerMaps& maps, int head, int query) {
  const WindowPlaces& windows = *maps.windows;
  const auto inside = static_cast<std::size_t>(windows.window.patches());
  const auto token = static_cast<std::size_t>(query);
  const std::size_t row = static_cast<std::size_t>(head) * inside + windows.place[token];
  std::vector<float> values(maps.grid.patches(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < inside; ++i)
    if (const int patch = windows.seen[token * inside + i] - maps.grid.prefix; patch >= 0)
      values[patch] = (*maps.values)[row * inside + i];
  return values;
}

}  // namespace

MapNumbers LayerMaps::row(int head, int query) const {
  const auto size = static_cast<std::size_t>(tokens());
  if (!values) return MapNumbers(rows->rows(head, query, 1));
  return {values->data() + (static_cast<std::size_t>(head) * size + query) * size, size};
}

MapNumbers LayerMaps::head(int head) const {
  const std::size_t size = static_cast<std::size_t>(tokens()) * tokens();
  if (!values) return MapNumbers(rows->rows(head, 0, tokens()));
  return {values->data() + head * size, size};
}

std::shared_ptr<const std::vector<float>> LayerMaps::whole() const {
  if (values) return values;
  auto made = std::make_shared<std::vector<float>>();
  made->reserve(static_cast<std::size_t>(heads) * tokens() * tokens());
  for (int h = 0; h < heads; ++h) {
    const MapNumbers numbers = head(h);
    made->insert(made->end(), numbers.begin(), numbers.end());
  }
  return made;
}

bool AttentionMaps::inWindows() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const LayerMaps& layer) { return layer.windows != nullptr; });
}

int queryInLayer(int query, const Grid& model, const Grid& layer) {
  if (model == layer) return std::clamp(query, 0, std::max(0, layer.tokens() - 1));
  if (query < model.prefix) return query < layer.prefix ? query : -1;
  const int patch = std::min(query - model.prefix, model.patches() - 1);
  const int row = patch / model.cols * layer.rows / model.rows;
  const int col = patch % model.cols * layer.cols / model.cols;
  return layer.prefix + row * layer.cols + col;
}

std::string describeWindowPlace(const LayerMaps& maps, int query) {
  if (!maps.windows) return "";
  const Grid& window = maps.windows->window;
  const int place = maps.windows->place[static_cast<std::size_t>(query)];
  if (place < 0) return "no position in a window";
  return "place (" + std::to_string(place / window.cols) + ", " +
         std::to_string(place % window.cols) + ") of its " + std::to_string(window.rows) + " by " +
         std::to_string(window.cols) + " window";
}

std::vector<float> patchesSeenBy(const LayerMaps& maps, int head, int query) {
  if (maps.windows) return seenInWindow(maps, head, query);
  const MapNumbers row = maps.row(head, query);
  return {row.begin() + maps.grid.prefix, row.end()};
}

std::vector<float> patchesSeenBy(const LayerMaps& maps, int query) {
  std::vector<float> mean(maps.grid.patches(), 0.0f);
  for (int h = 0; h < maps.heads; ++h) {
    const std::vector<float> values = patchesSeenBy(maps, h, query);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += values[i] / maps.heads;
  }
  return mean;
}

PatchArea areaInSight(const LayerMaps& maps, int query) {
  const Grid& grid = maps.grid;
  if (!maps.windows) return {0, 0, grid.rows, grid.cols};
  const auto inside = static_cast<std::size_t>(maps.windows->window.patches());
  const int* seen = maps.windows->seen.data() + static_cast<std::size_t>(query) * inside;
  int top = grid.rows, left = grid.cols, bottom = -1, right = -1;
  for (std::size_t i = 0; i < inside; ++i) {
    const int patch = seen[i] - grid.prefix;
    if (patch < 0) continue;
    top = std::min(top, patch / grid.cols);
    bottom = std::max(bottom, patch / grid.cols);
    left = std::min(left, patch % grid.cols);
    right = std::max(right, patch % grid.cols);
  }
  if (bottom < 0) return {0, 0, grid.rows, grid.cols};
  return {top, left, bottom - top + 1, right - left + 1};
}

std::vector<float> valuesIn(const PatchArea& area, const std::vector<float>& values,
                            const Grid& grid) {
  std::vector<float> part;
  for (int r = area.row; r < area.row + area.rows; ++r) {
    const auto row = values.begin() + std::ptrdiff_t{r} * grid.cols + area.col;
    part.insert(part.end(), row, row + area.cols);
  }
  return part;
}

float localityScore(const float* map, const Grid& grid) {
  constexpr int kWindow = 3;  // whatever the head's own mask is
  const std::ptrdiff_t tokens = grid.tokens();
  double sum = 0;
  for (int n = 0; n < grid.patches(); ++n) {
    const float* row = map + (grid.prefix + n) * tokens + grid.prefix;
    const int r = n / grid.cols, c = n % grid.cols, reach = kWindow / 2;
    for (int y = std::max(0, r - reach); y <= std::min(grid.rows - 1, r + reach); ++y)
      for (int x = std::max(0, c - reach); x <= std::min(grid.cols - 1, c + reach); ++x)
        sum += row[y * grid.cols + x];
  }
  return static_cast<float>(sum / grid.patches());
}

std::vector<float> localityScores(const LayerMaps& maps) {
  std::vector<float> scores;
  for (int h = 0; h < maps.heads; ++h)
    scores.push_back(localityScore(maps.head(h).begin(), maps.grid));
  return scores;
}

}  // namespace headlight
