// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which run a file belongs to, and in what two configs differ.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

/// Under this key config.json, checkpoints and logs of a run carry its id.
inline constexpr const char* kRunKey = "run";

/// Sixteen digits from everything that a config says, its edits apart: two runs with one id would
/// end in the same weights, if the same edits are made to them.
std::string makeRunId(const Json& config);

/// What stands under the key, of a config or a line of a log; empty where that is no text.
std::string writtenRunId(const Json& json);

/// What `config` says of itself; empty where it says nothing. Errors: InvalidConfig where that is
/// no id.
Result<std::string> runIdIn(const Json& config);

/// One value in which two configs differ, as JSON; "nothing" where one of them lacks it.
struct ConfigDifference {
  std::string path;  ///< "training.epochs"
  std::string first, second;
};
/// Ids and edits are not compared.
std::vector<ConfigDifference> configDifferences(Json first, Json second);

}  // namespace headlight
