// SPDX-License-Identifier: GPL-3.0-or-later

// What launchers say in the environment.

#include <gtest/gtest.h>

#include <map>

#include "core/processes/Launch.h"
#include "core/processes/Routes.h"

namespace headlight {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Launch> launchWith(const Variables& variables, long parent = 7) {
  return launchFrom(
      [&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      parent);
}

TEST(Launch, IsAloneWithoutALauncher) {
  EXPECT_TRUE(valueOrThrow(launchWith({})).alone());
  // A batch script's own variables, without srun.
  EXPECT_TRUE(valueOrThrow(launchWith({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}})).alone());
}

TEST(Launch, ReadsTorchrunsVariables) {
  const Launch launch = valueOrThrow(launchWith({{"RANK", "5"},
                                                 {"WORLD_SIZE", "8"},
                                                 {"LOCAL_RANK", "1"},
                                                 {"LOCAL_WORLD_SIZE", "4"},
                                                 {"MASTER_ADDR", "node1"},
                                                 {"MASTER_PORT", "29500"},
                                                 {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                 {"TORCHELASTIC_RESTART_COUNT", "2"}}));
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.count, 8);
  EXPECT_EQ(launch.localRank, 1);
  EXPECT_EQ(launch.localCount, 4);
  EXPECT_EQ(launch.host, "node1");
  EXPECT_EQ(launch.port, 29500);
  EXPECT_TRUE(launch.storeIsThere);
  EXPECT_EQ(launch.attempt, "2");
  EXPECT_FALSE(launch.onOneMachine());
}

TEST(Launch, ReadsOpenMpisVariables) {
  Variables variables{{"OMPI_COMM_WORLD_SIZE", "2"},
                      {"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                      {"OMPI_MCA_ess_base_jobid", "77"},
                      {"SLURM_STEP_NUM_TASKS", "1"},
                      {"SLURM_PROCID", "0"}};
  const Launch launch = valueOrThrow(launchWith(variables));
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.count, 2);
  EXPECT_EQ(launch.host, "127.0.0.1");
  EXPECT_GE(launch.port, 10000);
  EXPECT_LT(launch.port, 30000);
  EXPECT_EQ(valueOrThrow(launchWith(variables)).port, launch.port) << "the same for all";
  variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = variables["OMPI_COMM_WORLD_LOCAL_RANK"] = "1";
  variables["OMPI_COMM_WORLD_LOCAL_RANK"] = "0";
  variables["OMPI_MCA_orte_hnp_uri"] = "123.0;tcp://10.0.0.5,192.168.1.5:40001";
  EXPECT_EQ(valueOrThrow(launchWith(variables)).host, "10.0.0.5");
  variables["MASTER_ADDR"] = "head";
  variables["MASTER_PORT"] = "4000";
  EXPECT_EQ(valueOrThrow(launchWith(variables)).host, "head");
  EXPECT_EQ(valueOrThrow(launchWith(variables)).port, 4000);
}

TEST(Launch, ReadsSlurmsVariables) {
  const Launch launch = valueOrThrow(launchWith({{"SLURM_STEP_NUM_TASKS", "7"},
                                                 {"SLURM_PROCID", "5"},
                                                 {"SLURM_LOCALID", "1"},
                                                 {"SLURM_NODEID", "1"},
                                                 {"SLURM_STEP_NUM_NODES", "2"},
                                                 {"SLURM_STEP_TASKS_PER_NODE", "4,3"},
                                                 {"SLURM_STEP_NODELIST", "gpu[07-08]"},
                                                 {"SLURM_JOB_ID", "12"}}));
  EXPECT_EQ(launch.rank, 5);
  EXPECT_EQ(launch.count, 7);
  EXPECT_EQ(launch.localCount, 3);
  EXPECT_EQ(launch.host, "gpu07");
}

TEST(Launch, ReadsMpichsVariables) {
  const Variables one{
      {"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"MPI_LOCALNRANKS", "2"}, {"MPI_LOCALRANKID", "1"}};
  const Launch launch = valueOrThrow(launchWith(one));
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.host, "127.0.0.1");
  EXPECT_NE(launch.port, valueOrThrow(launchWith(one, 8)).port) << "two jobs at once";
  const auto far = launchWith(
      {{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"MPI_LOCALNRANKS", "1"}, {"MPI_LOCALRANKID", "0"}});
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().where, "MASTER_ADDR");
}

TEST(Launch, NamesWhatIsMissingOrMakesNoSense) {
  const Variables good{
      {"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};
  ASSERT_TRUE(launchWith(good));
  for (const auto& [name, value] : good) {
    Variables without = good;
    without.erase(name);
    const auto launch = launchWith(without);
    ASSERT_FALSE(launch) << name;
    EXPECT_EQ(launch.error().where, name);
    EXPECT_EQ(launch.error().code, ErrorCode::InvalidConfig);
  }
  for (const auto& [name, value] :
       Variables{{"RANK", "2"}, {"WORLD_SIZE", "two"}, {"MASTER_PORT", "70000"}}) {
    Variables wrong = good;
    wrong[name] = value;
    const auto launch = launchWith(wrong);
    ASSERT_FALSE(launch) << name;
    EXPECT_EQ(launch.error().where, name);
  }
}

TEST(Launch, FindsTheFirstNodeOfAList) {
  EXPECT_EQ(firstNode("gpu07"), "gpu07");
  EXPECT_EQ(firstNode("gpu[07-09,12],cpu1"), "gpu07");
  EXPECT_EQ(firstNode("a1,b2"), "a1");
  EXPECT_EQ(firstNode(""), "");
}

TEST(Launch, CountsTheTasksOfANode) {
  EXPECT_EQ(tasksOfNode("4(x2),3", 1), 4);
  EXPECT_EQ(tasksOfNode("4(x2),3", 2), 3);
  EXPECT_EQ(tasksOfNode("2", 0), 2);
  EXPECT_EQ(tasksOfNode("2", 1), std::nullopt);
  EXPECT_EQ(tasksOfNode("4(x", 0), std::nullopt);
  EXPECT_EQ(tasksOfNode("", 0), std::nullopt);
}

TEST(Routes, LeadToTheMeetingPlace) {
  const auto here = routeTo("127.0.0.1", 29500);
  ASSERT_TRUE(here);
  EXPECT_EQ(here->from, "127.0.0.1");
  EXPECT_EQ(here->to, "127.0.0.1");
  EXPECT_FALSE(routeTo("no.such.machine.invalid", 29500));
  const Route back = routeFromText(routeText({"10.0.0.2", "10.0.0.1"}));
  EXPECT_EQ(back.from, "10.0.0.2");
  EXPECT_EQ(back.to, "10.0.0.1");
  EXPECT_EQ(routeFromText("nonsense").from, "");
}

/// Process 0 and its neighbor know the meeting place as 127.0.1.1, the others by its real address.
TEST(Routes, AProcessIsReachedWhereOthersFindIt) {
  const Route there{"127.0.0.1", "127.0.1.1"}, away{"10.0.0.2", "10.0.0.1"};
  const std::vector<Route> all{there, there, away};
  EXPECT_EQ(reachableAddress(there, all), "10.0.0.1");
  EXPECT_EQ(reachableAddress(away, all), "10.0.0.2");
  EXPECT_EQ(reachableAddress(there, {there, there}), "127.0.0.1");
  EXPECT_EQ(reachableAddress({}, {Route{}, Route{}}), "");
}

}  // namespace
}  // namespace headlight
