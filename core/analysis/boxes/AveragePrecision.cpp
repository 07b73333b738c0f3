// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/boxes/AveragePrecision.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace headlight {
namespace {

/// Boxes that are sorted by category and image, taken group by group.
template <typename Box>
class Groups {
 public:
  explicit Groups(const std::vector<Box>& boxes) : m_rest(boxes) {}

  /// The image of the next box of this category; no image's number where there is none.
  int nextImage(int category) const {
    const bool any = !m_rest.empty() && m_rest.front().category == category;
    return any ? m_rest.front().image : std::numeric_limits<int>::max();
  }
  std::span<const Box> take(int category, int image) {
    const auto end = std::find_if(m_rest.begin(), m_rest.end(), [&](const Box& box) {
      return box.category != category || box.image != image;
    });
    const auto group = m_rest.first(static_cast<std::size_t>(end - m_rest.begin()));
    m_rest = m_rest.subspan(group.size());
    return group;
  }

 private:
  std::span<const Box> m_rest;
};

PrecisionNumbers measureClass(int category, Groups<TrueBox>& truth, Groups<FoundBox>& found) {
  PrecisionCurves curves;
  for (;;) {
    const int image = std::min(truth.nextImage(category), found.nextImage(category));
    if (image == std::numeric_limits<int>::max()) return curves.numbers();
    const auto trueBoxes = truth.take(category, image);
    curves.addImage(trueBoxes, found.take(category, image));
  }
}

double meanOverClasses(const std::vector<PrecisionNumbers>& classes, std::size_t number) {
  double sum = 0;
  int count = 0;
  for (const PrecisionNumbers& numbers : classes) {
    if (numbers[number] == kNoPrecision) continue;
    sum += numbers[number];
    ++count;
  }
  return count == 0 ? kNoPrecision : sum / count;
}

}  // namespace

AveragePrecision measurePrecision(std::vector<TrueBox> truth, std::vector<FoundBox> found,
                                  int categories) {
  std::stable_sort(truth.begin(), truth.end(), [](const auto& a, const auto& b) {
    return std::tie(a.category, a.image) < std::tie(b.category, b.image);
  });
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.category, a.image, b.score) < std::tie(b.category, b.image, a.score);
  });
  Groups<TrueBox> truthGroups(truth);
  Groups<FoundBox> foundGroups(found);
  AveragePrecision result;
  for (int category = 0; category < categories; ++category)
    result.classes.push_back(measureClass(category, truthGroups, foundGroups));
  for (std::size_t i = 0; i < result.all.size(); ++i)
    result.all[i] = meanOverClasses(result.classes, i);
  return result;
}

}  // namespace headlight
