// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What Bench.h and PartBench.h measure, as tables: the window's and the command line's. No torch
// type here.

#include <string>
#include <vector>

#include "core/workbench/bench/Bench.h"
#include "core/workbench/bench/PartBench.h"

namespace headlight {

/// Of inference (MaiT, Table 5); 0: not measured.
double imagesPerSecond(const BenchRow& row);
/// Of the forward and backward passes of training (AFT, Tables 7 and 8); 0: not measured.
double trainedImagesPerSecond(const BenchRow& row);

/// A table as people read it: a text for each column, and where it is a number the number.
struct BenchCell {
  std::string text;
  bool isNumber = false;
};
struct BenchTable {
  std::vector<std::string> columns;  ///< titles
  std::vector<std::vector<BenchCell>> rows;
};
BenchTable benchTable(const std::vector<BenchRow>& rows);
/// A row for each part, and one for their sum.
BenchTable partTable(const PartReport& report);
/// "62 % of inference and 55 % of a training step are attention (projections, scores and values)."
std::string attentionText(const PartReport& report);

/// With the keys of `bench --json` as columns, and all digits.
std::string benchCsv(const std::vector<BenchRow>& rows);
std::string partsCsv(const std::vector<PartReport>& reports);
Json benchJson(const BenchRow& row);
Json partsJson(const PartReport& report);

}  // namespace headlight
