// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A list of images with their classes, as data sets and people write it: CSV, TSV, lines of "path
// label", JSON lines (metadata.jsonl), or paths alone, whose folder is the class.

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct LabelRow {
  std::string name;   ///< of the image, as it is written: perhaps without its ending
  std::string label;  ///< never empty
  std::string split;  ///< empty: the list says none
};

struct LabelList {
  std::vector<LabelRow> rows;
  bool mayBeginWithHeading = false;  ///< the first row may be a heading of unknown words
};

/// `file` is its name, whose ending tells JSON lines. With a heading, the columns are found by
/// their names ("file_name", "image", …; "label", "class", …); without, they are the first two.
/// Throws Failure (InvalidFile): no rows, a line without a class, several classes of an image, a
/// heading without a column of classes, running numbers for classes.
LabelList parseLabelList(std::string_view text, const std::string& file, const std::string& where);

/// Whether a file of this name may be such a list.
bool mayBeLabelList(const std::string& name);

}  // namespace headlight
