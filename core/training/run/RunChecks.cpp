// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/RunChecks.h"

#include <algorithm>
#include <vector>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/config/RunId.h"
#include "core/training/logs/LineLog.h"

namespace headlight {
namespace {

constexpr std::size_t kMostNamed = 20;

/// "name is "a" in config.json and "b" in last.safetensors".
std::string listed(const std::vector<ConfigDifference>& differences) {
  std::vector<std::string> all;
  for (const auto& [path, first, second] : differences)
    all.push_back(path + " is " + first + " there and " + second + " in last.safetensors");
  return joined(all, kMostNamed);
}

bool mayDiffer(const ConfigDifference& difference) {
  static const std::vector<std::string> free{"name", "device", "threads", "data.path",
                                             "data.loader_threads"};
  return std::find(free.begin(), free.end(), difference.path) != free.end();
}

/// What may and does differ between the configs of one run, listed; throws where they are of two
/// runs, or where more differs.
std::string checkSameRun(const RunFolder& folder, const Json& config, const Json& checkpoint) {
  const std::string mine = writtenRunId(config), theirs = writtenRunId(checkpoint);
  if (!mine.empty() && !theirs.empty() && mine != theirs)
    throw Failure({ErrorCode::InvalidFile,
                   tr("belongs to another run (") + theirs.substr(0, 32) +
                       tr("; config.json has ") + mine +
                       tr("); restore this run's own checkpoint, or start a new run with the other "
                          "as training.weights"),
                   folder.last().string()});
  std::vector<ConfigDifference> differences = configDifferences(config, checkpoint);
  const auto changed = std::stable_partition(differences.begin(), differences.end(), mayDiffer);
  const std::vector<ConfigDifference> refused(changed, differences.end());
  if (!refused.empty())
    throw Failure({ErrorCode::InvalidConfig,
                   tr("was changed since the run began: ") + listed(refused) +
                       tr(". Restore the values or delete the file to continue the run as it "
                          "began; for other values start a new run in another folder "
                          "(training.weights can be this run's last.safetensors)"),
                   folder.config().string()});
  differences.erase(changed, differences.end());
  return listed(differences);
}

/// Throws where best.safetensors is of another run.
void requireOwnBest(const RunFolder& folder, const std::string& run) {
  if (!folder.files().has(kRunBest)) return;
  const auto metadata = readSafetensorsMetadata(folder.files(), kRunBest);
  if (!metadata) return;  // damaged: the next better one replaces it
  if (const auto id = metadata->find(kRunKey); id != metadata->end())
    requireRun(folder.files(), kRunBest, id->second, run);
}

}  // namespace

Json configOfRun(const RunFolder& folder, const std::optional<Json>& carried) {
  if (!folder.files().has(kRunConfig) && carried)
    valueOrThrow(folder.writeConfig(*carried, writtenRunId(*carried)));
  return folder.readConfig();
}

RunIdentity requireOneRun(const RunFolder& folder, const Json& config,
                          const std::optional<Json>& carried) {
  RunIdentity identity{valueOrThrow(runIdIn(config)), ""};
  if (!carried) {
    folder.requireNoneLost();
    return identity;
  }
  identity.changes = checkSameRun(folder, config, *carried);
  if (identity.run.empty()) identity.run = writtenRunId(*carried);
  requireOwnBest(folder, identity.run);
  if (!identity.changes.empty())
    identity.changes = "config.json has permitted changes since the run began: " + identity.changes;
  return identity;
}

Json withRun(Json config, const std::string& run) {
  config[kRunKey] = run;
  return config;
}

}  // namespace headlight
