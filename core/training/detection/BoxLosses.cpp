// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/detection/BoxLosses.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

constexpr double kBackgroundShare = 0.75, kOverlapWeight = 2, kSidesWeight = 0.25;
/// Targets end so much before the last bin, which then always has one beside it.
constexpr double kBeforeLastBin = 0.1;

/// The varifocal loss with q = 0.
at::Tensor backgroundLoss(const at::Tensor& logits) {
  return logits.sigmoid().square() * at::softplus(logits) * kBackgroundShare;
}

/// What is learned by P cells: their places in [B · N], labels [P] and boxes [P, 4] (left, top,
/// right, bottom).
struct Targets {
  at::Tensor cells, labels, boxes;
};

Targets targetsOf(const std::vector<AssignedCell>& assigned, const at::TensorOptions& options) {
  const auto count = static_cast<std::int64_t>(assigned.size());
  Targets targets{at::empty({count}, at::kLong), at::empty({count, 1}, at::kLong),
                  at::empty({count, 4}, at::kDouble)};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& [cell, truth] = assigned[static_cast<std::size_t>(i)];
    targets.cells.data_ptr<std::int64_t>()[i] = cell;
    targets.labels.data_ptr<std::int64_t>()[i] = truth.label;
    const double corners[] = {truth.box.x, truth.box.y, truth.box.x + truth.box.width,
                              truth.box.y + truth.box.height};
    std::copy_n(corners, 4, targets.boxes.data_ptr<double>() + 4 * i);
  }
  return {targets.cells.to(options.device()), targets.labels.to(options.device()),
          targets.boxes.to(options)};
}

/// [P] each, of boxes [P, 4].
struct Overlaps {
  at::Tensor overlap, generalized;
};

at::Tensor areaOf(const at::Tensor& leftTop, const at::Tensor& rightBottom) {
  const at::Tensor sides = (rightBottom - leftTop).clamp_min(0);
  return sides.select(1, 0) * sides.select(1, 1);
}

Overlaps overlapsOf(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor firstA = a.narrow(1, 0, 2), lastA = a.narrow(1, 2, 2);
  const at::Tensor firstB = b.narrow(1, 0, 2), lastB = b.narrow(1, 2, 2);
  const at::Tensor shared = areaOf(at::maximum(firstA, firstB), at::minimum(lastA, lastB));
  const at::Tensor both = areaOf(firstA, lastA) + areaOf(firstB, lastB) - shared;
  const at::Tensor around = areaOf(at::minimum(firstA, firstB), at::maximum(lastA, lastB));
  const at::Tensor overlap = shared / both;
  return {overlap, overlap - (around - both) / around};
}

/// ¼ Σ_sides of the cross-entropy with the two bins beside each distance, by how near they are: [P]
/// of logits [P, 4, bins] and distances [P, 4] in strides.
at::Tensor distributionLoss(const at::Tensor& sides, const at::Tensor& distances) {
  const at::Tensor wanted =
      distances.clamp(0, static_cast<double>(sides.size(2) - 1) - kBeforeLastBin).unsqueeze(2);
  const at::Tensor below = wanted.floor();
  const at::Tensor bin = below.to(at::kLong);
  const at::Tensor logs = sides.log_softmax(2);
  const at::Tensor loss =
      (below + 1 - wanted) * logs.gather(2, bin) + (wanted - below) * logs.gather(2, bin + 1);
  return loss.flatten(1).mean(1).neg();
}

/// What the classes of P cells lose with q at their labels in place of 0.
at::Tensor addedByTargets(const at::Tensor& logits, const at::Tensor& overlap) {
  const at::Tensor positive = overlap * (at::softplus(logits) - overlap * logits);
  const at::Tensor added = positive - backgroundLoss(logits);
  return at::where(overlap > 0, added, at::zeros_like(added));
}

/// Centers [P, 2] and strides [P, 1] of cells, in pixels.
struct Places {
  at::Tensor centers, strides;

  Places(const CellScores& scores, const at::Tensor& cells) {
    const at::Tensor inImage = cells.remainder(scores.logits.size(1));
    const auto ofCells = [&](const at::Tensor& values) {
      return values.to(scores.sides.options()).index_select(0, inImage);
    };
    centers = ofCells(cellCenters(scores.levels));
    strides = ofCells(cellStrides(scores.levels)).unsqueeze(1);
  }

  /// [P, 4] (left, top, right, bottom) of logits [P, 4, bins].
  at::Tensor boxes(const at::Tensor& sides) const {
    const at::Tensor reach = sideDistances(sides) * strides;
    return at::cat({centers - reach.narrow(1, 0, 2), centers + reach.narrow(1, 2, 2)}, 1);
  }
  /// [P, 4] in strides, of boxes [P, 4].
  at::Tensor distances(const at::Tensor& boxes) const {
    return at::cat({centers - boxes.narrow(1, 0, 2), boxes.narrow(1, 2, 2) - centers}, 1) / strides;
  }
};

}  // namespace

BoxLossSums sumBoxLosses(const CellScores& scores, const BatchBoxes& truth) {
  const at::Tensor background = backgroundLoss(scores.logits).sum(2);
  const auto assigned = assignCells(scores, background, truth);
  const auto [cells, labels, boxes] = targetsOf(assigned, scores.sides.options());
  const at::Tensor logits = scores.logits.flatten(0, 1).index_select(0, cells);
  const at::Tensor sides = scores.sides.flatten(0, 1).index_select(0, cells);
  const Places places(scores, cells);
  const auto [overlap, generalized] = overlapsOf(places.boxes(sides), boxes);
  const at::Tensor ofClasses =
      addedByTargets(logits.gather(1, labels).squeeze(1), overlap.detach());
  const at::Tensor weights = logits.detach().sigmoid().amax(1);
  BoxLossSums sums;
  sums.classes = background.sum() + ofClasses.sum();
  sums.overlap = (weights * (1 - generalized)).sum();
  sums.sides = (weights * distributionLoss(sides, places.distances(boxes))).sum();
  sums.positives = static_cast<double>(assigned.size());
  sums.weights = weights.sum(at::kDouble);
  return sums;
}

BoxDenominators BoxDenominators::of(double share) const {
  return {std::max(positives, 1.0) * share, std::max(weights, 1.0) * share};
}

BoxLosses boxLosses(const BoxLossSums& sums, const BoxDenominators& denominators) {
  return {sums.classes / denominators.positives,
          sums.overlap * (kOverlapWeight / denominators.weights),
          sums.sides * (kSidesWeight / denominators.weights)};
}

at::Tensor BoxLosses::total() const {
  return classes + overlap + sides;
}

}  // namespace headlight
