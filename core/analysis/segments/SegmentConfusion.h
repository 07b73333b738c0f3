// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How well the classes of pixels are found: equal to detectron2's SemSegEvaluator to 1e-12.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/imaging/ClassImage.h"

namespace headlight {

/// A mean over nothing.
inline constexpr double kNoSegmentNumber = -1;

struct SegmentMeasures {
  double miou = kNoSegmentNumber;          ///< mean IoU of the classes that occur in the truth
  double macc = kNoSegmentNumber;          ///< mean of their accuracies
  double pacc = kNoSegmentNumber;          ///< share of all pixels that are right
  std::vector<std::optional<double>> iou;  ///< tp / (truth + predicted − tp), where it occurs
  std::vector<std::optional<double>> accuracy;  ///< tp / truth, likewise
  std::vector<std::int64_t> truth;              ///< pixels of each class
  std::vector<std::int64_t> predicted;          ///< likewise, of those that have a truth
  std::int64_t pixels = 0;                      ///< that have a truth; 0: there are no numbers
};

/// What becomes of a pixel that has a truth and no predicted class.
enum class Unpredicted {
  Refuse,
  Count,  ///< as one more column: it is among the truth's pixels, and predicted as no class
};

/// Counts pixels by true and predicted class. Several processes add up their counts().
class SegmentConfusion {
 public:
  /// 1 … kMaxPixelClasses classes. Throws Failure(InvalidArgument).
  explicit SegmentConfusion(int classes, Unpredicted unpredicted = Unpredicted::Refuse);

  int classes() const { return m_classes; }
  /// Pixels whose truth is kIgnoredClass count for nothing. Throws Failure (InvalidArgument), and
  /// counts nothing then: images of two sizes, a true class beyond classes(), a predicted one where
  /// there is a truth (kIgnoredClass too: every pixel must be predicted, unless such are counted).
  void add(const ClassImage& truth, const ClassImage& predicted);
  /// Another matrix's counts(). Throws Failure (InvalidArgument) for one of another size.
  void add(const std::vector<std::int64_t>& counts);

  /// [classes, classes]: row true, column predicted; a last column where the unpredicted count.
  const std::vector<std::int64_t>& counts() const { return m_counts; }
  std::vector<std::int64_t>& counts() { return m_counts; }
  std::int64_t at(int truth, int predicted) const;
  SegmentMeasures measures() const;

 private:
  std::size_t placeOf(int truth, int predicted) const;
  void require(const ClassImage& truth, const ClassImage& predicted) const;

  int m_classes, m_columns;
  std::vector<std::int64_t> m_counts;
};

}  // namespace headlight
