// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The classes of pixels, and which class a number or a color in a label image means.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/imaging/ClassWheel.h"

namespace headlight {

/// A row of a table of classes.
struct SegmentTableRow {
  int number = 0;  ///< in label images, 0 … 65,535
  std::string name;
  std::optional<ClassColor> color = {};  ///< in label images that have colors
  bool ignored = false;                  ///< its pixels are neither trained on nor measured
};

/// No class has this number.
inline constexpr int kNoSegmentClass = -1;

struct SegmentClasses {
  std::vector<std::string> names;  ///< in the order of the numbers, without those ignored
  std::vector<ClassColor> colors;  ///< one for each: the table's, else classWheel()'s

  /// kIgnoredClass, or kNoSegmentClass.
  int ofNumber(int number) const;
  int ofColor(const ClassColor& color) const;

  std::vector<std::int16_t> numbers;      ///< class of each number; beyond the end: none
  std::map<ClassColor, int> labelColors;  ///< of the table; may be empty
};

/// From rows in any order. Number 255 is ignored unless a row has it. Throws Failure (InvalidFile,
/// without a place): no class, more than kMaxPixelClasses, a number, a name or a color of two
/// classes, a number out of range.
SegmentClasses segmentClasses(std::vector<SegmentTableRow> rows);

}  // namespace headlight
