// SPDX-License-Identifier: GPL-3.0-or-later

// sweep --vary: a sweep of a config and what varies, its time, its file, and its curves.

#include <sstream>

#include "tests/cli/training/Sweeps.h"

namespace headlight::testing {
namespace {

class SweepDesignCliTest : public SweepCliTest {
 protected:
  fs::path config() const {
    json base = sweep()["base"];
    base["training"]["epochs"] = 1;
    return write("config.json", base);
  }
};

TEST_F(SweepDesignCliTest, SaysTheRunsAndTheirTimeAndTrainsNothing) {
  const auto outcome =
      run({"sweep", config(), "--vary", "masks=none,sch1", "--vary", "training.epochs=1,3",
           "--seeds", "0-2", "--output", "out", "--plan", "--json"});
  expectOk(outcome);
  const json plan = outcome.json();
  EXPECT_EQ(plan["event"], "plan");
  EXPECT_EQ(plan["runs"], 12);
  EXPECT_EQ(plan["left"], 12);
  EXPECT_GT(plan["seconds"], 0);
  ASSERT_EQ(plan["variants"].size(), 4u);
  EXPECT_EQ(plan["variants"][3]["variant"], "sch1, epochs 3");
  EXPECT_FALSE(fs::exists(path("out")));
  const auto reported = run({"sweep", config(), "--vary", "masks=none,sch1", "--plan"});
  expectOk(reported);
  EXPECT_NE(reported.out.find("2 runs, 2 left: about"), std::string::npos) << reported.out;
}

TEST_F(SweepDesignCliTest, TheSavedFileIsTheSameSweep) {
  expectOk(run({"sweep", config(), "--vary", "data.fraction=0.5,1", "--seeds", "1,2", "--save",
                "saved.json"}));
  const auto direct = run({"sweep", config(), "--vary", "data.fraction=0.5,1", "--seeds", "1,2",
                           "-o", "direct", "--no-speed", "--over", "data.fraction", "--json"});
  expectOk(direct);
  const auto fromFile = run({"sweep", "saved.json", "-o", "saved", "--no-speed", "--json"});
  expectOk(fromFile);
  EXPECT_EQ(readBytes(path("direct/sweep.csv")), readBytes(path("saved/sweep.csv")));

  // The curve has the table's numbers, in per cent.
  std::istringstream csv(readBytes(path("direct/sweep-over-data.fraction.csv")));
  std::string header, first, second;
  std::getline(csv, header);
  std::getline(csv, first);
  std::getline(csv, second);
  EXPECT_EQ(header, "series,\"data.fraction\",mean,deviation");
  const double mean = direct.json()["rows"][1]["best_top1"]["mean"];
  const double written = std::stod(second.substr(second.find(",1,") + 3));
  EXPECT_NEAR(written, 100 * mean, 1e-9) << second;
  EXPECT_TRUE(fs::exists(path("direct/sweep-over-data.fraction.png")));

  // The folder says by itself what it is: nothing is trained, all is told.
  const auto report = run({"sweep", "direct", "--report", "--json"});
  expectOk(report);
  EXPECT_EQ(report.json()["runs"], 4);
  EXPECT_EQ(report.json()["rows"], direct.json()["rows"]);

  // Another sweep is refused there, and does not take its name.
  const auto before = readBytes(path("direct/sweep.json"));
  expectError(run({"sweep", config(), "--vary", "data.fraction=0.5,1", "-o", "direct", "--seeds",
                   "1,2", "--training.learning_rate", "0.5", "--no-speed"}),
              2, {"other settings"});
  EXPECT_EQ(readBytes(path("direct/sweep.json")), before);
}

TEST_F(SweepDesignCliTest, NothingFinishedIsSaid) {
  const auto outcome = run({"sweep", config(), "--vary", "data.fraction=0.5,1", "-o", "empty",
                            "--report", "--over", "data.fraction"});
  expectOk(outcome);
  EXPECT_NE(outcome.err.find("no finished runs"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("empty")));
}

TEST_F(SweepDesignCliTest, SaysWhatCannotVary) {
  const auto with = [&](const std::string& vary) {
    return run({"sweep", config(), "--vary", vary, "-o", "out"});
  };
  expectError(with("training.epoch=1,2"), 2, {"training.epoch", "training.epochs"});
  expectError(with("data.fraction=0.5,0.5"), 2, {"data.fraction", "twice"});
  expectError(with("data.fraction"), 2, {"PATH=VALUE"});
  expectError(with("data.fraction=2"), 2, {"data.fraction"});
  expectError(run({"sweep", file(), "--vary", "data.fraction=0.5,1"}), 2, {"--vary", "sweep file"});
  expectError(run({"sweep"}), 2, {"--vary"});
  expectError(run({"sweep", config(), "--vary", "model.depth=1,2", "--seeds", "x"}), 2, {"seeds"});
  expectError(run({"sweep", config(), "--vary", "model.depth=1,2", "--over", "data.fraction"}), 2,
              {"data.fraction", "model.depth"});
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace headlight::testing
