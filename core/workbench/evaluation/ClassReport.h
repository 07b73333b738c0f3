// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model makes of each class of a data set: how many of its pictures are right, what the
// others are taken for, and which are worst. Counted from verdicts that are there (MaskEffect.h);
// nothing is computed anew.

#include <cstdint>
#include <string>
#include <vector>

#include "core/workbench/evaluation/MaskEffect.h"

namespace headlight {

/// The pictures of one class.
struct ClassResult {
  int index = 0;     ///< as the model counts its classes
  std::string name;  ///< "class 7" where they have no names
  std::int64_t pictures = 0, right = 0, amongFive = 0;
  double loss = 0;  ///< mean
  double top1() const { return pictures > 0 ? static_cast<double>(right) / pictures : 0; }
  double top5() const { return pictures > 0 ? static_cast<double>(amongFive) / pictures : 0; }
};

struct ClassReport {
  std::vector<ClassResult> classes;  ///< those that have pictures, by index
  /// Classes of pictures and of predictions, by index, and how many pictures of the first (row)
  /// are taken for the second (column).
  std::vector<int> confused;
  std::vector<std::vector<std::int64_t>> confusion;  ///< [row][column], by place in `confused`
  std::vector<PictureVerdict> worst;                 ///< by loss, the greatest first
};

/// At most `worst` pictures are named.
ClassReport classReport(const SchemeResult& result, std::size_t worst = 24);

std::string classNameOf(const SchemeResult& result, int index);

/// class,name,pictures,top1,top5,loss of every class.
std::string classesCsv(const ClassReport& report);
/// A row a class of pictures, a column a class of predictions, both by name.
std::string confusionCsv(const ClassReport& report, const SchemeResult& result);

}  // namespace headlight
