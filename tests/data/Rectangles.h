// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of colored rectangles with their boxes, for tests of data and of processes.

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "core/data/boxes/BoxAugment.h"
#include "tests/data/Support.h"

namespace headlight::test {

/// Of rectangles 0, 1 and 2; the ground is black.
inline constexpr std::array<std::array<std::uint8_t, 3>, 3> kRectangleColors{
    {{250, 0, 0}, {0, 250, 0}, {0, 0, 250}}};

/// Rectangles at whole pixels, labeled by their place.
inline BoxedImage boxedRectangles(int width, int height, const std::vector<PixelBox>& boxes) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::size_t(width * height * 3));
  BoxedImage made;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const PixelBox& box = boxes[i];
    for (int y = int(box.y); y < int(box.y + box.height); ++y)
      for (int x = int(box.x); x < int(box.x + box.width); ++x)
        std::copy(kRectangleColors[i].begin(), kRectangleColors[i].end(),
                  pixels->begin() + 3 * (y * width + x));
    made.boxes.push_back({box, int(i), box.area(), false});
  }
  made.image = {width, height, std::move(pixels)};
  return made;
}

/// Images of one to three rectangles in memory, as large as they say, with a crowd as the last box
/// of each.
class RectangleDataset : public Dataset {
 public:
  explicit RectangleDataset(std::int64_t count) : m_count(count) {}
  std::int64_t size() const override { return m_count; }
  const std::vector<std::string>& classNames() const override { return m_names; }
  bool hasBoxes() const override { return true; }
  Result<Sample> sample(std::int64_t index) const override {
    if (fails && fails(index)) return Error{ErrorCode::InvalidFile, "is damaged", describe(index)};
    return Sample{boxed(index).image, 0, boxes(index)};
  }
  std::string describe(std::int64_t index) const override {
    return "rectangles #" + std::to_string(index);
  }
  LabeledBoxes boxes(std::int64_t index) const {
    LabeledBoxes boxes = boxed(index).boxes;
    boxes.push_back({{0, 0, 20, 20}, 2, 400, true});
    return boxes;
  }

  std::function<bool(std::int64_t)> fails;

 private:
  static BoxedImage boxed(std::int64_t index) {
    const auto across = static_cast<double>(index % 16), down = static_cast<double>(index % 12);
    std::vector<PixelBox> boxes{{4 + across, 3, 20, 15}, {30, 20 + down, 20, 12}, {4, 24, 12, 14}};
    boxes.resize(static_cast<std::size_t>(1 + index % 3));
    return boxedRectangles(60, 44, boxes);
  }
  std::int64_t m_count;
  std::vector<std::string> m_names{"red", "green", "blue"};
};

}  // namespace headlight::test
