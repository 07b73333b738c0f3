// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a segmenter learns from the classes of pixels (Mask2Former, Cheng et al. 2022, §3.3 and its
// released settings): its predictions are matched and supervised each for itself, all alike.

#include <cstdint>
#include <vector>

#include "core/models/segmentation/SegmentScores.h"
#include "core/training/segmentation/MaskMatching.h"
#include "core/training/segmentation/MaskPoints.h"

namespace headlight {

inline constexpr double kNoneWeight = 0.1;  ///< of queries that learn "none", beside 1

/// What points are drawn from: of an image they depend on the seed and its row alone, so that a
/// batch in parts, or of several processes, draws what it draws whole.
struct PointSeeds {
  std::uint64_t seed = 0;
  std::vector<std::int64_t> rows;       ///< of the whole batch, one for each image
  std::int64_t most = kMostMaskPoints;  ///< points of a mask
};
/// For one prediction of one image: of the points that all pairs are matched at (drawnPoints), and
/// of those of the losses (uncertainPoints).
struct PointKeys {
  std::uint64_t matching = 0, losses = 0;
  std::int64_t most = kMostMaskPoints;  ///< points of a mask
};
PointKeys pointKeys(const PointSeeds& seeds, std::size_t image, std::size_t prediction);

/// Sums over a batch or a part of one and over all predictions; scalars in the precision of the
/// scores.
struct SegmentLossSums {
  at::Tensor classes;  ///< Σ w · cross-entropy over the K + 1 classes; w is 1 of a matched query,
                       ///< which learns its mask's class, and 0.1 of others, which learn "none"
  at::Tensor masks;    ///< over matched queries: BCE, the mean over the points of a mask
  at::Tensor dice;     ///< likewise 1 − (2 Σ σ t + 1) / (Σ σ + Σ t + 1)
};

/// `segments` [B, H, W], uint8, lies where the scores do. Points of the matching are shared by all
/// pairs of an image and a prediction; those of the losses are each mask's own (uncertainPoints).
/// Gradients are defined even where nothing is there to learn. Throws as classesIn().
SegmentLossSums sumSegmentLosses(const SegmentScores& scores, const at::Tensor& segments,
                                 const PointSeeds& seeds);

/// What the sums of a whole batch are divided by, over all parts and processes. Known without a
/// forward pass but for the number of queries.
struct SegmentDenominators {
  double masks = 0;    ///< true masks
  double weights = 0;  ///< Σ w of a prediction

  /// For a part with this share of the batch's images: a mean over the parts' losses, weighted by
  /// their shares, is then the loss of the whole. Masks are at least 1 for the whole.
  SegmentDenominators of(double share) const;
};
SegmentDenominators countSegments(const at::Tensor& segments, std::int64_t classes,
                                  std::int64_t queries);

/// With their weights: 2 · classes / weights, 5 · masks / masks, 5 · dice / masks.
struct SegmentLosses {
  at::Tensor classes, masks, dice;

  at::Tensor total() const;
};
SegmentLosses segmentLosses(const SegmentLossSums& sums, const SegmentDenominators& denominators);

}  // namespace headlight
