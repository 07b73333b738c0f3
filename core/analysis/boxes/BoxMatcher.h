// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which true box a found one is, as COCO's evaluation (pycocotools) decides it: in one image, for
// one class.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/boxes/PixelBox.h"

namespace headlight {

/// Areas in square pixels: any, small (up to 32²), medium (to 96²), large. Both ends belong to it.
enum class AreaRange { All, Small, Medium, Large };
inline constexpr int kAreaRanges = 4;
bool isInRange(double area, AreaRange range);

/// Least overlaps of a match: 0.5, 0.55, … 0.95, to the last bit as NumPy's linspace gives them.
inline constexpr int kOverlaps = 10;
double leastOverlap(int step);

struct TrueBox {
  std::int64_t id = 1;  ///< in its file. With 0, what matches it counts as unmatched (pycocotools)
  int image = 0, category = 0;  ///< their places in the lists of the truth, from 0
  PixelBox box;
  double area = 0;     ///< as the file says: of the object's outline; it decides the AreaRange
  bool crowd = false;  ///< many objects in one box: it may be matched often and counts for nothing
};

struct FoundBox {
  int image = 0, category = 0;  ///< as TrueBox's
  PixelBox box;
  double score = 0;  ///< any number; only the order matters
};

/// What became of a found box, in every AreaRange and at every least overlap.
struct MatchedBox {
  double score = 0;
  int rank = 0;               ///< among those of its image and class, best score first
  std::uint64_t matched = 0;  ///< bits matchBit()
  std::uint64_t ignored = 0;  ///< it counts neither as right nor as wrong
};
constexpr std::uint64_t matchBit(int range, int step) {
  return std::uint64_t{1} << (range * kOverlaps + step);
}

/// Gives each found box, best first, the true box of greatest overlap that is still free, of equals
/// the later one. Those that count come before crowds and those out of the range, which are taken
/// only where nothing that counts fits.
class BoxMatcher {
 public:
  /// The true boxes of one image and class, in the order of the file; they must outlive it.
  explicit BoxMatcher(std::span<const TrueBox> truth);
  /// Takes boxes in order of falling score.
  MatchedBox match(const FoundBox& found);
  /// How many true boxes count.
  std::int64_t counted(AreaRange range) const;

 private:
  struct Candidate {
    std::size_t place;
    double overlap;
  };
  void findCandidates(const PixelBox& box);
  bool counts(std::size_t place, int range) const;
  /// The place of the best candidate that does or does not count; -1: none.
  std::ptrdiff_t best(int range, int step, bool counting) const;
  void matchAt(int range, int step, MatchedBox& result);

  std::span<const TrueBox> m_truth;
  std::vector<std::uint64_t> m_taken;  ///< bits matchBit() of each true box
  std::vector<std::uint8_t> m_counts;  ///< a bit for each range
  std::vector<Candidate> m_candidates;
  int m_seen = 0;
};

}  // namespace headlight
