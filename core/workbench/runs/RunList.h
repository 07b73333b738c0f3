// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Runs beside runs: where each stands and in what their configs differ. Reads their folders only
// (RunFollower.h). Their curves: RunCurves.h; a list that is kept: FollowedRuns.h.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/workbench/runs/RunFollower.h"

namespace headlight {

struct ListedRun {
  /// Its path from the folder that was named, of several with that one's name before it; of a run
  /// that was named itself the folder's own name.
  std::string label;
  std::filesystem::path folder;
  RunStatus standing;
  std::shared_ptr<const Experiment> experiment;  ///< null where it cannot be read
  std::filesystem::path named;                   ///< the folder in which it was found
  std::uint64_t id = 0;                          ///< the same as long as it is in the list
  bool looked = false;                           ///< false: it is not known yet where it stands
};

/// Its model, masks and training in a few words: "vit, softmax, 12 layers x 3 heads, width 192,
/// masks sch2* (5×5), 20 epochs"; without masks it names none. Empty where the config cannot be
/// read.
std::string configSummary(const ListedRun& run);

/// Its mask scheme: "sch2", "sch2* (5×5)", "none"; empty where the config cannot be read.
std::string masksCell(const ListedRun& run);

/// A row a run: label, state, counts and numbers (empty where not known), name, folder, masks,
/// config.
std::string runsCsv(const std::vector<ListedRun>& runs);

/// A setting in which some of them differ: a value for each, as JSON; "nothing" where one lacks it.
struct SettingDifference {
  std::string path;  ///< "training.epochs"
  std::vector<std::string> values;
};
/// By path, in the order of the first config. Names, ids and edits are not compared.
std::vector<SettingDifference> settingDifferences(
    const std::vector<std::shared_ptr<const Experiment>>& experiments);

}  // namespace headlight
