// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Curves of several runs in one figure, and their numbers, as files. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/workbench/runs/RunCurves.h"
#include "core/workbench/runs/RunMarks.h"

namespace headlight {

/// More lines in one plot cannot be told apart.
inline constexpr std::size_t kMostCompared = 24;

struct NamedCurve {
  std::string name;
  RunCurve curve;
  std::vector<RunMark> marks = {};  ///< mask edits of the run
  bool operator==(const NamedCurve&) const = default;
};

/// "line,step,value" and a row a point; numbers with nine digits, enough for every float.
std::string runCurvesCsv(const std::vector<NamedCurve>& curves, RunAxis axis);

/// Whether writeRunCurves knows what to write; InvalidArgument.
Result<void> checkFigureName(const std::filesystem::path& path);

/// .pdf or .svg with real text, .png at twice the size, or the numbers as .csv. Errors: another
/// name, a file that cannot be written.
Result<void> writeRunCurves(const std::filesystem::path& path,
                            const std::vector<NamedCurve>& curves, const RunQuantity& quantity,
                            RunAxis axis);

}  // namespace headlight
