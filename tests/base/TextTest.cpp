// SPDX-License-Identifier: GPL-3.0-or-later

// Lists, numbers and shapes in words, and rotations.

#include <gtest/gtest.h>

#include "core/base/Random.h"
#include "core/base/Text.h"

namespace headlight {
namespace {

TEST(Text, NumbersReadBackAsTheyWere) {
  EXPECT_EQ(numberText(0.1), "0.1");
  EXPECT_EQ(numberText(3), "3");
  EXPECT_EQ(numberText(1e-5), "1e-05");
  for (const double value : {1.0 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, -2.5})
    EXPECT_EQ(std::stod(numberText(value)), value);
}

TEST(Text, ListsAreJoinedAndCutShort) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(joined({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(joined({"a", "b", "c"}, 2), "a, b and 1 more");
  std::string list;
  addTo(list, "x");
  addTo(list, "y", "; ");
  EXPECT_EQ(list, "x; y");
}

TEST(Text, CellsOfCsvAreQuoted) {
  EXPECT_EQ(csvQuoted(""), "\"\"");
  EXPECT_EQ(csvQuoted("a, \"b\"\n"), "\"a, \"\"b\"\"\n\"");
}

TEST(Text, ShapesStandInBrackets) {
  EXPECT_EQ(shapeText({}), "[]");
  EXPECT_EQ(shapeText(std::vector<std::int64_t>{1, 3, 224}), "[1, 3, 224]");
  EXPECT_TRUE(shapeText(std::vector<std::int64_t>(65, 1)).ends_with("1, …]"));
}

TEST(Random, RotationsAreOrthogonal) {
  for (const int size : {1, 9, 25}) {
    const auto q = randomRotation(size, 5);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        double dot = 0;
        for (int k = 0; k < size; ++k)
          dot += q[i * size + k] * q[j * size + k];
        ASSERT_NEAR(dot, i == j ? 1.0 : 0.0, 1e-12);
      }
  }
  EXPECT_NE(randomRotation(9, 5), randomRotation(9, 6));
}

}  // namespace
}  // namespace headlight
