// SPDX-License-Identifier: GPL-3.0-or-later

// The ready config and the ready sweeps of detectors, made small.

#include "tests/cli/detection/DetectionRuns.h"

namespace headlight::testing {
namespace {

const fs::path kPresets = fs::path(HEADLIGHT_SOURCE_DIR) / "models/presets";

const Arguments kSmallData{"--data.train_samples",
                           "16",
                           "--data.validation_samples",
                           "4",
                           "--training.epochs",
                           "1",
                           "--training.batch_size",
                           "8",
                           "--threads",
                           "1",
                           "--telemetry.als_steps",
                           "0",
                           "--json"};

TEST_F(DetectionCliTest, ThePresetTrains) {
  Arguments arguments{"train", kPresets / "detection.json", "--run", "run"};
  arguments.insert(arguments.end(), kSmallData.begin(), kSmallData.end());
  const auto outcome = run(arguments);
  expectOk(outcome);
  EXPECT_TRUE(outcome.json().contains("best_ap")) << outcome.out;
}

TEST_F(DetectionCliTest, ATableOfThePaperTrainsAtASmallSize) {
  Arguments arguments{"sweep",
                      kPresets / "sweeps/castling-table6-detection.json",
                      "--output",
                      "out",
                      "--no-speed",
                      "--data.dataset",
                      "texture-scenes",
                      "--model.image_size",
                      "64",
                      "--model.layout.size",
                      "xs",
                      "--training.warmup_epochs",
                      "0.5"};
  arguments.insert(arguments.end(), kSmallData.begin(), kSmallData.end());
  expectOk(run(arguments));
  const std::string table = readBytes(path("out/sweep.md"));
  for (const char* words : {"AP", "LCNet-ViT", "Lin. + DW. + SparseAttn."})
    EXPECT_NE(table.find(words), std::string::npos) << words << "\n" << table;
  EXPECT_EQ(table.find("top-1"), std::string::npos) << table;
}

}  // namespace
}  // namespace headlight::testing
