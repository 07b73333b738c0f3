// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pairs/QueryKeySample.h"

#include <algorithm>
#include <numeric>

#include "core/base/Random.h"

namespace headlight {
namespace {

constexpr std::uint64_t kImageDraw = 1, kTokenDraw = 2;

std::uint64_t seedOf(const QueryKeyOptions& options) {
  return static_cast<std::uint64_t>(options.seed);
}

}  // namespace

std::vector<std::int64_t> drawnIndices(std::int64_t count, std::int64_t most, std::uint64_t key) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  if (count <= most) return indices;
  indices = permutation(count, key);
  indices.resize(static_cast<std::size_t>(std::max<std::int64_t>(most, 0)));
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::int64_t mostImages(const QueryKeyOptions& options) {
  return std::max<std::int64_t>(1, kMostQueryKeyPoints / (2 * std::max(options.tokens, 1)));
}

std::vector<std::int64_t> drawnImages(std::int64_t count, const QueryKeyOptions& options) {
  const std::int64_t most = std::min<std::int64_t>(options.images, mostImages(options));
  return drawnIndices(count, most, streamKey({seedOf(options), kImageDraw}));
}

std::vector<std::int64_t> drawnRows(const std::vector<std::int64_t>& tokens, int prefix,
                                    std::int64_t image, const QueryKeyOptions& options) {
  std::vector<std::int64_t> rows, others;
  for (std::size_t row = 0; row < tokens.size(); ++row)
    (tokens[row] < prefix ? rows : others).push_back(static_cast<std::int64_t>(row));
  if (static_cast<std::int64_t>(rows.size()) > options.tokens)
    rows.resize(static_cast<std::size_t>(options.tokens));
  const std::uint64_t key =
      streamKey({seedOf(options), kTokenDraw, static_cast<std::uint64_t>(image)});
  const std::int64_t rest = options.tokens - static_cast<std::int64_t>(rows.size());
  for (const std::int64_t drawn : drawnIndices(static_cast<std::int64_t>(others.size()), rest, key))
    rows.push_back(others[static_cast<std::size_t>(drawn)]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace headlight
