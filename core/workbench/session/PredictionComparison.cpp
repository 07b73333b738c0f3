// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/PredictionComparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/Text.h"

namespace headlight {
namespace {

/// Where the middle of the `at`-th of `count` lies among `others`.
int placeAmong(int at, int count, int others) {
  return (2 * at + 1) * others / (2 * count);
}

double cosineOf(const std::vector<float>& left, const std::vector<float>& right) {
  double product = 0, squaresLeft = 0, squaresRight = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::isnan(left[i]) || std::isnan(right[i])) continue;
    product += double(left[i]) * right[i];
    squaresLeft += double(left[i]) * left[i];
    squaresRight += double(right[i]) * right[i];
  }
  const double scale = std::sqrt(squaresLeft * squaresRight);
  return scale > 0 ? product / scale : std::numeric_limits<double>::quiet_NaN();
}

void measure(MapDifference& difference) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    const float value = difference.values[i];
    if (std::isnan(value)) continue;
    sum += std::abs(value);
    ++count;
    if (std::abs(value) <= std::abs(difference.most)) continue;
    difference.most = value;
    difference.mostAt = static_cast<int>(i);
  }
  difference.mean = count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

int correspondingToken(int token, const Grid& from, const Grid& to) {
  if (token < from.prefix && token < to.prefix) return token;
  if (token < from.prefix) return to.middleToken();
  const int patch = token - from.prefix;
  return to.prefix + placeAmong(patch / from.cols, from.rows, to.rows) * to.cols +
         placeAmong(patch % from.cols, from.cols, to.cols);
}

Result<MapDifference> mapDifference(const std::vector<float>& left, const Grid& leftGrid,
                                    const std::vector<float>& right, const Grid& rightGrid) {
  if (leftGrid.rows != rightGrid.rows || leftGrid.cols != rightGrid.cols ||
      left.size() != right.size()) {
    char text[120];
    std::snprintf(text, sizeof text,
                  "the maps have different grids, %d x %d and %d x %d, so they have no difference",
                  leftGrid.rows, leftGrid.cols, rightGrid.rows, rightGrid.cols);
    return Error{ErrorCode::InvalidArgument, text, ""};
  }
  MapDifference difference;
  difference.values = right;
  for (std::size_t i = 0; i < left.size(); ++i)
    difference.values[i] -= left[i];
  difference.range = valueRange(difference.values, /*aboutZero=*/true);
  difference.cosine = cosineOf(left, right);
  measure(difference);
  return difference;
}

DrawnMap drawnTogether(const std::vector<float>& left, const std::vector<float>& right,
                       bool isSigned, MapStyle style, ColorMap colors) {
  std::vector<float> both = left;
  both.insert(both.end(), right.begin(), right.end());
  return drawnMap(both, isSigned, style, colors);
}

DrawnMap drawnDifference(const MapDifference& difference) {
  return {MapStyle::Overlay, ColorMap::Diverging, difference.range, ""};
}

std::string describeDifference(const MapDifference& difference, const Grid& grid) {
  if (difference.most == 0) return "no difference";
  char text[160];
  std::snprintf(text, sizeof text, "maximum %+.3g at %s, mean %.3g", difference.most,
                tokenText(grid.prefix + difference.mostAt, grid).c_str(), difference.mean);
  return text;
}

std::string describeCosine(const MapDifference& difference) {
  if (std::isnan(difference.cosine)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "cosine %.3f", difference.cosine);
  return text;
}

std::string differenceText(const MapDifference& difference, const Grid& grid) {
  std::string text = describeDifference(difference, grid);
  const std::string cosine = describeCosine(difference);
  if (!cosine.empty()) addTo(text, cosine, "; ");
  return text;
}

}  // namespace headlight
