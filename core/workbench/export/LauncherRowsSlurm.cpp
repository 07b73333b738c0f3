// SPDX-License-Identifier: GPL-3.0-or-later

// LauncherRows.h: slurm.sbatch, a Slurm job, which is requeued at its time limit.

#include <cctype>
#include <cmath>
#include <cstdio>

#include "core/workbench/export/LauncherRows.h"
#include "core/workbench/export/LauncherText.h"

namespace headlight {
namespace {

/// What Slurm takes for a job's name.
std::string jobName(std::string name) {
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '-' && letter != '.')
      letter = '_';
  return name.empty() ? "headlight" : name;
}

/// Hours as Slurm reads a time limit: "24:00:00", rounded up to a minute.
std::string timeLimit(double hours) {
  const auto minutes = static_cast<long long>(std::ceil(hours * 60));
  char text[40];
  std::snprintf(text, sizeof text, "%02lld:%02lld:00", minutes / 60, minutes % 60);
  return text;
}

/// GPUs, which only the cluster knows, are a comment.
std::string gpuWish(const Experiment& experiment, const ClusterPlan& plan) {
  const std::string wish = "SBATCH --gpus-per-node=" + std::to_string(plan.processes);
  if (experiment.device.starts_with("cuda")) return "#" + wish + "\n";
  return experiment.device == "auto" ? "# With GPUs: #" + wish + "\n" : std::string();
}

std::string slurmWishes(const Experiment& experiment, const ClusterPlan& plan) {
  std::string lines;
  const auto wish = [&lines](const std::string& text) {
    lines.append("#SBATCH --").append(text).append("\n");
  };
  wish("job-name=" + jobName(experiment.name));
  wish("nodes=" + std::to_string(plan.machines));
  wish("ntasks-per-node=" + std::to_string(plan.processes));
  wish("cpus-per-task=" + std::to_string(plan.cores));
  lines += gpuWish(experiment, plan);
  wish("time=" + timeLimit(plan.hours));
  wish("requeue");
  wish("signal=USR1@120");
  wish("output=%x-%j.log");
  wish("open-mode=append");
  return lines;
}

std::string slurmScript(const Experiment& experiment, const ClusterPlan& plan) {
  return "#!/bin/sh\n" + slurmWishes(experiment, plan) +
         launcherTitle(experiment, "as a Slurm job: sbatch slurm.sbatch") +
         "# Slurm runs a copy of this file, so submit it from its own folder.\n"
         "cd \"${SLURM_SUBMIT_DIR:-.}\" || exit 1\n" +
         requireConfigHere() +
         trainCommand(experiment, plan, " --threads \"${SLURM_CPUS_PER_TASK:-0}\"") +
         "# srun does not request the cores of its job by itself.\n"
         "srun --cpus-per-task \"${SLURM_CPUS_PER_TASK:-1}\" \"$@\"\n"
         "code=$?\n"
         "# Stopped by the warning before the time limit, with a checkpoint: requeue the job.\n"
         "[ \"$code\" -ne 138 ] || scontrol requeue \"$SLURM_JOB_ID\"\n"
         "exit \"$code\"\n";
}

}  // namespace

LauncherRow slurmLauncher() {
  return {"slurm.sbatch", "Trains as a Slurm job, which is requeued at its time limit.",
          "sbatch slurm.sbatch", slurmScript};
}

}  // namespace headlight
