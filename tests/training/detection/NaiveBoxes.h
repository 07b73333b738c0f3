// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector learns, word by word in double precision and with plain loops: which cells learn
// which boxes, and the sums of the three losses.

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/models/detection/CellScores.h"

namespace headlight::naive {

using Corners = std::array<double, 4>;  // left, top, right, bottom

struct Cell {
  double x = 0, y = 0, stride = 0;
  std::vector<double> logits;                // [K]
  std::array<std::vector<double>, 4> sides;  // [bins] each
};
using Cells = std::vector<Cell>;

inline double probability(double logit) {
  return 1 / (1 + std::exp(-logit));
}

inline double crossEntropy(double p, double q) {
  return -(q > 0 ? q * std::log(p) : 0) - (1 - q) * std::log1p(-p);
}

inline double varifocal(double p, double q) {
  return (q > 0 ? q : 0.75 * p * p) * crossEntropy(p, q);
}

inline std::vector<double> softmax(const std::vector<double>& logits) {
  std::vector<double> exponentials;
  for (const double logit : logits)
    exponentials.push_back(std::exp(logit));
  const double sum = std::accumulate(exponentials.begin(), exponentials.end(), 0.0);
  for (double& value : exponentials)
    value /= sum;
  return exponentials;
}

inline double distance(const std::vector<double>& logits) {
  double mean = 0;
  const auto shares = softmax(logits);
  for (std::size_t bin = 0; bin < shares.size(); ++bin)
    mean += static_cast<double>(bin) * shares[bin];
  return mean;
}

inline Corners boxOf(const Cell& cell) {
  return {cell.x - cell.stride * distance(cell.sides[0]),
          cell.y - cell.stride * distance(cell.sides[1]),
          cell.x + cell.stride * distance(cell.sides[2]),
          cell.y + cell.stride * distance(cell.sides[3])};
}

inline Corners cornersOf(const PixelBox& box) {
  return {box.x, box.y, box.x + box.width, box.y + box.height};
}

inline double area(const Corners& box) {
  return std::max(box[2] - box[0], 0.0) * std::max(box[3] - box[1], 0.0);
}

struct Overlap {
  double iou, giou;
};
inline Overlap overlap(const Corners& a, const Corners& b) {
  const double shared = area(
      {std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3])});
  const double around = area(
      {std::min(a[0], b[0]), std::min(a[1], b[1]), std::max(a[2], b[2]), std::max(a[3], b[3])});
  const double both = area(a) + area(b) - shared;
  return {shared / both, shared / both - (around - both) / around};
}

/// The cells of one image.
inline Cells cellsOf(const CellScores& scores, std::int64_t image) {
  const at::Tensor logits = scores.logits[image].detach().to(at::kDouble).contiguous();
  const at::Tensor sides = scores.sides[image].detach().to(at::kDouble).contiguous();
  const auto classes = logits.size(1), bins = sides.size(2);
  const double* logit = logits.data_ptr<double>();
  const double* side = sides.data_ptr<double>();
  Cells cells;
  for (const CellLevel& level : scores.levels)
    for (std::int64_t row = 0; row < level.height; ++row)
      for (std::int64_t column = 0; column < level.width; ++column) {
        Cell cell;
        cell.stride = static_cast<double>(level.stride);
        cell.x = (static_cast<double>(column) + 0.5) * cell.stride;
        cell.y = (static_cast<double>(row) + 0.5) * cell.stride;
        cell.logits.assign(logit, logit + classes);
        logit += classes;
        for (auto& bin : cell.sides) {
          bin.assign(side, side + bins);
          side += bins;
        }
        cells.push_back(cell);
      }
  return cells;
}

inline bool isInside(const Cell& cell, const Corners& box) {
  return cell.x > box[0] && cell.y > box[1] && cell.x < box[2] && cell.y < box[3];
}

inline bool isNear(const Cell& cell, const Corners& box) {
  const double x = (box[0] + box[2]) / 2, y = (box[1] + box[3]) / 2, most = 2.5 * cell.stride;
  return std::abs(cell.x - x) < most && std::abs(cell.y - y) < most;
}

inline double cost(const Cell& cell, const LabeledBox& truth) {
  const Corners box = cornersOf(truth.box);
  const auto [iou, giou] = overlap(boxOf(cell), box);
  double sum = 0;
  for (std::size_t k = 0; k < cell.logits.size(); ++k)
    sum += varifocal(probability(cell.logits[k]), static_cast<int>(k) == truth.label ? iou : 0);
  const bool both = isInside(cell, box) && isNear(cell, box);
  return sum + 6 * (1 - giou) + (both ? 0 : 1e8);
}

/// For each cell the place of its box; -1: none. Only boxes that are learned.
inline std::vector<int> assignment(const Cells& cells, const LabeledBoxes& truth) {
  std::vector<std::vector<int>> takers(cells.size());
  std::vector<std::size_t> candidates;
  for (std::size_t n = 0; n < cells.size(); ++n)
    if (std::any_of(truth.begin(), truth.end(), [&](const LabeledBox& one) {
          return isInside(cells[n], cornersOf(one.box)) || isNear(cells[n], cornersOf(one.box));
        }))
      candidates.push_back(n);
  for (std::size_t m = 0; m < truth.size(); ++m) {
    std::vector<double> overlaps;
    for (const std::size_t n : candidates)
      overlaps.push_back(overlap(boxOf(cells[n]), cornersOf(truth[m].box)).iou);
    std::sort(overlaps.rbegin(), overlaps.rend());
    if (overlaps.size() > 10) overlaps.resize(10);
    const double sum = std::accumulate(overlaps.begin(), overlaps.end(), 0.0);
    const auto count = static_cast<std::size_t>(std::max(std::floor(sum), 1.0));
    std::vector<std::size_t> order = candidates;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return cost(cells[a], truth[m]) < cost(cells[b], truth[m]);
    });
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
      takers[order[i]].push_back(static_cast<int>(m));
  }
  std::vector<int> owners(cells.size(), -1);
  for (std::size_t n = 0; n < cells.size(); ++n) {
    if (takers[n].empty()) continue;
    owners[n] = takers[n].front();
    if (takers[n].size() == 1) continue;
    owners[n] = 0;
    for (std::size_t m = 1; m < truth.size(); ++m)
      if (cost(cells[n], truth[m]) < cost(cells[n], truth[static_cast<std::size_t>(owners[n])]))
        owners[n] = static_cast<int>(m);
  }
  return owners;
}

/// What has no gradient: owners, and at the cells that have one q and w.
struct Targets {
  std::vector<int> owners;
  std::vector<double> overlaps, weights;
};
inline Targets targetsOf(const Cells& cells, const LabeledBoxes& truth) {
  Targets targets{assignment(cells, truth), std::vector<double>(cells.size()),
                  std::vector<double>(cells.size())};
  for (std::size_t n = 0; n < cells.size(); ++n) {
    if (targets.owners[n] < 0) continue;
    const PixelBox& box = truth[static_cast<std::size_t>(targets.owners[n])].box;
    targets.overlaps[n] = overlap(boxOf(cells[n]), cornersOf(box)).iou;
    const auto& logits = cells[n].logits;
    targets.weights[n] = probability(*std::max_element(logits.begin(), logits.end()));
  }
  return targets;
}

struct Sums {
  double classes = 0, overlap = 0, sides = 0, positives = 0, weights = 0;

  void add(const Sums& more) {
    classes += more.classes;
    overlap += more.overlap;
    sides += more.sides;
    positives += more.positives;
    weights += more.weights;
  }
  double loss(double allPositives, double allWeights) const {
    const double p = std::max(allPositives, 1.0), w = std::max(allWeights, 1.0);
    return classes / p + 2 * overlap / w + 0.25 * sides / w;
  }
};

inline double sideLoss(const Cell& cell, const Corners& box) {
  const double wanted[] = {cell.x - box[0], cell.y - box[1], box[2] - cell.x, box[3] - cell.y};
  double sum = 0;
  for (std::size_t side = 0; side < 4; ++side) {
    const auto shares = softmax(cell.sides[side]);
    const double last = static_cast<double>(shares.size()) - 1 - 0.1;
    const double to = std::clamp(wanted[side] / cell.stride, 0.0, last);
    const auto below = static_cast<std::size_t>(to);
    const double upper = to - static_cast<double>(below);
    sum -= (1 - upper) * std::log(shares[below]) + upper * std::log(shares[below + 1]);
  }
  return sum / 4;
}

inline Sums sumsOf(const Cells& cells, const LabeledBoxes& truth, const Targets& targets) {
  Sums sums;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    const int owner = targets.owners[n];
    for (std::size_t k = 0; k < cells[n].logits.size(); ++k) {
      const bool own = owner >= 0 && truth[static_cast<std::size_t>(owner)].label == int(k);
      sums.classes += varifocal(probability(cells[n].logits[k]), own ? targets.overlaps[n] : 0);
    }
    if (owner < 0) continue;
    const Corners box = cornersOf(truth[static_cast<std::size_t>(owner)].box);
    sums.overlap += targets.weights[n] * (1 - overlap(boxOf(cells[n]), box).giou);
    sums.sides += targets.weights[n] * sideLoss(cells[n], box);
    sums.positives += 1;
    sums.weights += targets.weights[n];
  }
  return sums;
}

}  // namespace headlight::naive
