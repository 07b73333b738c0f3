// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/boxes/PrecisionCurves.h"

#include <algorithm>
#include <limits>

namespace headlight {
namespace {

constexpr int kRecalls = 101;

bool isRight(const MatchedBox& box, std::uint64_t bit) {
  return (box.matched & ~box.ignored & bit) != 0;
}
bool isWrong(const MatchedBox& box, std::uint64_t bit) {
  return ((box.matched | box.ignored) & bit) == 0;
}

/// The mean over all least overlaps.
template <typename NumberAt>
double meanOverSteps(NumberAt numberAt) {
  double sum = 0;
  for (int step = 0; step < kOverlaps; ++step)
    sum += numberAt(step);
  return sum / kOverlaps;
}

}  // namespace

const std::array<const char*, 12> kPrecisionKeys = {
    "AP",   "AP50",  "AP75",   "AP_small", "AP_medium", "AP_large",
    "AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large"};

/// Recall and precision once a box was looked at.
struct PrecisionCurves::Point {
  double recall, precision;
};

void PrecisionCurves::addImage(std::span<const TrueBox> truth, std::span<const FoundBox> found) {
  BoxMatcher matcher(truth);
  for (const FoundBox& box : found.first(std::min(found.size(), std::size_t{kMostFound})))
    m_found.push_back(matcher.match(box));
  for (int range = 0; range < kAreaRanges; ++range)
    m_counted[static_cast<std::size_t>(range)] += matcher.counted(static_cast<AreaRange>(range));
}

double PrecisionCurves::counted(AreaRange range) const {
  return static_cast<double>(m_counted[static_cast<std::size_t>(range)]);
}

double PrecisionCurves::precisionAt(AreaRange range, int step) const {
  const std::uint64_t bit = matchBit(static_cast<int>(range), step);
  std::vector<Point> curve;
  double right = 0, wrong = 0;
  for (const MatchedBox& box : m_found) {
    right += isRight(box, bit);
    wrong += isWrong(box, bit);
    // Divided as pycocotools does it: where all so far is ignored, by the smallest step above 0.
    curve.push_back(
        {right / counted(range), right / (wrong + right + std::numeric_limits<double>::epsilon())});
  }
  for (std::size_t i = curve.size(); i-- > 1;)
    curve[i - 1].precision = std::max(curve[i - 1].precision, curve[i].precision);
  double sum = 0;
  auto point = curve.begin();
  for (int recall = 0; recall < kRecalls; ++recall) {
    point = std::find_if(point, curve.end(),
                         [&](const Point& at) { return at.recall >= recall * 0.01; });
    if (point == curve.end()) break;
    sum += point->precision;
  }
  return sum / kRecalls;
}

double PrecisionCurves::recallAt(AreaRange range, int step, int mostFound) const {
  const std::uint64_t bit = matchBit(static_cast<int>(range), step);
  const auto right = std::count_if(m_found.begin(), m_found.end(), [&](const MatchedBox& box) {
    return box.rank < mostFound && isRight(box, bit);
  });
  return static_cast<double>(right) / counted(range);
}

double PrecisionCurves::meanPrecision(AreaRange range) const {
  if (counted(range) == 0) return kNoPrecision;
  return meanOverSteps([&](int step) { return precisionAt(range, step); });
}

double PrecisionCurves::meanRecall(AreaRange range, int mostFound) const {
  if (counted(range) == 0) return kNoPrecision;
  return meanOverSteps([&](int step) { return recallAt(range, step, mostFound); });
}

PrecisionNumbers PrecisionCurves::numbers() {
  std::stable_sort(m_found.begin(), m_found.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  const auto at = [&](int step) {
    return counted(AreaRange::All) == 0 ? kNoPrecision : precisionAt(AreaRange::All, step);
  };
  using enum AreaRange;
  return {meanPrecision(All),
          at(0),
          at(5),
          meanPrecision(Small),
          meanPrecision(Medium),
          meanPrecision(Large),
          meanRecall(All, 1),
          meanRecall(All, 10),
          meanRecall(All, kMostFound),
          meanRecall(Small, kMostFound),
          meanRecall(Medium, kMostFound),
          meanRecall(Large, kMostFound)};
}

}  // namespace headlight
