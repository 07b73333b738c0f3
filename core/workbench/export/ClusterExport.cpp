// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/ClusterExport.h"

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/training/run/RunFolder.h"
#include "core/workbench/export/ConfigExport.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigName = "config.json";

void checkPlan(const ClusterPlan& plan) {
  for (const Parameter& parameter : clusterParameters())
    valueOrThrow(checkParameter(parameter, parameter.get(&plan), parameter.name));
}

/// That nothing of somebody else's is replaced.
void requireOurs(const fs::path& folder, const std::vector<LauncherScript>& launchers) {
  if (isThere(folder / kRunLast))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("contains a run; choose another folder for the export"), folder.string()});
  if (isThere(folder / kConfigName) && !isThere(folder / launchers.front().name))
    throw Failure({ErrorCode::InvalidArgument,
                   tr("has a config.json that was not written by an export; choose another folder"),
                   folder.string()});
}

/// Before anything is made.
void requireWeights(const Experiment& experiment) {
  for (const fs::path& path : weightsNamedBy(experiment))
    if (!isThere(path))
      throw Failure({ErrorCode::NotFound,
                     tr("does not exist, but the experiment needs these weights"), path.string()});
}

void makeFolder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (!fs::is_directory(folder))
    throw Failure(
        {ErrorCode::Io,
         code ? tr("cannot be created: ") + code.message() : std::string(tr("is not a folder")),
         folder.string()});
}

void writeScript(const fs::path& path, const std::string& text) {
  valueOrThrow(writeFileAtomically(path, text));
  std::error_code code;  // on a file system without such a right, sh NAME starts it all the same
  fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, code);
}

}  // namespace

Experiment plannedExperiment(Experiment experiment, const ClusterPlan& plan) {
  if (!plan.dataFolder.empty()) experiment.data.path = plan.dataFolder;
  return experiment;
}

Result<ClusterExport> exportForCluster(const Experiment& experiment, const ClusterPlan& plan,
                                       const fs::path& folder) {
  return guarded(folder.string(), [&] {
    checkPlan(plan);
    ClusterExport exported;
    exported.folder = fs::absolute(folder).lexically_normal();
    exported.launchers = launcherScripts(experiment, plan);
    requireOurs(exported.folder, exported.launchers);
    requireWeights(experiment);
    makeFolder(exported.folder);
    exported.experiment = valueOrThrow(exportConfig(
        plannedExperiment(experiment, plan), exported.folder / kConfigName, /*copyWeights=*/true));
    for (const LauncherScript& launcher : exported.launchers)
      writeScript(exported.folder / launcher.name, launcher.text);
    return exported;
  });
}

}  // namespace headlight
