// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/boxes/BoxMatcher.h"

#include <algorithm>

namespace headlight {

bool isInRange(double area, AreaRange range) {
  constexpr double kLeast[] = {0, 0, 32 * 32, 96 * 96};
  constexpr double kMost[] = {1e10, 32 * 32, 96 * 96, 1e10};
  const auto place = static_cast<std::size_t>(range);
  return !(area < kLeast[place]) && !(area > kMost[place]);
}

double leastOverlap(int step) {
  constexpr double kFirst = 0.5, kLast = 0.95;
  if (step == kOverlaps - 1) return kLast;
  return step * ((kLast - kFirst) / (kOverlaps - 1)) + kFirst;
}

BoxMatcher::BoxMatcher(std::span<const TrueBox> truth) : m_truth(truth), m_taken(truth.size()) {
  for (const TrueBox& box : truth) {
    std::uint8_t bits = 0;
    for (int range = 0; range < kAreaRanges; ++range)
      if (!box.crowd && isInRange(box.area, static_cast<AreaRange>(range))) bits |= 1 << range;
    m_counts.push_back(bits);
  }
}

std::int64_t BoxMatcher::counted(AreaRange range) const {
  return std::count_if(m_counts.begin(), m_counts.end(),
                       [&](std::uint8_t bits) { return (bits >> static_cast<int>(range)) & 1; });
}

bool BoxMatcher::counts(std::size_t place, int range) const {
  return (m_counts[place] >> range) & 1;
}

/// An overlap that is no number (areas of 0) is not less than any limit: such boxes match.
void BoxMatcher::findCandidates(const PixelBox& box) {
  m_candidates.clear();
  for (std::size_t i = 0; i < m_truth.size(); ++i) {
    const double overlap = overlapOf(box, m_truth[i].box, m_truth[i].crowd);
    if (!(overlap < leastOverlap(0))) m_candidates.push_back({i, overlap});
  }
}

std::ptrdiff_t BoxMatcher::best(int range, int step, bool counting) const {
  double least = leastOverlap(step);
  std::ptrdiff_t found = -1;
  for (const Candidate& candidate : m_candidates) {
    const auto [place, overlap] = candidate;
    const bool taken = (m_taken[place] & matchBit(range, step)) && !m_truth[place].crowd;
    if (taken || counts(place, range) != counting || overlap < least) continue;
    least = overlap;
    found = static_cast<std::ptrdiff_t>(place);
  }
  return found;
}

void BoxMatcher::matchAt(int range, int step, MatchedBox& result) {
  std::ptrdiff_t place = best(range, step, true);
  const bool ignored = place < 0 && (place = best(range, step, false)) >= 0;
  if (place < 0) return;
  m_taken[static_cast<std::size_t>(place)] |= matchBit(range, step);
  if (m_truth[static_cast<std::size_t>(place)].id != 0) result.matched |= matchBit(range, step);
  if (ignored) result.ignored |= matchBit(range, step);
}

MatchedBox BoxMatcher::match(const FoundBox& found) {
  MatchedBox result{found.score, m_seen++, 0, 0};
  findCandidates(found.box);
  for (int range = 0; range < kAreaRanges; ++range) {
    const bool outside = !isInRange(found.box.area(), static_cast<AreaRange>(range));
    for (int step = 0; step < kOverlaps; ++step) {
      matchAt(range, step, result);
      const std::uint64_t bit = matchBit(range, step);
      if (outside && !(result.matched & bit)) result.ignored |= bit;
    }
  }
  return result;
}

}  // namespace headlight
