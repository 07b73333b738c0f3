// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One row of LSLA's attention by plain loops in double precision, windows by coordinates.

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/attention/base/AttentionHook.h"
#include "core/masks/Grid.h"

namespace headlight {

/// What entered the attention of the block that ran last.
struct EnteringTokens : AttentionHook {
  bool wants(int) const override { return false; }
  void take(int, const at::Tensor&) override {}
  void enter(const at::Tensor& tokens) override { last = tokens; }
  at::Tensor last;
};

/// A layer without class token, of variant qxx.
struct NaiveLsla {
  std::map<std::string, at::Tensor> weights;
  std::string attn;
  at::Tensor tokens;  ///< [N, D]
  Grid grid;
  int heads = 1, window = 1;
  bool shifted = false, padsFirst = true;

  struct Rows {
    std::vector<double> before, after;
  };
  struct Side {
    int length, window, shift, padded;
    bool padsFirst;
    int around() const { return padsFirst ? padded : length; }
    int rolled(int at) const { return (at - shift + around()) % around(); }
    int original(int at) const {
      if (padsFirst) return (at + shift) % padded < length ? (at + shift) % padded : -1;
      return at < length ? (at + shift) % length : -1;
    }
    int region(int at) const {
      if (padsFirst) return original(at) < 0 ? -1 : at + shift >= padded ? 1 : 0;
      return shift == 0 ? 0 : at >= padded - shift ? 2 : at >= padded - window ? 1 : 0;
    }
  };
  Side side(int length) const {
    const int own = std::min(length, window);
    return {length, own, shifted && length > window ? window / 2 : 0,
            (length + own - 1) / own * own, padsFirst};
  }

  /// Of every place of the query's window.
  struct Place {
    int patch = -1;  ///< −1: padding
    bool seen = false;
    double before = 0, scale = 0, inner = 0, outer = 0;
  };
  int placeOf(int query) const {
    const Side rows = side(grid.rows), cols = side(grid.cols);
    return rows.rolled(query / grid.cols) % rows.window * cols.window +
           cols.rolled(query % grid.cols) % cols.window;
  }

  std::vector<Place> placesOf(int query, int head) const {
    const Side rows = side(grid.rows), cols = side(grid.cols);
    const int r = rows.rolled(query / grid.cols), c = cols.rolled(query % grid.cols);
    const at::Tensor q =
        tokens[query].matmul(weights.at(attn + "q.weight").t()) + weights.at(attn + "q.bias");
    const std::int64_t width = tokens.size(1) / heads;
    std::vector<Place> places;
    double sum = 0;
    for (int i = r / rows.window * rows.window; i < (r / rows.window + 1) * rows.window; ++i)
      for (int j = c / cols.window * cols.window; j < (c / cols.window + 1) * cols.window; ++j) {
        Place place;
        const int row = rows.original(i), col = cols.original(j);
        if (row >= 0 && col >= 0) place.patch = row * grid.cols + col;
        const bool together = rows.region(i) == rows.region(r) && cols.region(j) == cols.region(c);
        place.seen = together && place.patch >= 0;
        double product = 0;  // with the padding's zeros
        if (place.patch >= 0)
          for (std::int64_t f = head * width; f < (head + 1) * width; ++f)
            product += q[f].item<double>() * tokens[place.patch][f].item<double>();
        const auto entry = [&](const char* table) {
          const int index =
              (r - i + rows.window - 1) * (2 * cols.window - 1) + c - j + cols.window - 1;
          return weights.at(attn + table)[index][head].item<double>();
        };
        place.scale =
            weights
                .at(attn +
                    "dynamic_scale")[placeOf(query)][static_cast<std::int64_t>(places.size())]
                .item<double>();
        place.inner = entry("inner_bias_table");
        place.outer = entry("outer_bias_table");
        place.before = together ? std::exp(product * place.scale + place.inner) : 0;
        sum += place.before;
        places.push_back(place);
      }
    for (Place& place : places)
      place.before /= sum;
    return places;
  }

  /// By patches; NaN where the query sees none.
  Rows ofPatches(int query, int head) const {
    Rows rows{std::vector<double>(grid.patches(), NAN), std::vector<double>(grid.patches(), NAN)};
    for (const Place& place : placesOf(query, head))
      if (place.seen) {
        rows.before[place.patch] = place.before;
        rows.after[place.patch] = place.before + place.outer;
      }
    return rows;
  }

  /// By places.
  std::vector<double> line(int query, int head, const std::string& name) const {
    std::vector<double> values;
    for (const Place& place : placesOf(query, head))
      values.push_back(!place.seen            ? NAN
                       : name == "DS"         ? place.scale
                       : name == "B_i"        ? place.inner
                       : name == "B_o"        ? place.outer
                       : name == "before B_o" ? place.before
                                              : place.before + place.outer);
    return values;
  }
};

}  // namespace headlight
