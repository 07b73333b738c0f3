// SPDX-License-Identifier: GPL-3.0-or-later

// Every head by depth: deviations over images are those of the single ones, and the figure's
// numbers are the measured ones.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "core/base/files/Files.h"
#include "core/workbench/figures/HeadFigure.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

HeadValues someValues(int layers, int heads) {
  HeadValues values;
  values.measure = HeadMetric::Distance;
  values.images = 3;
  for (int l = 0; l < layers; ++l) {
    values.values.emplace_back();
    values.deviations.emplace_back();
    for (int h = 0; h < heads; ++h) {
      values.values[l].push_back(10 * l + h);
      values.deviations[l].push_back(h == 0 ? NAN : 0.5);
    }
    values.chance.push_back(100);
  }
  return values;
}

TEST(HeadFigure, NumbersAreAsMeasured) {
  HeadValues values = someValues(2, 2);
  values.values[1][0] = NAN;
  EXPECT_EQ(headValuesCsv(values),
            "layer,head,value,deviation,chance\n0,0,0,,100\n0,1,1,0.5,100\n1,0,,,100\n"
            "1,1,11,0.5,100\n");
  values.deviations.clear();
  EXPECT_EQ(headValuesCsv(values).find("0.5"), std::string::npos);
}

/// A dot a head, a bar where there is a deviation, chance and the mean named.
TEST(HeadFigure, DrawsEveryHead) {
  const TemporaryFolder folder;
  for (const int heads : {1, 3, 12}) {
    const auto path = folder.path() / "heads.svg";
    valueOrThrow(writeHeadFigure(path, someValues(4, heads)));
    const std::string svg = valueOrThrow(readFile(path, 1 << 22));
    EXPECT_NE(svg.find("chance"), std::string::npos);
    EXPECT_EQ(svg.find("mean of heads") != std::string::npos, heads > 1);
    EXPECT_EQ(svg.find("head 0") != std::string::npos, heads < 6) << heads;
    EXPECT_NE(svg.find("distance"), std::string::npos);
    EXPECT_NE(svg.find("3 images"), std::string::npos);
  }
  EXPECT_EQ(valueOrThrow(headFigure(someValues(4, 3), 2)).width,
            2 * valueOrThrow(headFigure(someValues(4, 3), 1)).width);
  EXPECT_FALSE(writeHeadFigure(folder.path() / "heads.txt", someValues(1, 1)).ok());
  HeadValues none = someValues(2, 2);
  for (auto& layer : none.values)
    layer.assign(2, NAN);
  none.chance.assign(2, NAN);
  EXPECT_TRUE(headFigure(none, 1).ok());
}

}  // namespace
}  // namespace headlight
