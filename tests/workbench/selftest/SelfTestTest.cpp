// SPDX-License-Identifier: GPL-3.0-or-later

// The self-test on the CPU: every mechanism has its rows, what fails or throws is a row that says
// so, and a device that is not there is refused.

#include "core/workbench/selftest/SelfTest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/attention/Mechanisms.h"
#include "core/base/TorchCompat.h"
#include "core/workbench/selftest/SelfTestCheck.h"
#include "core/workbench/selftest/SelfTestTable.h"

namespace headlight {
namespace {

SelfTestOptions quickOnCpu() {
  SelfTestOptions options;
  options.device = "cpu";
  options.threads = 1;
  options.quick = true;
  // This program again, in ASecondProcess below.
  options.process = {"/proc/self/exe", "--gtest_also_run_disabled_tests",
                     "--gtest_filter=ASecondProcess.DISABLED_TakesPart", "--gtest_brief=1"};
  return options;
}

SelfTestCheck checkOf(const std::string& name, double measured, double bound) {
  return {name, [=] {
            return std::vector<SelfTestRow>{boundedRow(name, "what", "relative", measured, bound)};
          }};
}

SelfTestCheck throwing(ErrorCode code) {
  return {"throws", [code]() -> std::vector<SelfTestRow> {
            throw Failure({code, "no kernel image", "device"});
          }};
}

TEST(SelfTest, PassesOnTheCpuWithRowsForEveryMechanism) {
  std::size_t sunk = 0;
  std::int64_t lastDone = 0;
  auto report = runSelfTest(
      quickOnCpu(), [&](const SelfTestRow&) { ++sunk; }, {},
      [&](const Progress& progress) { lastDone = progress.total - progress.done; });
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->device, "cpu");
  EXPECT_EQ(sunk, report->rows.size());
  EXPECT_EQ(lastDone, 0);
  std::set<std::string> names;
  for (const SelfTestRow& row : report->rows) {
    EXPECT_TRUE(row.passed) << row.name << ": " << row.measured << " > " << row.bound << " "
                            << row.note;
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_TRUE(row.skipped || std::isfinite(row.measured)) << row.name;
    EXPECT_FALSE(row.skipped && row.note.empty()) << row.name;
    EXPECT_FALSE(row.what.empty()) << row.name;
  }
  for (const Mechanism& mechanism : mechanisms())
    for (const std::string row :
         {"attention.NAME.logits", "attention.NAME.gradients", "precision.bfloat16.NAME.logits",
          "precision.bfloat16.NAME.training"}) {
      std::string name = row;
      name.replace(name.find("NAME"), 4, mechanism.variant.name);
      EXPECT_EQ(names.count(name), 1u) << name;
    }
  for (const char* name : {"kernels.depthwise.forward", "kernels.depthwise.backward",
                           "kernels.linear_heads.forward", "kernels.linear_heads.backward",
                           "kernels.deformable.forward", "kernels.deformable.backward",
                           "precision.float16", "processes", "speed.vit_micro.batch_1.inference",
                           "speed.vit_micro.batch_4.training", "speed.vit_micro.batch_4.memory"})
    EXPECT_EQ(names.count(name), 1u) << name;
  EXPECT_TRUE(report->passed());
}

TEST(SelfTest, ADeviceThatIsNotThereIsRefusedByWhatIsSeen) {
  SelfTestOptions options = quickOnCpu();
  options.device = "tpu";
  const auto unknown = runSelfTest(options, {}, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::InvalidConfig);
  if (cudaIsAvailable()) GTEST_SKIP() << "there is a device";
  options.device = "cuda";
  const auto refused = runSelfTest(options, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidConfig);
  EXPECT_NE(refused.error().message.find("LibTorch"), std::string::npos);
  EXPECT_NE(refused.error().message.find("CUDA"), std::string::npos);
}

TEST(SelfTest, StopsWhenAsked) {
  std::stop_source source;
  const SelfTestChecks checks{checkOf("first", 0, 1), checkOf("second", 0, 1)};
  std::size_t rows = 0;
  const auto stopped = guarded("test", [&] {
    runChecks(checks,
              [&](const SelfTestRow&) {
                ++rows;
                source.request_stop();
              },
              source.get_token(), {});
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
  EXPECT_EQ(rows, 1u);
}

TEST(SelfTest, WhatFailsIsARow) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  SelfTestReport report{"cpu", "1 thread", {"LibTorch"}, {}};
  report.rows = runChecks(
      {checkOf("good", 1e-6, 1e-5), checkOf("far", 1e-3, 1e-5), checkOf("nan", kNone, 1e-5),
       throwing(ErrorCode::Internal), skippedCheck("skipped", "what", "one device")},
      {}, {}, {});
  ASSERT_EQ(report.rows.size(), 5u);
  std::vector<bool> passed;
  for (const SelfTestRow& row : report.rows)
    passed.push_back(row.passed);
  EXPECT_EQ(passed, (std::vector<bool>{true, false, false, false, true}));
  EXPECT_NE(report.rows[3].note.find("no kernel image"), std::string::npos);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(selfTestSummary(report), "1 passed, 3 failed, 1 skipped on cpu");
}

TEST(SelfTest, ACancelWithinACheckIsNoFailure) {
  const auto stopped =
      guarded("test", [&] { runChecks({throwing(ErrorCode::Canceled)}, {}, {}, {}); });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
}

TEST(SelfTest, TableAndJsonHaveEveryRow) {
  SelfTestReport report{"cpu", "1 thread", {"LibTorch"}, {}};
  report.rows = {boundedRow("near", "what", "relative", 1e-6, 1e-5),
                 reportedRow("fast", "what", "images/s", 12.5),
                 skippedRow("nccl", "what", "one device")};
  const BenchTable table = selfTestTable(report);
  ASSERT_EQ(table.rows.size(), 3u);
  for (const auto& row : table.rows)
    EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(table.rows[0][2].text, "1e-06");
  EXPECT_EQ(table.rows[1][2].text, "12.5 images/s");
  EXPECT_EQ(table.rows[1][3].text, "");
  EXPECT_EQ(table.rows[2][5].text, "skipped: one device");
  const Json json = selfTestJson(report);
  EXPECT_EQ(json["passed"], true);
  ASSERT_EQ(json["rows"].size(), 3u);
  EXPECT_EQ(json["rows"][0]["measured"], 1e-6);
  EXPECT_TRUE(json["rows"][1]["bound"].is_null());
  EXPECT_TRUE(json["rows"][2]["measured"].is_null());
  EXPECT_EQ(json["rows"][2]["note"], "one device");
}

}  // namespace
}  // namespace headlight
