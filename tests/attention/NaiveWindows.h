// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Shifted windows place by place, and softmax attention within them, as Swin and timm define them:
// loops and double precision, nothing of core/attention. timm shifts, then pads; `padsFirst` is
// Swin's Fig. 4, where padding is not seen.

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

/// The padded side has gone around by `shift`: what came from its beginning lies across the seam.
inline std::vector<AxisPlace> paddedFirst(int length, int window, int shift, int padded) {
  std::vector<AxisPlace> places;
  for (int i = 0; i < padded; ++i) {
    const int from = (i + shift) % padded;
    places.push_back({from < length ? from : -1, i / window, i % window, from < i ? 1 : 0});
  }
  return places;
}

inline std::vector<AxisPlace> axisPlaces(int length, int size, bool shifted, bool padsFirst) {
  const int window = std::min(length, size);
  const int shift = shifted && length > size ? size / 2 : 0;
  const int padded = (length + window - 1) / window * window;
  if (padsFirst) return paddedFirst(length, window, shift, padded);
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
  int regions[2];  ///< of the image, that the shift brought together in a window
  bool sharesWindow(const Place& other) const {
    return std::equal(window, window + 2, other.window);
  }
  bool sharesRegion(const Place& other) const {
    return std::equal(regions, regions + 2, other.regions);
  }
};

inline std::vector<Place> naivePlaces(const Grid& grid, int size, bool shifted,
                                      bool padsFirst = false) {
  std::vector<Place> places;
  for (const AxisPlace& r : axisPlaces(grid.rows, size, shifted, padsFirst))
    for (const AxisPlace& c : axisPlaces(grid.cols, size, shifted, padsFirst)) {
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

/// [P + N, P + N] in `maps` and [P + N, d] in `output` of one head of one image. Rows of `queries`,
/// `keys` and `values` [P + N + 1, d] are those of the tokens; the last is that of padding. `logit`
/// gives what enters the mask from the product of query and key; `weight` what becomes of a softmax
/// weight. The grid's P prefix tokens are in every window and see all tokens, by their products
/// times `prefixScale` alone.
struct NaiveHead {
  at::Tensor queries, keys, values;  ///< double
  HeadMask mask;
  at::Tensor selected = {};  ///< [M, P + M] of a random mask
  std::function<double(const Place&, const Place&, double product)> logit = {};
  std::function<double(const Place&, const Place&, double weight)> weight = {};
  double prefixScale = 1;
  bool padsFirst = false;

  /// What a token sees, and how: e to the logit, then the weight.
  struct Sight {
    int token;  ///< that of padding is P + N
    const Place* place;
    double weight;
  };

  void runPrefix(const Grid& grid, at::Tensor& map, at::Tensor& output) const {
    for (int t = 0; t < grid.prefix; ++t) {
      const at::Tensor real = keys.slice(0, 0, grid.tokens());
      const at::Tensor weights = (real.mv(queries[t]) * prefixScale).softmax(0);
      map[t].copy_(weights);
      output[t].copy_(weights.matmul(values.slice(0, 0, grid.tokens())));
    }
  }

  void run(const Grid& grid, int size, bool shifted, at::Tensor& map, at::Tensor& output) const {
    const int prefix = grid.prefix, padding = grid.tokens(),
              width = static_cast<int>(queries.size(1));
    const int columns = std::min(grid.cols, size);
    const auto q = queries.accessor<double, 2>(), k = keys.accessor<double, 2>(),
               v = values.accessor<double, 2>();
    auto a = map.accessor<double, 2>(), out = output.accessor<double, 2>();
    const auto rowOf = [&](const Place& p) { return p.patch < 0 ? padding : prefix + p.patch; };
    const auto places = naivePlaces(grid, size, shifted, padsFirst);
    runPrefix(grid, map, output);
    for (const Place& query : places) {
      if (query.patch < 0) continue;
      const int row = rowOf(query);
      const auto productWith = [&](int token) {
        double product = 0;
        for (int f = 0; f < width; ++f)
          product += q[row][f] * k[token][f];
        return product;
      };
      std::vector<Sight> seen;
      double sum = 0;
      for (int token = 0; token < prefix; ++token) {
        seen.push_back({token, nullptr, std::exp(productWith(token) * prefixScale)});
        sum += seen.back().weight;
      }
      for (const Place& key : places) {
        if (!query.sharesWindow(key) || !query.sharesRegion(key)) continue;
        if (padsFirst && key.patch < 0) continue;
        const double product = productWith(rowOf(key));
        const bool ones =
            selected.defined() &&
            selected[query.row * columns + query.col][prefix + key.row * columns + key.col]
                .item<bool>();
        seen.push_back({rowOf(key), &key,
                        std::exp(maskedLogit(mask, query, key, ones, logit(query, key, product)))});
        sum += seen.back().weight;
      }
      for (const auto& [token, key, exponential] : seen) {
        const double share = key ? weight(query, *key, exponential / sum) : exponential / sum;
        if (token != padding) a[row][token] = share;
        for (int f = 0; f < width; ++f)
          out[row][f] += share * v[token][f];
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
