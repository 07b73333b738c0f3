// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model makes of each class of a dataset: how many of its images are right, what the
// others are taken for, and which are worst. Counted from verdicts that are there (MaskEffect.h);
// nothing is computed anew.

#include <cstdint>
#include <string>
#include <vector>

#include "core/workbench/evaluation/MaskEffect.h"

namespace headlight {

/// The images of one class.
struct ClassResult {
  int index = 0;     ///< as the model counts its classes
  std::string name;  ///< "class 7" where they have no names
  std::int64_t images = 0, right = 0, amongFive = 0;
  double loss = 0;  ///< mean
  double top1() const { return images > 0 ? static_cast<double>(right) / images : 0; }
  double top5() const { return images > 0 ? static_cast<double>(amongFive) / images : 0; }
};

struct ClassReport {
  std::vector<ClassResult> classes;  ///< those that have images, by index
  /// Classes of images and of predictions, by index, and how many images of the first (row)
  /// are taken for the second (column).
  std::vector<int> confused;
  std::vector<std::vector<std::int64_t>> confusion;  ///< [row][column], by place in `confused`
  std::vector<ImageVerdict> worst;                   ///< by loss, the greatest first
};

/// At most `worst` images are named.
ClassReport classReport(const SchemeResult& result, std::size_t worst = 24);

std::string findClassName(const SchemeResult& result, int index);

/// class,name,images,top1,top5,loss of every class.
std::string classesCsv(const ClassReport& report);
/// A row a class of images, a column a class of predictions, both by name.
std::string confusionCsv(const ClassReport& report, const SchemeResult& result);

}  // namespace headlight
