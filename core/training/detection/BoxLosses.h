// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a detector learns from boxes (PP-PicoDet, Yu et al. 2021, §2.3): varifocal loss of classes
// (Zhang et al. 2021), GIoU of boxes and distribution focal loss of their sides (Li et al. 2020).

#include "core/training/detection/BoxAssignment.h"

namespace headlight {

/// Sums over the cells of a batch or a part of one, scalars in the precision of the scores. With w
/// the greatest class probability of a cell that learns a box (detached):
struct BoxLossSums {
  /// Of the varifocal loss, over all cells and classes: q · BCE(p, q) where q > 0, else
  /// ¾ p² · BCE(p, 0). q is at the class of a cell's box its IoU (detached), 0 elsewhere.
  at::Tensor classes;
  at::Tensor overlap;    ///< Σ w (1 − GIoU)
  at::Tensor sides;      ///< Σ w · ¼ Σ_sides DFL
  double positives = 0;  ///< cells that learn a box
  at::Tensor weights;    ///< Σ w, double, without a gradient
};

/// `truth` has a list for each image of the batch; crowds are not learned. Gradients are defined
/// for logits and sides even where nothing is there to learn.
BoxLossSums sumBoxLosses(const CellScores& scores, const BatchBoxes& truth);

/// What the sums of a whole batch are divided by, over all parts and processes.
struct BoxDenominators {
  double positives = 0;  ///< cells that learn a box
  double weights = 0;    ///< Σ w

  /// For a part with this share of the batch's images: a mean over the parts' losses, weighted by
  /// their shares, is then the loss of the whole. Both are at least 1 for the whole.
  BoxDenominators of(double share) const;
};

/// The three losses with their weights: classes / positives, 2 · overlap / weights and
/// ¼ · sides / weights.
struct BoxLosses {
  at::Tensor classes, overlap, sides;

  at::Tensor total() const;
};
BoxLosses boxLosses(const BoxLossSums& sums, const BoxDenominators& denominators);

}  // namespace headlight
