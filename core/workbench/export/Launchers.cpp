// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/Launchers.h"

#include <cctype>
#include <cmath>
#include <cstdio>

#include "core/base/ShellText.h"
#include "core/config/DatasetKinds.h"

namespace headlight {
namespace {

/// One line of a comment, whatever the name holds.
std::string inComment(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  return text;
}

/// What Slurm takes for a job's name.
std::string jobName(std::string name) {
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '-' && letter != '.')
      letter = '_';
  return name.empty() ? "headlight" : name;
}

/// "NAME=${NAME:-value}  # what it is"
std::string variable(const std::string& name, const std::string& value, const std::string& what) {
  std::string line = name;
  line.append("=${").append(name).append(":-");
  line.append(value.empty() ? "" : shellQuoted(value)).append("}");
  line.resize(std::max<std::size_t>(line.size() + 2, 36), ' ');
  return line.append("# ").append(what).append("\n");
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

/// Hours as Slurm reads a time limit: "24:00:00", rounded up to a minute.
std::string timeLimit(double hours) {
  const auto minutes = static_cast<long long>(std::ceil(hours * 60));
  char text[40];
  std::snprintf(text, sizeof text, "%02lld:%02lld:00", minutes / 60, minutes % 60);
  return text;
}

class Writer {
 public:
  Writer(const Experiment& experiment, const ClusterPlan& plan)
      : m_experiment(experiment), m_plan(plan) {}

  LauncherScript alone() const {
    return script("run.sh", "in one process", beside() + common() + "exec \"$@\"\n");
  }

  LauncherScript torchrun() const {
    return script(
        "torchrun.sh",
        "in several processes, by PyTorch's torchrun. On several machines\n"
        "# start it on each, with MASTER_ADDR the name of one of them",
        beside() + counts() + variable("MASTER_ADDR", "localhost", "the machine where all meet") +
            variable("MASTER_PORT", "29400", "a free port of it") +
            variable("RESTARTS", "3", "times that processes which died begin anew") + common() +
            "exec torchrun --nnodes \"$MACHINES\" --nproc_per_node \"$PROCESSES\" "
            "--max_restarts \"$RESTARTS\" \\\n"
            "  --rdzv_id headlight --rdzv_backend c10d "
            "--rdzv_endpoint \"$MASTER_ADDR:$MASTER_PORT\" \\\n"
            "  --no_python -r 1 -t 1 \"$@\"\n");
  }

  LauncherScript mpirun() const {
    return script(
        "mpirun.sh", "in several processes, by the mpirun of Open MPI or MPICH",
        beside() + counts() +
            variable("HOSTS", "", "a file with a line for each machine; empty: this one") +
            common() +
            "all=$((MACHINES * PROCESSES))\n"
            "if mpirun --version 2>&1 | grep -q 'Open MPI'; then\n"
            "  # Open MPI would give each process one core only.\n"
            "  exec mpirun -np \"$all\" --bind-to none ${HOSTS:+--hostfile \"$HOSTS\"} \"$@\"\n"
            "fi\n"
            "exec mpirun -np \"$all\" -ppn \"$PROCESSES\" ${HOSTS:+-f \"$HOSTS\"} \"$@\"\n");
  }

  LauncherScript slurm() const {
    return {"slurm.sbatch",
            "#!/bin/sh\n" + slurmWishes() + title("as a job of Slurm: sbatch slurm.sbatch") +
                "# Slurm runs a copy of this file: it is to be submitted from its own folder.\n"
                "cd \"${SLURM_SUBMIT_DIR:-.}\" || exit 1\n" +
                requireConfig() + common(" --threads \"${SLURM_CPUS_PER_TASK:-0}\"") +
                "# srun does not ask for the cores of its job by itself.\n"
                "srun --cpus-per-task \"${SLURM_CPUS_PER_TASK:-1}\" \"$@\"\n"
                "code=$?\n"
                "# Stopped by the warning before the time limit, with a checkpoint: goes on.\n"
                "[ \"$code\" -ne 138 ] || scontrol requeue \"$SLURM_JOB_ID\"\n"
                "exit \"$code\"\n",
            "sbatch slurm.sbatch"};
  }

 private:
  LauncherScript script(const std::string& name, const std::string& how,
                        const std::string& body) const {
    return {name, "#!/bin/sh\n" + title(how) + body, "./" + name};
  }

  std::string title(const std::string& how) const {
    return "# Trains \"" + inComment(m_experiment.name) + "\" " + how +
           ".\n# Arguments are added to the command of headlight-cli: --training.epochs 3\n";
  }

  std::string slurmWishes() const {
    std::string lines;
    const auto wish = [&lines](const std::string& text) {
      lines.append("#SBATCH --").append(text).append("\n");
    };
    wish("job-name=" + jobName(m_experiment.name));
    wish("nodes=" + number(m_plan.machines));
    wish("ntasks-per-node=" + number(m_plan.processes));
    wish("cpus-per-task=" + number(m_plan.cores));
    lines += gpuWish();
    wish("time=" + timeLimit(m_plan.hours));
    wish("requeue");
    wish("signal=USR1@120");
    wish("output=%x-%j.log");
    wish("open-mode=append");
    return lines;
  }

  /// Of GPUs, that only the cluster knows of, in a comment.
  std::string gpuWish() const {
    const std::string wish = "SBATCH --gpus-per-node=" + number(m_plan.processes);
    if (m_experiment.device.starts_with("cuda")) return "#" + wish + "\n";
    return m_experiment.device == "auto" ? "# With GPUs: #" + wish + "\n" : std::string();
  }

  static std::string beside() { return "cd \"$(dirname \"$0\")\" || exit 1\n" + requireConfig(); }

  static std::string requireConfig() {
    return "[ -f config.json ] || { echo \"config.json is not in $PWD\" >&2; exit 1; }\n";
  }

  std::string counts() const {
    return variable("MACHINES", number(m_plan.machines), "machines") +
           variable("PROCESSES", number(m_plan.processes), "processes on each");
  }

  /// The command, as the positional parameters.
  std::string common(const std::string& more = {}) const {
    const bool onDisk = m_experiment.data.dataset != kProceduralData;
    std::string lines = variable("HEADLIGHT", m_plan.program, "the program");
    lines += variable("RUN", m_plan.runFolder, "the run; one that is there goes on");
    if (onDisk) lines += variable("DATA", "", "folder of the data; empty: as config.json says");
    lines += "set -- \"$HEADLIGHT\" train config.json --run \"$RUN\" --resume-or-start";
    if (onDisk) lines += " ${DATA:+--data.path \"$DATA\"}";
    return lines + more + " \"$@\"\n";
  }

  const Experiment& m_experiment;
  const ClusterPlan& m_plan;
};

}  // namespace

std::vector<LauncherScript> launcherScripts(const Experiment& experiment, const ClusterPlan& plan) {
  const Writer writer(experiment, plan);
  return {writer.alone(), writer.torchrun(), writer.mpirun(), writer.slurm()};
}

}  // namespace headlight
