// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/Launch.h"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "core/base/Random.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
/// Below the ports that systems hand out by themselves.
constexpr int kFirstPort = 10000, kPorts = 20000;
constexpr int kMostProcesses = 1 << 16;
constexpr std::uint64_t kPortPurpose = 0x706f7274ULL;  // "port"

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Failure({ErrorCode::InvalidConfig, what, name});
}

/// Reads the variables of one launcher.
class Variables {
 public:
  Variables(const Environment& environment, std::string launcher)
      : m_environment(environment), m_launcher(std::move(launcher)) {}

  std::optional<std::string> text(const char* name) const {
    auto value = m_environment(name);
    if (value && value->empty()) return std::nullopt;
    return value;
  }
  std::string required(const char* name) const {
    if (auto value = text(name)) return *value;
    refuse(name, tr("is not set, though ") + m_launcher +
                     tr(" seems to have started this process; use torchrun, mpirun or srun, or set "
                        "all or none of RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT"));
  }
  int number(const char* name, int least, int most) const {
    const std::string value = required(name);
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && number >= least &&
        number <= most)
      return number;
    refuse(name, "is \"" + value + tr("\"; a whole number from ") + std::to_string(least) + " to " +
                     std::to_string(most) + tr(" is expected"));
  }
  int numberOr(const char* name, int otherwise, int most) const {
    return text(name) ? number(name, 0, most) : otherwise;
  }

 private:
  const Environment& m_environment;
  std::string m_launcher;
};

int portOf(const std::string& job) {
  const std::uint64_t key = mixText(kPortPurpose, job);
  return kFirstPort + static_cast<int>(key % kPorts);
}

/// Fills in what no launcher says otherwise, and what the person says over everything.
Launch completed(Launch launch, const Variables& variables, const std::string& job) {
  if (launch.onOneMachine()) launch.host = kLoopback;
  if (const auto host = variables.text("MASTER_ADDR")) launch.host = *host;
  launch.port =
      variables.text("MASTER_PORT") ? variables.number("MASTER_PORT", 1, 65535) : portOf(job);
  if (launch.host.empty())
    refuse("MASTER_ADDR", tr("is not set, and ") + launch.launcher +
                              tr(" does not name the machine of process 0; set it to that name"));
  return launch;
}

/// What an mpirun calls the numbers of a process.
struct PlaceNames {
  const char *count, *rank, *localCount, *localRank;
};

Launch mpiPlace(const Variables& variables, const std::string& launcher, const PlaceNames& names) {
  Launch launch;
  launch.launcher = launcher;
  launch.count = variables.number(names.count, 1, kMostProcesses);
  launch.rank = variables.number(names.rank, 0, launch.count - 1);
  launch.localCount = variables.number(names.localCount, 1, launch.count);
  launch.localRank = variables.number(names.localRank, 0, launch.localCount - 1);
  return launch;
}

Launch ofTorchrun(const Environment& environment) {
  const Variables variables(environment, "torchrun");
  Launch launch;
  launch.launcher = "torchrun";
  launch.count = variables.number("WORLD_SIZE", 1, kMostProcesses);
  launch.rank = variables.number("RANK", 0, launch.count - 1);
  launch.localCount = variables.numberOr("LOCAL_WORLD_SIZE", 1, launch.count);
  launch.localRank = variables.numberOr("LOCAL_RANK", 0, launch.count);
  launch.host = variables.required("MASTER_ADDR");
  launch.port = variables.number("MASTER_PORT", 1, 65535);
  launch.storeIsThere = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  launch.attempt = variables.text("TORCHELASTIC_RESTART_COUNT").value_or("");
  return launch;
}

/// The machine of mpirun itself, which is where process 0 runs unless it was told otherwise:
/// "1234.0;tcp://10.0.0.1,192.168.0.1:40123".
std::string hostOfMpirun(const Variables& variables) {
  const std::string uri = variables.text("OMPI_MCA_orte_hnp_uri").value_or("");
  const auto begin = uri.find("tcp://");
  if (begin == std::string::npos) return "";
  const std::string rest = uri.substr(begin + 6);
  return rest.substr(0, rest.find_first_of(",:"));
}

Launch ofOpenMpi(const Environment& environment) {
  const Variables variables(environment, "mpirun (Open MPI)");
  Launch launch = mpiPlace(variables, "mpirun (Open MPI)",
                           {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                            "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"});
  launch.host = hostOfMpirun(variables);
  return completed(launch, variables,
                   variables.text("OMPI_MCA_ess_base_jobid")
                       .value_or(variables.text("PMIX_NAMESPACE").value_or("")));
}

Launch ofSlurm(const Environment& environment) {
  const Variables variables(environment, "srun");
  Launch launch;
  launch.launcher = "srun";
  launch.count = variables.number("SLURM_STEP_NUM_TASKS", 1, kMostProcesses);
  launch.rank = variables.number("SLURM_PROCID", 0, launch.count - 1);
  launch.localRank = variables.numberOr("SLURM_LOCALID", 0, launch.count - 1);
  const int machines = variables.numberOr("SLURM_STEP_NUM_NODES", 0, launch.count);
  const int node = variables.numberOr("SLURM_NODEID", 0, kMostProcesses);
  const auto tasks = tasksOfNode(variables.text("SLURM_STEP_TASKS_PER_NODE").value_or(""), node);
  launch.localCount = machines == 1 ? launch.count : std::min(tasks.value_or(1), launch.count);
  const auto step = variables.text("SLURM_STEP_NODELIST");
  launch.host = firstNode(step ? *step : variables.text("SLURM_JOB_NODELIST").value_or(""));
  return completed(launch, variables,
                   variables.text("SLURM_JOB_ID").value_or("") + "." +
                       variables.text("SLURM_STEP_ID").value_or(""));
}

Launch ofMpich(const Environment& environment, long parent) {
  const Variables variables(environment, "mpirun (MPICH)");
  const Launch launch = mpiPlace(variables, "mpirun (MPICH)",
                                 {"PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"});
  return completed(launch, variables, launch.onOneMachine() ? std::to_string(parent) : "mpich");
}

}  // namespace

std::string firstNode(const std::string& nodes) {
  std::string first = nodes.substr(0, nodes.find_first_of(",["));
  if (first.size() == nodes.size() || nodes[first.size()] == ',') return first;
  const std::string range = nodes.substr(first.size() + 1);
  return first + range.substr(0, range.find_first_of("-,]"));
}

std::optional<int> tasksOfNode(const std::string& tasks, int node) {
  const char* at = tasks.data();
  const char* const end = at + tasks.size();
  while (at < end) {
    int count = 0, times = 1;
    auto read = std::from_chars(at, end, count);
    if (read.ec != std::errc()) return std::nullopt;
    at = read.ptr;
    if (at < end && *at == '(') {
      if (end - at < 3 || at[1] != 'x') return std::nullopt;
      read = std::from_chars(at + 2, end, times);
      if (read.ec != std::errc() || read.ptr == end || *read.ptr != ')') return std::nullopt;
      at = read.ptr + 1;
    }
    if (node < times) return count;
    node -= times;
    if (at < end && *at++ != ',') return std::nullopt;
  }
  return std::nullopt;
}

Result<Launch> launchFrom(const Environment& environment, long parent) {
  const auto has = [&](const char* name) { return environment(name).has_value(); };
  return guarded("", [&]() -> Launch {
    // Open MPI and MPICH start their helpers by srun, whose variables then are all around.
    if (has("RANK") || has("WORLD_SIZE")) return ofTorchrun(environment);
    if (has("OMPI_COMM_WORLD_SIZE")) return ofOpenMpi(environment);
    if (has("PMI_SIZE") && has("MPI_LOCALNRANKS")) return ofMpich(environment, parent);
    if (has("SLURM_STEP_NUM_TASKS") && has("SLURM_PROCID")) return ofSlurm(environment);
    return {};
  });
}

Result<Launch> launchOfThisProcess() {
  const auto environment = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
  return launchFrom(environment, static_cast<long>(::getppid()));
}

}  // namespace headlight
