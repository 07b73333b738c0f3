// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matching and losses of a segmenter, pixel by pixel and point by point in double precision.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/Random.h"
#include "core/imaging/ClassImage.h"
#include "core/models/segmentation/SegmentScores.h"
#include "core/training/segmentation/MaskPoints.h"
#include "core/training/segmentation/SegmentLosses.h"

namespace headlight::naive {

struct Point {
  double x, y;
};
using Points = std::vector<Point>;

struct Mask {
  std::int64_t height = 0, width = 0;
  std::vector<double> values;

  /// Zero beyond the mask.
  double pixel(std::int64_t row, std::int64_t column) const {
    if (row < 0 || column < 0 || row >= height || column >= width) return 0;
    return values[static_cast<std::size_t>(row * width + column)];
  }
  double at(Point point) const {
    const double x = point.x * double(width) - 0.5, y = point.y * double(height) - 0.5;
    const auto column = std::int64_t(std::floor(x)), row = std::int64_t(std::floor(y));
    const double right = x - double(column), below = y - double(row);
    return (1 - below) * ((1 - right) * pixel(row, column) + right * pixel(row, column + 1)) +
           below * ((1 - right) * pixel(row + 1, column) + right * pixel(row + 1, column + 1));
  }
};

struct Query {
  std::vector<double> classes;  ///< logits
  Mask mask;                    ///< logits
};
using Queries = std::vector<Query>;

struct Truth {
  std::int64_t label;
  Mask mask;
};

inline std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

inline Queries queriesOf(const at::Tensor& classes, const at::Tensor& masks) {
  Queries queries;
  for (std::int64_t q = 0; q < classes.size(0); ++q)
    queries.push_back({numbers(classes[q]), {masks.size(1), masks.size(2), numbers(masks[q])}});
  return queries;
}

inline std::vector<Truth> truthOf(const at::Tensor& segments) {
  const std::vector<double> pixels = numbers(segments);
  std::vector<Truth> all;
  for (std::int64_t label = 0; label < kIgnoredClass; ++label) {
    Truth truth{label, {segments.size(0), segments.size(1), {}}};
    bool any = false;
    for (const double pixel : pixels) {
      truth.mask.values.push_back(pixel == double(label) ? 1 : 0);
      any = any || pixel == double(label);
    }
    if (any) all.push_back(truth);
  }
  return all;
}

inline Points pointsOf(const at::Tensor& points) {
  const std::vector<double> places = numbers(points);
  Points all;
  for (std::size_t i = 0; i + 1 < places.size(); i += 2)
    all.push_back({places[i], places[i + 1]});
  return all;
}

inline double sigmoid(double logit) {
  return 1 / (1 + std::exp(-logit));
}

inline double logSumExp(const std::vector<double>& logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits)
    sum += std::exp(logit - most);
  return most + std::log(sum);
}

inline double crossEntropyAt(const Mask& logits, const Mask& truth, const Points& points) {
  double sum = 0;
  for (const Point point : points) {
    const double p = sigmoid(logits.at(point)), t = truth.at(point);
    sum -= t * std::log(p) + (1 - t) * std::log(1 - p);
  }
  return sum / double(points.size());
}

inline double diceAt(const Mask& logits, const Mask& truth, const Points& points) {
  double shared = 0, both = 0;
  for (const Point point : points) {
    const double p = sigmoid(logits.at(point)), t = truth.at(point);
    shared += p * t;
    both += p + t;
  }
  return 1 - (2 * shared + 1) / (both + 1);
}

inline double cost(const Query& query, const Truth& truth, const Points& points) {
  const double likely =
      std::exp(query.classes[static_cast<std::size_t>(truth.label)] - logSumExp(query.classes));
  return -2 * likely + 5 * crossEntropyAt(query.mask, truth.mask, points) +
         5 * diceAt(query.mask, truth.mask, points);
}

/// Tries everything: for each row its column, -1 where there are more rows. costs[row][column].
inline std::vector<int> cheapest(const std::vector<std::vector<double>>& costs, int columns) {
  const int rows = static_cast<int>(costs.size());
  std::vector<int> best, now(costs.size(), -1);
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> taken(static_cast<std::size_t>(columns), false);
  const std::function<void(int, int, double)> tryRow = [&](int row, int left, double sum) {
    if (row == rows) {
      if (sum < least) least = sum, best = now;
      return;
    }
    if (left > 0) {
      now[static_cast<std::size_t>(row)] = -1;
      tryRow(row + 1, left - 1, sum);
    }
    for (int column = 0; column < columns; ++column) {
      if (taken[static_cast<std::size_t>(column)]) continue;
      taken[static_cast<std::size_t>(column)] = true;
      now[static_cast<std::size_t>(row)] = column;
      tryRow(row + 1, left,
             sum + costs[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]);
      taken[static_cast<std::size_t>(column)] = false;
    }
  };
  tryRow(0, std::max(rows - columns, 0), 0);
  return best;
}

/// What a query is to learn, fixed: gradients do not go through the choice.
struct Target {
  std::int64_t label = -1;  ///< -1: "none"
  Mask mask;
  Points points;
};

/// One prediction for one image.
struct Said {
  Queries queries;
  std::vector<Target> targets;  ///< one for each query

  double classSum() const {
    double sum = 0;
    for (std::size_t q = 0; q < queries.size(); ++q)
      sum += classLoss(q);
    return sum;
  }
  double classLoss(std::size_t q) const {
    const std::vector<double>& logits = queries[q].classes;
    const bool none = targets[q].label < 0;
    const double wanted = none ? logits.back() : logits[static_cast<std::size_t>(targets[q].label)];
    return (none ? 0.1 : 1) * (logSumExp(logits) - wanted);
  }
  double maskLoss(std::size_t q) const {
    return targets[q].label < 0
               ? 0
               : crossEntropyAt(queries[q].mask, targets[q].mask, targets[q].points);
  }
  double diceLoss(std::size_t q) const {
    return targets[q].label < 0 ? 0 : diceAt(queries[q].mask, targets[q].mask, targets[q].points);
  }
};

/// The most uncertain of the candidates and those anywhere, of mask `place` of `masks` matched ones.
inline Points lossPoints(const Mask& logits, std::int64_t place, std::int64_t masks,
                         std::int64_t points, std::uint64_t key) {
  const auto drawn = [&](std::uint64_t purpose, std::int64_t count) {
    return pointsOf(drawnPoints(streamKey({key, purpose}), masks, count, at::kDouble)[place]);
  };
  Points all = drawn(kCandidatePoints, 3 * points);
  std::sort(all.begin(), all.end(),
            [&](Point a, Point b) { return std::abs(logits.at(a)) < std::abs(logits.at(b)); });
  all.resize(static_cast<std::size_t>(points * 3 / 4));
  const Points anywhere = drawn(kPointsAnywhere, points - points * 3 / 4);
  all.insert(all.end(), anywhere.begin(), anywhere.end());
  return all;
}

inline Said saidOf(const at::Tensor& classes, const at::Tensor& masks, const at::Tensor& segments,
                   PointKeys keys) {
  Said said{queriesOf(classes, masks), {}};
  said.targets.resize(said.queries.size());
  const std::vector<Truth> truth = truthOf(segments);
  const std::int64_t points = std::min<std::int64_t>(keys.most, segments.numel());
  const Points shared = pointsOf(drawnPoints(keys.matching, 1, points, at::kDouble)[0]);
  std::vector<std::vector<double>> costs;
  for (const Truth& one : truth) {
    costs.emplace_back();
    for (const Query& query : said.queries)
      costs.back().push_back(cost(query, one, shared));
  }
  const std::vector<int> queries = cheapest(costs, static_cast<int>(said.queries.size()));
  const auto matched = std::count_if(queries.begin(), queries.end(), [](int q) { return q >= 0; });
  std::int64_t place = 0;
  for (std::size_t m = 0; m < truth.size(); ++m) {
    if (queries[m] < 0) continue;
    const auto q = static_cast<std::size_t>(queries[m]);
    said.targets[q] = {truth[m].label, truth[m].mask,
                       lossPoints(said.queries[q].mask, place++, matched, points, keys.losses)};
  }
  return said;
}

/// Over a batch and all predictions.
struct Sums {
  double classes = 0, masks = 0, dice = 0;  ///< losses
  double trueMasks = 0, weights = 0;        ///< of one prediction

  double total() const {
    const double count = std::max(trueMasks, 1.0);
    return 2 * classes / weights + 5 * masks / count + 5 * dice / count;
  }
};

inline void addLosses(Sums& sums, const Said& said) {
  sums.classes += said.classSum();
  for (std::size_t q = 0; q < said.queries.size(); ++q) {
    sums.masks += said.maskLoss(q);
    sums.dice += said.diceLoss(q);
  }
}

inline void addCounts(Sums& sums, const at::Tensor& segments, std::int64_t queries) {
  const auto masks = static_cast<double>(truthOf(segments).size());
  const double matched = std::min(masks, double(queries));
  sums.trueMasks += masks;
  sums.weights += matched + 0.1 * (double(queries) - matched);
}

}  // namespace headlight::naive
