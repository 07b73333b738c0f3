// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of noise in several sizes with squares of random classes, for the tests of evaluation.

#include <array>
#include <memory>
#include <random>

#include "core/data/Dataset.h"
#include "core/imaging/Preprocess.h"
#include "tests/training/segmentation/TinySegmenter.h"

namespace headlight {

class SegmentDataset : public Dataset {
 public:
  /// The sample `damaged` cannot be read; -1: all can.
  explicit SegmentDataset(std::int64_t size, std::int64_t damaged = -1)
      : m_size(size), m_damaged(damaged) {}

  std::int64_t size() const override { return m_size; }
  const std::vector<std::string>& classNames() const override { return m_names; }
  bool hasSegments() const override { return true; }
  std::string describe(std::int64_t index) const override { return std::to_string(index); }

  Result<Sample> sample(std::int64_t index) const override {
    if (index == m_damaged) return Error{ErrorCode::InvalidFile, "damaged", describe(index)};
    std::mt19937 random(static_cast<unsigned>(index) + 1);
    const int width = 24 + static_cast<int>(random() % 20);
    const int height = 24 + static_cast<int>(random() % 20);
    auto pixels = std::make_shared<std::vector<std::uint8_t>>(std::size_t(width * height * 3));
    for (std::uint8_t& value : *pixels)
      value = static_cast<std::uint8_t>(random());
    Sample sample{{width, height, std::move(pixels)}, 0};
    sample.segments = squares(width, height, random);
    return sample;
  }

 private:
  static ClassImage squares(int width, int height, std::mt19937& random) {
    std::array<std::uint8_t, 16> classes;
    for (std::uint8_t& label : classes) {
      const auto drawn = static_cast<std::uint8_t>(random() % (kTinyClasses + 1));
      label = drawn == kTinyClasses ? kIgnoredClass : drawn;
    }
    ClassImage image{width, height, {}};
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        image.classes.push_back(classes[std::size_t(4 * (4 * y / height) + 4 * x / width)]);
    return image;
  }

  std::int64_t m_size, m_damaged;
  std::vector<std::string> m_names{"a", "b", "c", "d"};
};

/// As the tiny segmenter wants it: 32 pixels square, nothing cropped.
inline Preprocessing segmentDatasetView() {
  Preprocessing view;
  view.width = view.height = static_cast<int>(kTinySide);
  view.cropFraction = 1;
  view.squash = true;
  return view;
}

}  // namespace headlight
