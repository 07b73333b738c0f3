// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Curves as a drawing: axes with round numbers, a line a curve, a legend beside them.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/imaging/drawing/Drawing.h"

namespace headlight {

struct PlottedCurve {
  std::string name;
  std::vector<double> keys, values;     ///< of equal length, finite
  std::vector<double> deviations = {};  ///< of the values; empty: none. NaN: not known
  bool joined = true;                   ///< off: dots alone, where titles ask for them
  std::vector<std::pair<double, std::string>> marks =
      {};  ///< keys that are worth a line and a word
};

struct CurveTitles {
  std::string quantity, axis;               ///< at the axes
  std::vector<std::string> keyLabels = {};  ///< of the keys 0, 1, …; empty: keys are numbers
  /// A dot at each point, which are few, and their own range along x in place of one from 0.
  bool points = false;
  /// A value that the axis has in sight, with a line where it has a name; 0 is the axis' end.
  std::optional<double> reference = {};
  std::string referenceName = {};
};

/// With more than seven curves, the colors repeat.
Drawing drawCurves(const std::vector<PlottedCurve>& curves, const CurveTitles& titles);

/// Round numbers from at or below `low` to at or above `high`, at most about `most` steps of 1, 2
/// or 5 · 10^n. `low` < `high`, both finite.
std::vector<double> roundTicks(double low, double high, int most);

}  // namespace headlight
