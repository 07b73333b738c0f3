// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/boxes/Suppression.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace headlight {
namespace {

/// What is kept of one class so far, and how many candidates it had.
struct ClassOfBoxes {
  std::vector<int> kept;
  int seen = 0;
};

bool isCovered(const PixelBox& box, const std::vector<int>& by, const std::vector<ScoredBox>& boxes,
               double overlap) {
  return std::any_of(by.begin(), by.end(), [&](int better) {
    return overlapOf(box, boxes[static_cast<std::size_t>(better)].box, false) > overlap;
  });
}

std::vector<int> bestFirst(const std::vector<ScoredBox>& boxes) {
  std::vector<int> places(boxes.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
    return boxes[static_cast<std::size_t>(a)].score > boxes[static_cast<std::size_t>(b)].score;
  });
  return places;
}

}  // namespace

/// Best first over all classes: those that come after the last one that is kept need no look.
std::vector<int> keptBoxes(const std::vector<ScoredBox>& boxes, const SuppressionOptions& options) {
  std::map<int, ClassOfBoxes> classes;
  std::vector<int> kept;
  for (const int place : bestFirst(boxes)) {
    if (static_cast<int>(kept.size()) >= options.mostOfImage) break;
    const ScoredBox& box = boxes[static_cast<std::size_t>(place)];
    ClassOfBoxes& own = classes[box.label];
    if (own.seen++ >= options.bestOfClass) continue;
    if (isCovered(box.box, own.kept, boxes, options.overlap)) continue;
    own.kept.push_back(place);
    kept.push_back(place);
  }
  return kept;
}

}  // namespace headlight
