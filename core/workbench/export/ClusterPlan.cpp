// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/ClusterPlan.h"

#include "core/base/Translation.h"

namespace headlight {
namespace {

Result<void> checkLine(const std::string& text) {
  for (const char letter : text)
    if (static_cast<unsigned char>(letter) < ' ')
      return Error{ErrorCode::InvalidConfig, tr("has a line break or a control character"), ""};
  return {};
}

Result<void> checkNamed(const std::string& text) {
  if (text.empty()) return Error{ErrorCode::InvalidConfig, tr("must not be empty"), ""};
  return checkLine(text);
}

Result<void> checkFolderThere(const std::string& text) {
  if (!text.empty() && text.front() != '/')
    return Error{ErrorCode::InvalidConfig, tr("must be an absolute path"), ""};
  return checkLine(text);
}

}  // namespace

const ParameterTable& clusterParameters() {
  using C = ClusterPlan;
  static const ParameterTable table =
      TableBuilder<C>()
          .integer(&C::machines, "machines", 1, 65'536, "Machines that train the run together.")
          .integer(&C::processes, "processes", 1, 1024,
                   "Processes on each machine; with CUDA one per GPU.")
          .integer(&C::cores, "cores", 1, 4096, "Slurm: CPU cores per process.")
          .number(&C::hours, "hours", 0.1, 10'000,
                  "Slurm: time limit of the job, in hours. Two minutes before it, the run writes a "
                  "checkpoint and the job is requeued.")
          .spelled(&C::dataFolder, "data_folder", checkFolderThere,
                   "Dataset folder on those machines; empty: as in the experiment.")
          .spelled(&C::program, "program", checkNamed, "Path of headlight-cli on those machines.")
          .spelled(&C::runFolder, "run_folder", checkNamed,
                   "Run folder: an absolute path, or relative to the exported folder.")
          .build();
  return table;
}

}  // namespace headlight
