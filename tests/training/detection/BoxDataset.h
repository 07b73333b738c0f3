// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of noise in several sizes with boxes, crowds among them, for the tests of evaluation.

#include <memory>
#include <random>

#include "core/data/Dataset.h"
#include "core/imaging/Preprocess.h"
#include "tests/training/detection/DrawnScores.h"

namespace headlight {

class BoxDataset : public Dataset {
 public:
  /// The sample `damaged` cannot be read; -1: all can.
  explicit BoxDataset(std::int64_t size, std::int64_t damaged = -1)
      : m_size(size), m_damaged(damaged) {}

  std::int64_t size() const override { return m_size; }
  const std::vector<std::string>& classNames() const override { return m_names; }
  bool hasBoxes() const override { return true; }
  std::string describe(std::int64_t index) const override { return std::to_string(index); }

  Result<Sample> sample(std::int64_t index) const override {
    if (index == m_damaged) return Error{ErrorCode::InvalidFile, "damaged", describe(index)};
    std::mt19937 random(static_cast<unsigned>(index) + 1);
    const int width = 60 + 4 * static_cast<int>(random() % 20);
    const int height = 60 + 4 * static_cast<int>(random() % 20);
    auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::size_t(width * height * 3));
    for (std::uint8_t& value : *pixels)
      value = static_cast<std::uint8_t>(random());
    return Sample{{width, height, std::move(pixels)}, 0, boxesWithin(width, height, index)};
  }

 private:
  static LabeledBoxes boxesWithin(int width, int height, std::int64_t index) {
    LabeledBoxes boxes;
    for (LabeledBox box : drawnBoxes(8, static_cast<unsigned>(index))) {
      box.box.x = std::max(box.box.x, 0.0);
      box.box.y = std::max(box.box.y, 0.0);
      box.box.width = std::min(box.box.width, width - box.box.x);
      box.box.height = std::min(box.box.height, height - box.box.y);
      box.crowd = boxes.size() == 3;
      if (box.box.width > 0 && box.box.height > 0) boxes.push_back(box);
    }
    return boxes;
  }

  std::int64_t m_size, m_damaged;
  std::vector<std::string> m_names{"a", "b", "c", "d", "e"};
};

/// As the tiny detector wants it: 64 pixels square, nothing cropped.
inline Preprocessing boxDatasetView() {
  Preprocessing view;
  view.width = view.height = 64;
  view.cropFraction = 1;
  view.squash = true;
  return view;
}

}  // namespace headlight
