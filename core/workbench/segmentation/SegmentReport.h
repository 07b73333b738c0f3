// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How well a segmenter's pixels agree with the true ones, class by class. No torch type here.

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/segments/SegmentConfusion.h"

namespace headlight {

/// Of a class that neither occurs nor is predicted, and of means over no class.
inline constexpr double kNoAgreement = kNoSegmentNumber;

/// Pixels by true and predicted class: a SegmentConfusion that takes what a session finds, where
/// the parts of an image that the model did not see have no class.
class SegmentCounts {
 public:
  explicit SegmentCounts(int classes);
  /// Both of one size; a pixel whose truth is kIgnoredClass or no class of the model counts for
  /// nothing, one that is not predicted as predicted by no class. Throws Failure (Internal): sizes.
  void add(const ClassImage& truth, const ClassImage& predicted);

  int classes() const { return m_confusion.classes(); }
  /// In true class `truth`, predicted as `predicted`; `predicted` classes(): as none.
  std::int64_t at(int truth, int predicted) const { return m_confusion.at(truth, predicted); }
  SegmentMeasures measures() const { return m_confusion.measures(); }

 private:
  SegmentConfusion m_confusion;
};

struct SegmentAgreement {
  std::string name;
  std::int64_t truth = 0, predicted = 0, right = 0;  ///< pixels
  double iou = kNoAgreement;                         ///< right / (truth + predicted − right)
  double accuracy = kNoAgreement;                    ///< right / truth; only of classes that occur
};

struct SegmentReport {
  std::int64_t images = 0, pixels = 0;  ///< with a known class
  double miou = kNoAgreement;           ///< mean IoU over classes that occur in the truth
  double macc = kNoAgreement, pacc = kNoAgreement;
  std::vector<SegmentAgreement> classes;  ///< of the model, in order
  std::string classMatch;                 ///< ClassMatch::text
  double imagesPerSecond = 0;
  std::int64_t skipped = 0;  ///< damaged files
};

/// mIoU, mAcc and pAcc from one table over all images, as ADE20K measures them: means over classes
/// that occur in the truth. `names` may be empty.
SegmentReport measureSegments(const SegmentCounts& counts, const std::vector<std::string>& names);

}  // namespace headlight
