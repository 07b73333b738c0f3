// SPDX-License-Identifier: GPL-3.0-or-later

// Average precision beside pycocotools' (tests/golden/ap, make_ap_golden.py) and beside loops that
// follow its definition word by word.

#include "core/analysis/boxes/AveragePrecision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/data/boxes/BoxResults.h"

namespace headlight {
namespace {

using nlohmann::json;

json goldenCases() {
  return json::parse(std::ifstream(HEADLIGHT_GOLDEN_DIR "/ap/cases.json"));
}

void expectNumbers(const PrecisionNumbers& numbers, const json& expected, const std::string& what) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_NEAR(numbers[i], expected[i].get<double>(), 1e-12) << what << ", " << kPrecisionKeys[i];
}

TEST(AveragePrecision, IsThatOfPycocotools) {
  const json cases = goldenCases();
  EXPECT_GE(cases.size(), 20u);
  for (const json& one : cases) {
    const std::string name = one["name"];
    const auto truth = boxTruthFromText(one["truth"].dump(), name);
    ASSERT_TRUE(truth.ok()) << truth.error().text();
    const auto found = boxResultsFromText(one["found"].dump(), name, *truth);
    ASSERT_TRUE(found.ok()) << found.error().text();
    const auto precision =
        measurePrecision(truth->boxes, found->boxes, static_cast<int>(truth->categories.size()));
    expectNumbers(precision.all, one["expected"]["all"], name);
    ASSERT_EQ(precision.classes.size(), one["expected"]["classes"].size()) << name;
    for (std::size_t i = 0; i < precision.classes.size(); ++i)
      expectNumbers(precision.classes[i], one["expected"]["classes"][i],
                    name + ", class " + std::to_string(i));
  }
}

/// Boxes on a coarse grid, so that overlaps and scores are often equal.
struct Boxes {
  std::vector<TrueBox> truth;
  std::vector<FoundBox> found;
};
Boxes drawnBoxes(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % unsigned(below)); };
  const auto box = [&] {
    return PixelBox{10.0 * draw(8), 10.0 * draw(8), 10.0 * draw(12), 10.0 * draw(12)};
  };
  Boxes boxes;
  const int images = 1 + draw(4);
  for (int i = draw(25); i > 0; --i) {
    const PixelBox place = box();
    boxes.truth.push_back(
        {i, draw(images), draw(2), place, place.area() * (1 + draw(2)) / 2.0, draw(5) == 0});
  }
  for (int i = draw(60); i > 0; --i)
    boxes.found.push_back({draw(images), draw(2), box(), draw(5) / 4.0});
  return boxes;
}

/// What one found box is at one least overlap.
enum class Verdict { Right, Wrong, Ignored };
struct Judged {
  double score;
  Verdict verdict;
};

/// The true box of greatest overlap, the last of equals, that is free and counts or does not.
const TrueBox* naiveMatch(const PixelBox& box, const std::vector<const TrueBox*>& truth,
                          const std::vector<const TrueBox*>& taken, AreaRange range, double least,
                          bool counting) {
  const TrueBox* best = nullptr;
  double greatest = least;
  for (const TrueBox* one : truth) {
    const bool counts = !one->crowd && isInRange(one->area, range);
    const bool free = one->crowd || std::find(taken.begin(), taken.end(), one) == taken.end();
    const double overlap = overlapOf(box, one->box, one->crowd);
    if (counts != counting || !free || overlap < greatest) continue;
    greatest = overlap;
    best = one;
  }
  return best;
}

std::vector<Judged> judged(const Boxes& boxes, int category, AreaRange range, double least,
                           std::size_t most) {
  std::vector<Judged> verdicts;
  for (int image = 0; image < 4; ++image) {
    std::vector<const TrueBox*> truth, taken;
    for (const TrueBox& box : boxes.truth)
      if (box.image == image && box.category == category) truth.push_back(&box);
    std::vector<FoundBox> found;
    for (const FoundBox& box : boxes.found)
      if (box.image == image && box.category == category) found.push_back(box);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
      const auto match = [&](bool counting) {
        return naiveMatch(found[i].box, truth, taken, range, least, counting);
      };
      const TrueBox* counting = match(true);
      const TrueBox* other = counting ? nullptr : match(false);
      const bool outside = !isInRange(found[i].box.area(), range);
      verdicts.push_back({found[i].score, counting           ? Verdict::Right
                                          : other || outside ? Verdict::Ignored
                                                             : Verdict::Wrong});
      taken.push_back(counting ? counting : other);
    }
  }
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return verdicts;
}

double trueCount(const Boxes& boxes, int category, AreaRange range) {
  return static_cast<double>(
      std::count_if(boxes.truth.begin(), boxes.truth.end(), [&](const TrueBox& box) {
        return box.category == category && !box.crowd && isInRange(box.area, range);
      }));
}

/// The mean over 101 recalls of the greatest precision at that recall or beyond.
double naivePrecision(const std::vector<Judged>& verdicts, double count) {
  double sum = 0;
  for (int r = 0; r <= 100; ++r) {
    double best = 0, right = 0, wrong = 0;
    for (const Judged& one : verdicts) {
      right += one.verdict == Verdict::Right;
      wrong += one.verdict == Verdict::Wrong;
      if (right / count >= r * 0.01 && right > 0) best = std::max(best, right / (right + wrong));
    }
    sum += best;
  }
  return sum / 101;
}

double naiveRecall(const std::vector<Judged>& verdicts, double count) {
  return static_cast<double>(
             std::count_if(verdicts.begin(), verdicts.end(),
                           [](const Judged& one) { return one.verdict == Verdict::Right; })) /
         count;
}

double naiveMean(const Boxes& boxes, int category, AreaRange range, std::size_t most,
                 double (*number)(const std::vector<Judged>&, double)) {
  const double count = trueCount(boxes, category, range);
  if (count == 0) return kNoPrecision;
  double sum = 0;
  for (int step = 0; step < kOverlaps; ++step)
    sum += number(judged(boxes, category, range, leastOverlap(step), most), count);
  return sum / kOverlaps;
}

TEST(AveragePrecision, IsThatOfTheDefinition) {
  using enum AreaRange;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Boxes boxes = drawnBoxes(seed);
    const auto precision = measurePrecision(boxes.truth, boxes.found, 2);
    for (int category = 0; category < 2; ++category) {
      const auto& numbers = precision.classes[static_cast<std::size_t>(category)];
      const AreaRange ranges[] = {All, Small, Medium, Large};
      const std::size_t ap[] = {0, 3, 4, 5}, ar[] = {8, 9, 10, 11};
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(numbers[ap[i]], naiveMean(boxes, category, ranges[i], 100, naivePrecision),
                    1e-12)
            << seed;
        EXPECT_NEAR(numbers[ar[i]], naiveMean(boxes, category, ranges[i], 100, naiveRecall), 1e-12)
            << seed;
      }
      EXPECT_NEAR(numbers[6], naiveMean(boxes, category, All, 1, naiveRecall), 1e-12) << seed;
      EXPECT_NEAR(numbers[7], naiveMean(boxes, category, All, 10, naiveRecall), 1e-12) << seed;
    }
  }
}

TEST(AveragePrecision, FoundAsTheyAreIsOne) {
  std::vector<TrueBox> truth;
  std::vector<FoundBox> found;
  for (int i = 0; i < 30; ++i) {
    const PixelBox box{20.0 * i, 0, 10.0 + 5 * i, 12};
    truth.push_back({i + 1, i % 3, i % 2, box, box.area(), false});
    found.push_back({i % 3, i % 2, box, 0.01 * i});
  }
  const auto precision = measurePrecision(truth, found, 3);
  EXPECT_DOUBLE_EQ(precision.all[0], 1);
  EXPECT_DOUBLE_EQ(precision.all[8], 1);
  EXPECT_EQ(precision.all[5], kNoPrecision);  // no box is large
  EXPECT_EQ(precision.classes[2][0], kNoPrecision);
}

TEST(AveragePrecision, OfNothingIsNoNumber) {
  const auto precision = measurePrecision({}, {}, 0);
  EXPECT_TRUE(precision.classes.empty());
  EXPECT_EQ(precision.all[0], kNoPrecision);
}

TEST(AveragePrecision, OverlapsAreSharesOfWhatEitherHas) {
  const PixelBox box{0, 0, 10, 10};
  EXPECT_DOUBLE_EQ(overlapOf(box, box, false), 1);
  EXPECT_DOUBLE_EQ(overlapOf(box, {5, 0, 10, 10}, false), 50.0 / 150);
  EXPECT_DOUBLE_EQ(overlapOf(box, {5, 0, 100, 100}, true), 0.5);
  EXPECT_EQ(overlapOf(box, {10, 0, 10, 10}, false), 0);
  EXPECT_EQ(overlapOf(box, {5, 5, 0, 0}, false), 0);
}

}  // namespace
}  // namespace headlight
