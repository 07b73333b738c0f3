// SPDX-License-Identifier: GPL-3.0-or-later

// Per-class counts and the confusion of a result that is written down by hand.

#include "core/workbench/evaluation/ClassReport.h"

#include <gtest/gtest.h>

namespace headlight {
namespace {

ImageVerdict reportVerdict(std::int64_t index, int label, int predicted, double loss, bool five) {
  ImageVerdict one;
  one.index = index;
  one.label = label;
  one.predicted = predicted;
  one.loss = loss;
  one.amongFive = five;
  return one;
}

SchemeResult byHand() {
  SchemeResult result;
  result.classNames = {"cat", "dog, \"big\"", "frog"};
  result.images = {reportVerdict(0, 0, 0, 0.1, true), reportVerdict(1, 0, 2, 2.0, true),
                   reportVerdict(2, 2, 2, 0.3, true), reportVerdict(3, 0, 4, 5.0, false)};
  return result;
}

TEST(ClassReport, CountsEachClass) {
  const ClassReport report = classReport(byHand(), 2);
  ASSERT_EQ(report.classes.size(), 2u);  // no image is of a dog
  EXPECT_EQ(report.classes[0].name, "cat");
  EXPECT_EQ(report.classes[0].images, 3);
  EXPECT_EQ(report.classes[0].right, 1);
  EXPECT_DOUBLE_EQ(report.classes[0].top1(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(report.classes[0].top5(), 2.0 / 3);
  EXPECT_NEAR(report.classes[0].loss, 7.1 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(report.classes[1].top1(), 1);
  ASSERT_EQ(report.worst.size(), 2u);
  EXPECT_EQ(report.worst[0].index, 3);
  EXPECT_EQ(report.worst[1].index, 1);
}

TEST(ClassReport, CountsTheConfusionMatrix) {
  const ClassReport report = classReport(byHand());
  EXPECT_EQ(report.confused, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(report.confusion,
            (std::vector<std::vector<std::int64_t>>{{1, 1, 1}, {0, 1, 0}, {0, 0, 0}}));
  EXPECT_EQ(confusionCsv(report, byHand()),
            "class,\"cat\",\"frog\",\"class 4\"\n\"cat\",1,1,1\n\"frog\",0,1,0\n"
            "\"class 4\",0,0,0\n");
}

TEST(ClassReport, OfNoImagesIsEmpty) {
  const ClassReport report = classReport({});
  EXPECT_TRUE(report.classes.empty());
  EXPECT_TRUE(report.confusion.empty());
  EXPECT_EQ(classesCsv(report), "class,name,pictures,top1,top5,loss\n");
}

}  // namespace
}  // namespace headlight
