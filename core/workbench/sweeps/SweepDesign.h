// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Making sweep files (core/workbench/sweeps/Sweep.h) of an experiment and what is to vary in it,
// and along which of its settings a sweep can be drawn. No torch type here.

#include <string>
#include <vector>

#include "core/workbench/schemes/SchemeLibrary.h"
#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

/// A setting that varies: what one of the variants' `overrides` may be, and its values.
struct SweepFactor {
  std::string path;  ///< of a parameter ("data.fraction"), or "masks" for schemes as a whole
  struct Choice {
    std::string label;  ///< of the variant's name: "fraction 0.1", "aft_conv"
    Json value;
  };
  std::vector<Choice> choices;  ///< at least one
};

/// "PATH=A,B,C" as a flag says it; of "masks" schemes by their names. Else numbers and true/false
/// are such, anything else is text; a value with a comma stands in "quotes", a list in [brackets].
/// Errors: InvalidArgument: no path, no value, a value twice. Whether there is such a parameter is
/// found when the sweep is read.
Result<SweepFactor> sweepFactor(const std::string& text);
/// The part after "=" alone.
Result<SweepFactor> sweepFactor(const std::string& path, const std::string& values);
/// Whole schemes, named as --masks names them (masksIn and masksNamed of SchemeLibrary.h): presets,
/// saved schemes, files. Errors: InvalidArgument where there is none or one twice, those of
/// reading them.
Result<SweepFactor> schemeFactor(const std::vector<std::string>& names, const SchemeLibrary& shelf);

/// The one choice of a factor in a base, as a variant would have it. Errors: InvalidConfig: no
/// parameter, not its value.
Result<void> setFactor(Json& base, const SweepFactor& factor);

/// "0,1,2" or "0-4". Errors: InvalidArgument.
Result<std::vector<std::int64_t>> seedsFromText(const std::string& text);

/// A sweep file: every combination of the factors' choices, the last varying first. What has one
/// choice is in no name unless nothing varies. `base`: an
/// Experiment or a SequenceExperiment. Errors: InvalidArgument for no factor, one twice, and more
/// than 1000 combinations.
Result<Json> sweepFile(const std::string& name, const Json& base,
                       const std::vector<SweepFactor>& factors,
                       const std::vector<std::int64_t>& seeds);

/// The same sweep of other seeds. Errors: as reading it.
Result<SweepPlan> withSeeds(const SweepPlan& plan, const std::vector<std::int64_t>& seeds);

/// A setting in which the variants of a plan differ.
struct SweepAxis {
  std::string path;
  bool numeric = false;             ///< every value is a number: the axis is one of numbers
  std::vector<std::string> values;  ///< by variant, as JSON; "nothing" where one lacks it
};
/// Those with a value for at least two variants, numeric ones first. Cells of masks are left out
/// where the scheme's name says the same.
std::vector<SweepAxis> sweepAxes(const SweepPlan& plan);

/// From what the results are seen: an axis of results has it in sight.
struct SweepReference {
  double value = 0;       ///< as statistics are: a share, or bits
  bool isChance = false;  ///< the accuracy of guessing; else 0
};
/// Chance where all rows have equally many classes.
SweepReference sweepReference(const SweepPlan& plan, const std::vector<SweepRow>& rows);
/// "one seed", or "mean ± sample deviation over 3 seeds": what the values of a table or figure are.
std::string sweepSeedsText(const std::vector<SweepRow>& rows);

/// What is drawn over an axis: a line for the variants that are otherwise alike; over an axis of
/// names, which have no order, points alone.
struct SweepSeries {
  std::string name;
  std::vector<double> keys;  ///< the axis' numbers, rising; else places in `labels`
  std::vector<SweepStatistic> values;
};
struct SweepCurves {
  std::string axis;                 ///< its path; for titles
  std::vector<std::string> labels;  ///< of a numeric axis none
  std::vector<SweepSeries> series;  ///< by their first variant
  SweepReference reference = {};
  std::string seeds = {};  ///< sweepSeedsText()

  bool ofNames() const { return !labels.empty(); }
  /// Where a point is drawn: points of several series at one name stand side by side.
  double drawnKey(std::size_t series, double key) const;
};
/// The best validation of `rows` (a share of variants may be missing) over an axis. Errors:
/// InvalidArgument where the variants do not differ in it, saying in what they do.
Result<SweepCurves> sweepCurves(const SweepPlan& plan, const std::vector<SweepRow>& rows,
                                const std::string& axis);

/// As CSV (series, key, mean, deviation; accuracies in per cent).
std::string sweepCurvesCsv(const SweepPlan& plan, const SweepCurves& curves);
/// As a figure: writeDrawing() has its kinds.
Result<void> writeSweepCurves(const std::filesystem::path& path, const SweepPlan& plan,
                              const SweepCurves& curves);
/// "Best top-1 (%)", "Best bits/dim".
std::string sweepValueTitle(const SweepPlan& plan);
/// The same with what its values are: "Best top-1 (%), one seed".
std::string sweepQuantityTitle(const SweepPlan& plan, const SweepCurves& curves);
/// For a statistic as it is drawn: per cent of accuracies.
double sweepValueScale(const SweepPlan& plan);

}  // namespace headlight
