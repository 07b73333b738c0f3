// SPDX-License-Identifier: GPL-3.0-or-later

// selftest: a table, the same as JSON, and a device that is not there.

#include <csignal>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;
using SelfTestCliTest = CliTest;

Arguments selfTest(const Arguments& more) {
  Arguments arguments{"selftest", "--device", "cpu", "--quick", "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(SelfTestCliTest, PrintsATableAndWritesItsRows) {
  ProgramOptions patient = options();
  patient.limit = std::chrono::seconds(300);
  const auto outcome = cli(selfTest({"--json", "rows.json"}), patient);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err << outcome.out;
  for (const char* words : {"kernels.linear_heads.backward", "attention.softmax.logits",
                            "processes", "skipped: ", " passed, 0 failed, "})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " in " << outcome.out;
  const json report = json::parse(readBytes(path("rows.json")));
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["passed"], true);
  EXPECT_GT(report["rows"].size(), 80u);
  for (const json& row : report["rows"]) {
    EXPECT_EQ(row["passed"], true) << row;
    EXPECT_NE(outcome.out.find(row["name"].get<std::string>()), std::string::npos) << row;
  }
}

TEST_F(SelfTestCliTest, ADeviceThatIsNotThereIsRefused) {
  expectError(run({"selftest", "--device", "tpu"}), 2, {"tpu"});
  expectError(run({"selftest", "--device", "cuda:99"}), 2, {"cuda:99"});
  expectError(run({"selftest", "--json"}), 2, {"--json"});
}

/// What is refused is the device: rows are text, which a terminal may have.
TEST_F(SelfTestCliTest, ATerminalMayHaveTheRows) {
  ProgramOptions atTerminal = options();
  atTerminal.resultTerminal = true;
  expectError(cli({"selftest", "--device", "cuda:99", "--json", "-"}, atTerminal), 2, {"cuda:99"});
}

TEST_F(SelfTestCliTest, TheSecondProcessIsNotForPeople) {
  expectError(run({"selftest", "--process"}), 2, {"--process"});
  const auto help = cli({"selftest", "--help"});
  EXPECT_EQ(help.out.find("--process"), std::string::npos) << help.out;
}

TEST_F(SelfTestCliTest, CtrlCEndsIt) {
  Program program(HEADLIGHT_CLI, {"selftest", "--device", "cpu", "--threads", "1"}, options());
  ASSERT_TRUE(program.waitForError("%"));  // of its progress
  program.send(SIGINT);
  const auto outcome = program.finish();
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace headlight::testing
