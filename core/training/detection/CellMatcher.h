// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which cells of one image learn which true boxes (SimOTA: Ge et al. 2021, YOLOX, with the costs of
// PP-PicoDet). No torch type.

#include <span>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"

namespace headlight {

/// In pixels of the image that the model sees.
struct CellPlace {
  double x = 0, y = 0, stride = 0;  ///< its center
};

/// What a detector says of one image in its N cells.
struct CellImage {
  std::span<const CellPlace> places;   ///< [N]
  std::span<const double> corners;     ///< [N, 4]: left, top, right and bottom of the cells' boxes
  std::span<const double> background;  ///< [N] BackgroundLoss: varifocal loss with q = 0 everywhere
  std::span<const double> logits;      ///< [N, K], of the classes, which the boxes' labels are of
};

inline constexpr double kCenterRadius = 2.5;  ///< in strides: how far a near cell's center is
inline constexpr int kMostCells = 10;         ///< of a box

/// What the varifocal loss (Zhang et al. 2021) adds for the logit z of one class with the target
/// q: q · BCE(σ(z), q), and where q is 0, ¾ σ(z)² · BCE(σ(z), 0).
double varifocal(double logit, double target);

/// For each cell the place of its box in `truth`; -1: none. Candidates are cells whose center lies
/// in a true box, or within 2.5 strides of the center of one. A box takes its k cheapest, k the sum
/// of its 10 greatest IoUs rounded down, at least 1. A cell that several boxes take goes to the box,
/// of all, for which it is cheapest. Costs: the varifocal loss over all classes with the IoU as q of
/// the true class, plus 6 · (1 − GIoU), plus 1e8 where the center is not both in that box and near
/// its center. Of equal costs the first cell or box is taken. Crowds and boxes without area get no
/// cell.
std::vector<int> matchCells(const CellImage& image, const LabeledBoxes& truth);

}  // namespace headlight
