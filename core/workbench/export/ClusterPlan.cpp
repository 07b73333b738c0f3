// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/ClusterPlan.h"

namespace headlight {
namespace {

Result<void> checkLine(const std::string& text) {
  for (const char letter : text)
    if (static_cast<unsigned char>(letter) < ' ')
      return Error{ErrorCode::InvalidConfig, "has a line break or a control character", ""};
  return {};
}

Result<void> checkNamed(const std::string& text) {
  if (text.empty()) return Error{ErrorCode::InvalidConfig, "must not be empty", ""};
  return checkLine(text);
}

Result<void> checkFolderThere(const std::string& text) {
  if (!text.empty() && text.front() != '/')
    return Error{ErrorCode::InvalidConfig, "must be a whole path, from /", ""};
  return checkLine(text);
}

}  // namespace

const ParameterTable& clusterParameters() {
  using C = ClusterPlan;
  static const ParameterTable table =
      TableBuilder<C>()
          .integer(&C::machines, "machines", 1, 65'536, "Machines that train the run together.")
          .integer(&C::processes, "processes", 1, 1024,
                   "Processes on each machine; with CUDA one a GPU.")
          .integer(&C::cores, "cores", 1, 4096, "Slurm: processor cores of each process.")
          .number(&C::hours, "hours", 0.1, 10'000,
                  "Slurm: time limit of the job, in hours. Two minutes before it a checkpoint is "
                  "written, and the job is queued again and goes on.")
          .spelled(&C::dataFolder, "data_folder", checkFolderThere,
                   "Folder of the data set on those machines; empty means as the experiment says.")
          .spelled(&C::program, "program", checkNamed, "headlight-cli on those machines.")
          .spelled(&C::runFolder, "run_folder", checkNamed,
                   "Folder of the run: whole, or from the exported folder.")
          .build();
  return table;
}

}  // namespace headlight
