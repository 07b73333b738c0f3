// SPDX-License-Identifier: GPL-3.0-or-later

// sweep: variants × seeds by one command, killed and gone on with, and what it says.

#include <csignal>

#include "tests/cli/Tensors.h"
#include "tests/cli/training/Sweeps.h"

namespace headlight::testing {
namespace {

TEST_F(SweepCliTest, TrainsComparesAndSkipsFinishedRuns) {
  const auto outcome = run({"sweep", file(), "--output", "out", "--json"});
  expectOk(outcome);
  EXPECT_EQ(countOf(outcome, "begin"), 4);
  EXPECT_EQ(countOf(outcome, "epoch"), 16);
  EXPECT_EQ(countOf(outcome, "run"), 4);
  const json end = outcome.json();
  EXPECT_EQ(end["event"], "finished");
  EXPECT_EQ(end["runs"], 4);
  ASSERT_EQ(end["rows"].size(), 2u);
  EXPECT_EQ(end["rows"][1]["variant"], "sch3");
  EXPECT_EQ(end["rows"][1]["runs"], 2);
  EXPECT_GT(end["rows"][0]["images_per_second"], 0);
  EXPECT_TRUE(end["rows"][0]["best_top1"]["deviation"].is_number());
  for (const char* name : {"sweep.csv", "sweep.md", "sweep.png", "softmax/seed-1/last.safetensors",
                           "sch3/seed-2/metrics.csv"})
    EXPECT_TRUE(fs::exists(path("out") / name)) << name;

  const auto again = run({"sweep", file(), "--output", "out", "--json", "--no-speed"});
  expectOk(again);
  EXPECT_EQ(countOf(again, "skipped"), 4);
  EXPECT_EQ(countOf(again, "epoch"), 0);
  EXPECT_EQ(again.json()["rows"][0]["best_top1"], end["rows"][0]["best_top1"]);
  // For a person: a line a variant.
  const auto reported = run({"sweep", file(), "--output", "out", "--no-speed"});
  EXPECT_NE(reported.out.find("sch3 "), std::string::npos) << reported.out;
  EXPECT_NE(reported.out.find("±"), std::string::npos) << reported.out;
}

TEST_F(SweepCliTest, KilledItGoesOnToTheSameTable) {
  expectOk(runTo("whole"));
  const auto expected = readBytes(path("whole/sweep.csv"));
  // In the first run, in the second, and in the last one.
  for (const int epochs : {2, 3, 7}) {
    Program program(HEADLIGHT_CLI, {"sweep", file(), "--output", "out", "--no-speed", "--json"},
                    options());
    ASSERT_TRUE(program.waitForLine(atEvent("epoch", epochs)));
    program.send(SIGKILL);
    EXPECT_EQ(program.finish().signal, SIGKILL);
  }
  const auto outcome = runTo("out");
  expectOk(outcome);
  EXPECT_EQ(readBytes(path("out/sweep.csv")), expected);
  EXPECT_EQ(readTensors(path("out/sch3/seed-2/last.safetensors")),
            readTensors(path("whole/sch3/seed-2/last.safetensors")));
}

TEST_F(SweepCliTest, CtrlCWritesACheckpointAndExitsWith130) {
  Program program(HEADLIGHT_CLI, {"sweep", file(), "--output", "out", "--no-speed", "--json"},
                  options());
  ASSERT_TRUE(program.waitForLine(atEvent("epoch", 5)));
  program.send(SIGINT);
  const auto outcome = program.finish();
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_EQ(outcome.errorJson()["error"]["code"], "canceled");
  EXPECT_TRUE(fs::exists(path("out/sch3/seed-1/last.safetensors")));
  EXPECT_TRUE(fs::exists(path("out/sweep.csv"))) << "what is finished is in the table";
  const auto resumed = runTo("out");
  expectOk(resumed);
  EXPECT_GE(countOf(resumed, "skipped"), 1);
  EXPECT_EQ(resumed.json()["runs"], 4);
}

TEST_F(SweepCliTest, FlagsChangeTheBase) {
  const auto outcome = run({"sweep", file(), "-o", "out", "--no-speed", "--json",
                            "--training.epochs", "1", "--data.train_samples", "16"});
  expectOk(outcome);
  EXPECT_EQ(countOf(outcome, "epoch"), 4);
  // The other settings of the same folder are another sweep.
  expectError(run({"sweep", file(), "-o", "out", "--no-speed"}), 2, {"other settings", "softmax"});
  expectError(run({"sweep", file(), "-o", "out", "--seed", "4"}), 2, {"--seed", "seeds"});
}

TEST_F(SweepCliTest, NamesErrorsOfSweepFiles) {
  const auto with = [&](const std::function<void(json&)>& change) {
    json changed = sweep();
    change(changed);
    return run({"sweep", write("bad.json", changed), "--output", "out"});
  };
  expectError(with([](json& s) {
                s["variants"][1]["overrides"] = {{"mask.scheme", "sch1"}};
              }),
              2, {"bad.json", "variants[1].overrides.mask.scheme", "masks.scheme"});
  expectError(with([](json& s) { s["base"] = "nowhere.json"; }), 3, {"base", "nowhere.json"});
  expectError(with([](json& s) { s["variants"][1]["name"] = "softmax"; }), 2,
              {"variants[1].name", "twice"});
  expectError(with([](json& s) { s["variants"] = json::array(); }), 2, {"variants", "empty"});
  expectError(with([](json& s) { s["seeds"] = json::array(); }), 2, {"seeds", "empty"});
  expectError(run({"sweep", "nowhere.json"}), 3, {"nowhere.json"});
  expectError(run({"sweep"}), 2, {"sweep", "file"});
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace headlight::testing
