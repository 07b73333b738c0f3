#pragma once
// Runs beside runs: where each stands, in what their configs differ, and their curves over steps or
// epochs. Reads their folders only (RunFollower.h). No torch type here.

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/RunFollower.h"

namespace headlight {

struct ListedRun {
  std::string label;  ///< its path from the folder that was named; the folder's own name
  std::filesystem::path folder;
  RunStanding standing;
  std::shared_ptr<const Experiment> experiment;  ///< null where it cannot be read
};

/// The runs that each path stands for (runsIn), looked at once, in that order. Progress is in runs;
/// where `stop` is asked for, those that were looked at.
std::vector<ListedRun> listRuns(const std::vector<std::filesystem::path>& paths,
                                const ProgressCallback& progress = {},
                                const std::stop_token& stop = {});

/// A row a run: label, state, counts and numbers (empty where not known), name, folder.
std::string runsCsv(const std::vector<ListedRun>& runs);

/// A setting in which some of them differ: a value for each, as JSON; "nothing" where one lacks it.
struct SettingDifference {
  std::string path;  ///< "training.epochs"
  std::vector<std::string> values;
};
/// By path, in the order of the first config. Names, ids and edits are not compared.
std::vector<SettingDifference> settingDifferences(
    const std::vector<std::shared_ptr<const Experiment>>& experiments);

enum class RunQuantity { TrainLoss, ValidationLoss, Top1, Locality };
enum class RunAxis { Step, Epoch };
const std::vector<std::string>& runQuantityNames();  ///< "training loss", … in their order

struct RunCurve {
  std::vector<double> keys, values;  ///< of equal length; keys do not decrease
};
/// Top-1 in per cent; the ALS as the mean over heads. Epochs are counted by the validations between
/// which a step lies; before the first of them by its share of it, and none without one.
RunCurve curveOf(const RunHistory& history, RunQuantity quantity, RunAxis axis);

}  // namespace headlight
