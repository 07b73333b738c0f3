// SPDX-License-Identifier: GPL-3.0-or-later

// Random erasing: what is erased, how much of it, and with what.

#include "core/data/augment/Erasing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr int kSide = 100;
constexpr float kUntouched = 7;  // no draw of a normal distribution that a test meets

std::vector<float> erased(const ErasingOptions& options, std::uint64_t key) {
  std::vector<float> planes(3 * kSide * kSide, kUntouched);
  eraseBoxes(planes, kSide, kSide, options, key);
  return planes;
}

/// The box around what changed in the first plane.
struct ChangedBox {
  int left = kSide, top = kSide, right = -1, bottom = -1, count = 0;

  explicit ChangedBox(const std::vector<float>& planes) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        if (planes[y * kSide + x] == kUntouched) continue;
        ++count;
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = std::max(bottom, y);
      }
  }
  int width() const { return right - left + 1; }
  int height() const { return bottom - top + 1; }
};

ErasingOptions always(ErasingMode mode) {
  ErasingOptions options;
  options.probability = 1;
  options.mode = mode;
  return options;
}

TEST(Erasing, ZeroChangesNothingAndAProbabilityIsKept) {
  ErasingOptions options = always(ErasingMode::Pixel);
  options.probability = 0;
  const std::vector<float> untouched(3 * kSide * kSide, kUntouched);
  for (std::uint64_t key = 0; key < 50; ++key)
    EXPECT_EQ(erased(options, key), untouched);
  options.probability = 0.25;
  int changed = 0;
  for (std::uint64_t key = 0; key < 1000; ++key)
    changed += erased(options, key) != untouched;
  EXPECT_NEAR(changed, 250, 70);  // five standard deviations
}

TEST(Erasing, ABoxHasTheShareAndTheAspectOfTimm) {
  double least = 1, greatest = 0;
  for (std::uint64_t key = 0; key < 500; ++key) {
    const ChangedBox box(erased(always(ErasingMode::Constant), key));
    ASSERT_EQ(box.count, box.width() * box.height()) << "a full rectangle";
    const double share = box.count / double(kSide * kSide);
    const double ratio = box.height() / double(box.width());
    EXPECT_TRUE(share > 0.018 && share < 0.345) << share;  // 0.02 to 1/3, sides rounded
    EXPECT_TRUE(ratio > 0.27 && ratio < 3.7) << ratio;     // 0.3 to 1 / 0.3
    least = std::min(least, share), greatest = std::max(greatest, share);
  }
  EXPECT_LT(least, 0.03);
  EXPECT_GT(greatest, 0.31);
}

TEST(Erasing, ModesFillAsTheySay) {
  const auto valuesIn = [](const std::vector<float>& planes, int channel) {
    std::vector<float> values;
    for (int i = 0; i < kSide * kSide; ++i)
      if (planes[channel * kSide * kSide + i] != kUntouched)
        values.push_back(planes[channel * kSide * kSide + i]);
    return values;
  };
  for (std::uint64_t key = 0; key < 20; ++key) {
    const auto constant = valuesIn(erased(always(ErasingMode::Constant), key), 1);
    EXPECT_EQ(constant, std::vector<float>(constant.size(), 0.0f));
    const auto one = erased(always(ErasingMode::Color), key);
    const auto red = valuesIn(one, 0), blue = valuesIn(one, 2);
    EXPECT_EQ(red, std::vector<float>(red.size(), red.at(0)));
    EXPECT_NE(red.at(0), blue.at(0));
    const auto noise = valuesIn(erased(always(ErasingMode::Pixel), key), 0);
    double sum = 0, squares = 0;
    for (const float value : noise)
      sum += value, squares += value * value;
    const auto count = static_cast<double>(noise.size());
    EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
    EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2 / count));
  }
}

TEST(Erasing, SeveralBoxesShareTheArea) {
  ErasingOptions options = always(ErasingMode::Constant);
  options.count = 4;
  int several = 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const ChangedBox box(erased(options, key));
    EXPECT_LT(box.count, 0.36 * kSide * kSide);
    several += box.count != box.width() * box.height();
  }
  EXPECT_GT(several, 80);
}

TEST(Erasing, TinyImagesAreSafe) {
  std::vector<float> planes(3, kUntouched);
  for (std::uint64_t key = 0; key < 50; ++key)
    eraseBoxes(planes, 1, 1, always(ErasingMode::Pixel), key);
  EXPECT_EQ(planes, std::vector<float>(3, kUntouched)) << "no box is smaller than that";
}

}  // namespace
}  // namespace headlight
