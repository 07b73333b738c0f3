#pragma once
// Shifted windows place by place, and softmax attention within them, as Swin and timm define them:
// loops and double precision, nothing of core/attention.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/masks/Grid.h"
#include "core/masks/HeadMask.h"

namespace headlight::testing {

/// Where a place of the shifted, padded grid lies along one side.
struct AxisPlace {
  int patch;   ///< of the grid; −1 on the padding
  int window;  ///< of the side
  int inside;  ///< in its window
  int region;
};

inline std::vector<AxisPlace> axisPlaces(int length, int size, bool shifted) {
  const int window = std::min(length, size);
  const int shift = shifted && length > size ? size / 2 : 0;
  const int padded = (length + window - 1) / window * window;
  std::vector<AxisPlace> places;
  for (int i = 0; i < padded; ++i) {
    const int region = shift == 0 || i < padded - window ? 0 : i < padded - shift ? 1 : 2;
    places.push_back({i < length ? (i + shift) % length : -1, i / window, i % window, region});
  }
  return places;
}

struct Place {
  int patch;       ///< −1 on the padding
  int row, col;    ///< in its window
  int window[2];   ///< which
  int regions[2];  ///< of the picture, that the shift brought together in a window
  bool sharesWindow(const Place& other) const {
    return std::equal(window, window + 2, other.window);
  }
  bool sharesRegion(const Place& other) const {
    return std::equal(regions, regions + 2, other.regions);
  }
};

inline std::vector<Place> naivePlaces(const Grid& grid, int size, bool shifted) {
  std::vector<Place> places;
  for (const AxisPlace& r : axisPlaces(grid.rows, size, shifted))
    for (const AxisPlace& c : axisPlaces(grid.cols, size, shifted)) {
      const bool padding = r.patch < 0 || c.patch < 0;
      places.push_back({padding ? -1 : r.patch * grid.cols + c.patch,
                        r.inside,
                        c.inside,
                        {r.window, c.window},
                        {r.region, c.region}});
    }
  return places;
}

/// A mask's rule on one logit (MaiT Eq. 2, §4.3). `selected` is of a random mask.
inline double maskedLogit(const HeadMask& mask, const Place& query, const Place& key, bool selected,
                          double logit) {
  const int distance = std::max(std::abs(query.row - key.row), std::abs(query.col - key.col));
  const bool inside = mask.kind == MaskKind::Random ? selected : distance <= (mask.window - 1) / 2;
  if (inside || mask.kind == MaskKind::None) return logit;
  if (mask.kind == MaskKind::Strict) return -INFINITY;
  return mask.kind == MaskKind::Soft ? mask.alpha * logit : 0.0;
}

/// [N, N] in `maps` and [N, d] in `output` of one head of one image. Rows of `queries`, `keys` and
/// `values` [N + 1, d] are those of the patches; the last is that of padding. `logit` gives what
/// enters the mask from the product of query and key; `weight` what becomes of a softmax weight.
struct NaiveHead {
  at::Tensor queries, keys, values;  ///< double
  HeadMask mask;
  at::Tensor selected = {};  ///< [M, M] of a random mask
  std::function<double(const Place&, const Place&, double product)> logit = {};
  std::function<double(const Place&, const Place&, double weight)> weight = {};

  void run(const Grid& grid, int size, bool shifted, at::Tensor& map, at::Tensor& output) const {
    const int patches = grid.patches(), width = static_cast<int>(queries.size(1));
    const int columns = std::min(grid.cols, size);
    const auto q = queries.accessor<double, 2>(), k = keys.accessor<double, 2>(),
               v = values.accessor<double, 2>();
    auto a = map.accessor<double, 2>(), out = output.accessor<double, 2>();
    const auto rowOf = [&](const Place& p) { return p.patch < 0 ? patches : p.patch; };
    const auto places = naivePlaces(grid, size, shifted);
    for (const Place& query : places) {
      if (query.patch < 0) continue;
      std::vector<std::pair<const Place*, double>> seen;
      double sum = 0;
      for (const Place& key : places) {
        if (!query.sharesWindow(key) || !query.sharesRegion(key)) continue;
        double product = 0;
        for (int f = 0; f < width; ++f)
          product += q[query.patch][f] * k[rowOf(key)][f];
        const bool ones =
            selected.defined() &&
            selected[query.row * columns + query.col][key.row * columns + key.col].item<bool>();
        seen.emplace_back(
            &key, std::exp(maskedLogit(mask, query, key, ones, logit(query, key, product))));
        sum += seen.back().second;
      }
      for (const auto& [key, exponential] : seen) {
        const double share = weight(query, *key, exponential / sum);
        if (key->patch >= 0) a[query.patch][key->patch] = share;
        for (int f = 0; f < width; ++f)
          out[query.patch][f] += share * v[rowOf(*key)][f];
      }
    }
  }
};

/// The entry of a table [(2R−1)(2C−1), H] for a query and a key, offsets counted from their most
/// negative.
inline double relativeEntry(const at::Tensor& table, int head, const Grid& grid, int size,
                            const Place& query, const Place& key) {
  const int rows = std::min(grid.rows, size), cols = std::min(grid.cols, size);
  const int index =
      (query.row - key.row + rows - 1) * (2 * cols - 1) + query.col - key.col + cols - 1;
  return table[index][head].item<double>();
}

}  // namespace headlight::testing
