// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Precision and recall of one class over all images, as COCO's evaluation (pycocotools) measures
// them.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/boxes/BoxMatcher.h"

namespace headlight {

/// The twelve numbers of COCO, in its order: AP, AP50, AP75, AP of small, medium and large boxes,
/// recall (AR) with at most 1, 10 and 100 boxes an image and class, AR of small, medium and large
/// ones. Each in [0, 1], or kNoPrecision.
using PrecisionNumbers = std::array<double, 12>;
/// Where no true box counts, as pycocotools has it.
inline constexpr double kNoPrecision = -1;
/// Their names: "AP", "AP50", "AP75", "AP_small", …, "AR_1", "AR_10", "AR_100", "AR_small", ….
extern const std::array<const char*, 12> kPrecisionKeys;

/// More found boxes of an image and class are not looked at.
inline constexpr int kMostFound = 100;

/// Collects what was found of one class.
class PrecisionCurves {
 public:
  /// The boxes of one image: the true ones in the order of the file, the found ones by falling
  /// score, equal ones in the order of the file. Images in the order of their ids.
  void addImage(std::span<const TrueBox> truth, std::span<const FoundBox> found);
  /// Sorts what was added. AP is the mean over least overlaps of the precision at 101 recalls,
  /// \f$ \frac{1}{101} \sum_{r \in \{0, 0.01, …, 1\}} \max_{r' \ge r} p(r') \f$.
  PrecisionNumbers numbers();

 private:
  struct Point;
  double precisionAt(AreaRange range, int step) const;
  double recallAt(AreaRange range, int step, int mostFound) const;
  double meanPrecision(AreaRange range) const;
  double meanRecall(AreaRange range, int mostFound) const;
  double counted(AreaRange range) const;

  std::vector<MatchedBox> m_found;
  std::array<std::int64_t, kAreaRanges> m_counted{};
};

}  // namespace headlight
