// SPDX-License-Identifier: GPL-3.0-or-later

// The class of every pixel beside a naive one.

#include "core/models/segmentation/PixelClasses.h"

#include <gtest/gtest.h>

#include "core/models/backbones/Model.h"
#include "tests/training/segmentation/NaiveSegments.h"

namespace headlight {
namespace {

/// Bilinear as at::upsample_bilinear2d without aligned corners: places beyond the middle of the
/// outermost pixels take those.
naive::Mask resized(const naive::Mask& mask, std::int64_t height, std::int64_t width) {
  naive::Mask result{height, width, {}};
  const auto placeOf = [](std::int64_t at, std::int64_t from, std::int64_t to) {
    return std::max((double(at) + 0.5) * double(from) / double(to) - 0.5, 0.0);
  };
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const double row = placeOf(y, mask.height, height), column = placeOf(x, mask.width, width);
      const auto top = std::int64_t(row), left = std::int64_t(column);
      const std::int64_t bottom = std::min(top + 1, mask.height - 1);
      const std::int64_t right = std::min(left + 1, mask.width - 1);
      const double below = row - double(top), beside = column - double(left);
      result.values.push_back(
          (1 - below) * ((1 - beside) * mask.pixel(top, left) + beside * mask.pixel(top, right)) +
          below * ((1 - beside) * mask.pixel(bottom, left) + beside * mask.pixel(bottom, right)));
    }
  return result;
}

naive::Mask upperLeft(const naive::Mask& mask, std::int64_t height, std::int64_t width) {
  naive::Mask part{height, width, {}};
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      part.values.push_back(mask.pixel(y, x));
  return part;
}

/// [class]: the scores of a picture's pixels.
std::vector<naive::Mask> naiveScores(const naive::Queries& queries, const SeenPicture& seen) {
  std::vector<naive::Mask> scores;
  for (std::size_t k = 0; k + 1 < queries[0].classes.size(); ++k) {
    naive::Mask sum{seen.shownHeight, seen.shownWidth, {}};
    sum.values.assign(std::size_t(seen.shownHeight * seen.shownWidth), 0);
    for (const naive::Query& query : queries) {
      const double share = std::exp(query.classes[k] - naive::logSumExp(query.classes));
      const naive::Mask mask = upperLeft(resized(query.mask, seen.height, seen.width),
                                         seen.shownHeight, seen.shownWidth);
      for (std::size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] += share * naive::sigmoid(mask.values[i]);
    }
    scores.push_back(resized(sum, seen.pictureHeight, seen.pictureWidth));
  }
  return scores;
}

void expectClasses(const SeenPicture& seen) {
  const auto random = holdTorchRandom();
  seedTorch(2);
  SegmentScores scores;
  for (int i = 0; i < 2; ++i) {
    scores.classes.push_back(at::randn({2, 6, 8}, at::kDouble));
    scores.masks.push_back(at::randn({2, 6, 8, 12}, at::kDouble) * 3);
  }
  const auto wanted = naiveScores(naive::queriesOf(scores.classes[1][1], scores.masks[1][1]), seen);
  const ClassImage found = pixelClasses(scores, 1, seen);
  ASSERT_EQ(found.width, seen.pictureWidth);
  ASSERT_EQ(found.height, seen.pictureHeight);
  ASSERT_EQ(found.classes.size(), wanted[0].values.size());
  for (std::size_t i = 0; i < found.classes.size(); ++i)
    for (const naive::Mask& other : wanted)
      EXPECT_GE(wanted[found.classes[i]].values[i], other.values[i] - 1e-12) << i;
  const SurePixels sure = surePixelClasses(scores, 1, seen);
  EXPECT_EQ(sure.classes.classes, found.classes);
  ASSERT_EQ(sure.shares.size(), found.classes.size());
  for (std::size_t i = 0; i < sure.shares.size(); ++i) {
    double sum = 0;
    for (const naive::Mask& score : wanted)
      sum += score.values[i];
    EXPECT_NEAR(sure.shares[i], wanted[found.classes[i]].values[i] / sum, 1e-6) << i;
  }
}

TEST(PixelClasses, AreThoseOfANaiveReference) {
  expectClasses({32, 48, 32, 48, 32, 48});
}

TEST(PixelClasses, AreInTheOriginalsSize) {
  expectClasses({32, 48, 32, 48, 45, 31});
  expectClasses({32, 48, 32, 48, 20, 70});
}

TEST(PixelClasses, LeaveThePaddingOut) {
  expectClasses({32, 48, 30, 41, 60, 82});
}

TEST(PixelClasses, OfWhatIsNoNumberAreZero) {
  SegmentScores scores;
  scores.classes.push_back(at::full({1, 2, 4}, NAN));
  scores.masks.push_back(at::zeros({1, 2, 4, 4}));
  for (const std::uint8_t label : pixelClasses(scores, 0, {16, 16, 16, 16, 8, 8}).classes)
    EXPECT_EQ(label, 0);
}

}  // namespace
}  // namespace headlight
