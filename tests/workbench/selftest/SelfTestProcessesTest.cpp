// SPDX-License-Identifier: GPL-3.0-or-later

// Two processes of a self-test: they end with the weights of one, and a second process that dies,
// hangs or cannot be started is a row that says so, in time.

#include "core/workbench/selftest/SelfTestProcesses.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "core/processes/Processes.h"
#include "core/workbench/selftest/SecondProcess.h"

namespace headlight {
namespace {

using Seconds = std::chrono::seconds;

/// What the second process does. Not a test by itself.
TEST(ASecondProcess, DISABLED_TakesPart) {
  SelfTestOptions options;
  options.device = "cpu";
  options.threads = 1;
  const auto outcome = runSelfTestProcess(options, {});
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
}

std::vector<std::string> thisProgram() {
  return {"/proc/self/exe", "--gtest_also_run_disabled_tests",
          "--gtest_filter=ASecondProcess.DISABLED_TakesPart", "--gtest_brief=1"};
}

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

SelfTestRow rowOfTwo(const std::vector<std::string>& process, Seconds timeout = kProcessTimeout) {
  SelfTestOptions options;
  options.process = process;
  const auto rows = runChecks({processCheck(options, at::kCPU, {}, timeout)}, {}, {}, {});
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.front().name, "processes");
  return rows.front();
}

bool hasGloo() {
  return !sumsBy(at::kCPU).empty();
}

Launch launchAlone() {
  Launch launch;
  launch.host = "127.0.0.1";
  launch.port = 1;
  return launch;
}

TEST(SelfTestProcesses, TwoEndWithTheWeightsOfOne) {
  if (!hasGloo()) GTEST_SKIP() << "a build without Gloo";
  const SelfTestRow row = rowOfTwo(thisProgram());
  EXPECT_TRUE(row.passed) << row.measured << " " << row.note;
  EXPECT_FALSE(row.skipped);
  EXPECT_GT(row.bound, 0);
  EXPECT_NE(row.what.find("Gloo"), std::string::npos) << row.what;
}

TEST(SelfTestProcesses, OneThatDiesIsARowWithItsExitCode) {
  if (!hasGloo()) GTEST_SKIP() << "a build without Gloo";
  const SelfTestRow row = rowOfTwo(shell("exit 3"));
  EXPECT_FALSE(row.passed);
  EXPECT_NE(row.note.find("exit code 3"), std::string::npos) << row.note;
  EXPECT_LT(row.seconds, 50);  // well before the time-out
}

TEST(SelfTestProcesses, OneThatHangsIsARowAfterTheTimeOut) {
  if (!hasGloo()) GTEST_SKIP() << "a build without Gloo";
  const SelfTestRow row = rowOfTwo(shell("exec sleep 300"), Seconds(2));
  EXPECT_FALSE(row.passed);
  EXPECT_FALSE(row.note.empty());
  EXPECT_LT(row.seconds, 100);
}

TEST(SelfTestProcesses, AProgramThatIsNotThereIsNamed) {
  if (!hasGloo()) GTEST_SKIP() << "a build without Gloo";
  const SelfTestRow row = rowOfTwo({"/nowhere/headlight-cli"});
  EXPECT_FALSE(row.passed);
  EXPECT_NE(row.note.find("/nowhere/headlight-cli"), std::string::npos) << row.note;
}

TEST(SelfTestProcesses, WithoutAProgramTheRowIsSkipped) {
  const SelfTestRow row = rowOfTwo({});
  EXPECT_TRUE(row.skipped);
  EXPECT_FALSE(row.note.empty());
}

TEST(SelfTestProcesses, NobodyIsTheSecondUnasked) {
  if (!launchOfThisProcess()->alone()) GTEST_SKIP() << "a launcher started this test";
  const auto outcome = runSelfTestProcess({}, {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::InvalidArgument);
}

TEST(SecondProcess, GetsTheVariablesOfItsLaunch) {
  Launch launch = launchAlone();
  launch.rank = launch.localRank = 1;
  launch.count = launch.localCount = 2;
  SecondProcess process(
      shell("test $RANK$WORLD_SIZE$LOCAL_RANK$LOCAL_WORLD_SIZE$MASTER_ADDR:$MASTER_PORT = "
            "1212127.0.0.1:1"),
      launch, {});
  process.awaitEnd(Seconds(30));
  EXPECT_EQ(process.failure(), "");
}

TEST(SecondProcess, SaysWhichSignalEndedIt) {
  SecondProcess process(shell("kill -9 $$"), launchAlone(), {});
  const auto ended = guarded("", [&] { process.awaitEnd(Seconds(30)); });
  ASSERT_FALSE(ended.ok());
  EXPECT_NE(ended.error().message.find("signal 9"), std::string::npos) << ended.error().message;
}

TEST(SecondProcess, IsGoneWithItsWatcher) {
  const auto started = std::chrono::steady_clock::now();
  {
    SecondProcess process(shell("exec sleep 300"), launchAlone(), {});
    EXPECT_FALSE(guarded("", [&] { process.awaitEnd(Seconds(0)); }).ok());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started, Seconds(60));
}

TEST(SecondProcess, PassesOnWhatStops) {
  std::stop_source source;
  const SecondProcess process(shell("exec sleep 300"), launchAlone(), source.get_token());
  EXPECT_FALSE(process.stop().stop_requested());
  source.request_stop();
  EXPECT_TRUE(process.stop().stop_requested());
}

}  // namespace
}  // namespace headlight
