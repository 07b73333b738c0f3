// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A search for a mask scheme, in a folder of its own. No torch type here. It may be interrupted or
// killed at any time: begun again with the same folder it goes on, its rounds of training exactly.
//   search.json            what was asked for, and what was measured so far
//   1-initial, 2-assigned, 3-final    the runs of MaiT's rounds
//   scheme.json            what was found: a file for --masks and for the window
//   random-1.json …        the schemes of a control
//   decisions.csv, report.md          every decision with its reason, rounds and trials

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/training/logs/TrainingTypes.h"
#include "core/workbench/search/SearchRules.h"

namespace headlight {

inline constexpr const char *kSearchScheme = "scheme.json", *kSearchReport = "report.md";

struct SearchPlan {
  /// Model and data. Its masks are what greedy and harden begin with and what random deals out;
  /// MaiT's search begins with its own. Of all but MaiT's, training.weights are the weights that
  /// are looked at. Its `edits` must be empty.
  Experiment experiment;
  SearchOptions options;
};

/// A round of training, finished.
struct SearchRound {
  std::string name;  ///< "1-initial"
  MaskScheme scheme;
  double bestScore = 0, lastScore = 0;
};

/// A scheme that was tried with the same weights on the same images.
struct SearchTrial {
  std::string name;  ///< "head 2:1", "random 3"
  MaskScheme scheme;
  std::int64_t macs = 0;  ///< of one image
  double top1 = 0;        ///< in [0, 1]
  double loss = 0;
  bool taken = true;  ///< false: it loses too much
};

struct SearchReport {
  MaskScheme scheme;                ///< what was found
  std::vector<SearchRound> rounds;  ///< of MaiT's search
  std::vector<SearchDecision> decisions;
  std::vector<SearchTrial> trials;          ///< the first: what it begins with
  std::int64_t macs = 0, unmaskedMacs = 0;  ///< of one image, under `scheme` and under no mask
  std::int64_t images = 0;                  ///< measured on
};

/// How a search goes. All are called from the thread that runs it.
struct SearchObserver {
  std::function<void(const std::string& round, const MaskScheme& scheme, bool resumed)> begun = {};
  std::function<void(const TrainingUpdate&)> update = {};
  std::function<void(const SearchDecision&)> decided = {};
  std::function<void(const SearchTrial&)> tried = {};
  ProgressCallback progress = {};
};

/// Errors: those of a training and of measuring, Canceled (what was done is kept), Busy, and
/// InvalidArgument: a model without maps or masks, weights that are missing, a folder that holds
/// another search.
Result<SearchReport> searchScheme(const SearchPlan& plan, const std::filesystem::path& output,
                                  const SearchObserver& observer, std::stop_token stop);

/// What stands in report.md and decisions.csv.
std::string searchReportText(const SearchPlan& plan, const SearchReport& report);
std::string searchDecisionsCsv(const std::vector<SearchDecision>& decisions);

}  // namespace headlight
