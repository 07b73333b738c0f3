// SPDX-License-Identifier: GPL-3.0-or-later

// A config that was exported with its weights trains wherever its folder is taken.

#include "core/workbench/export/ConfigExport.h"

#include <gtest/gtest.h>

#include "core/base/files/Files.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// Starts from a run's weights and learns from the same.
struct ExportedRun {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  ExportedRun() {
    runToEnd(*begin(tinyExperiment(), folder / "run"));
    experiment.training.weights = (folder / "run/best.safetensors").string();
    experiment.training.distillation = "soft";
    experiment.training.teacher = (folder / "run/last.safetensors").string();
    fs::create_directory(folder / "exported");
  }
  fs::path config() const { return folder / "exported/config.json"; }
};

TEST(ConfigExport, AFolderTakenElsewhereStillTrains) {
  const ExportedRun run;
  const Experiment written = valueOrThrow(exportConfig(run.experiment, run.config(), true));
  EXPECT_EQ(written.training.weights, "best.safetensors");
  EXPECT_EQ(written.training.teacher, "last.safetensors");
  runToEnd(*begin(valueOrThrow(readExperiment(run.config(), {})), run.folder / "here"));
  fs::rename(run.folder / "exported", run.folder / "moved");
  fs::rename(run.folder / "run", run.folder / "gone");
  const Experiment read = valueOrThrow(readExperiment(run.folder / "moved/config.json", {}));
  EXPECT_EQ(read.training.weights, (run.folder / "moved/best.safetensors").string());
  runToEnd(*begin(read, run.folder / "there"));
  expectSame(lastTensors(run.folder / "here"), lastTensors(run.folder / "there"));
}

TEST(ConfigExport, FilesElsewhereKeepTheirPathWhereTheyAreNotCopied) {
  const ExportedRun run;
  const Experiment written = valueOrThrow(exportConfig(run.experiment, run.config(), false));
  EXPECT_EQ(written.training.weights, run.experiment.training.weights);
  EXPECT_FALSE(fs::exists(run.folder / "exported/best.safetensors"));
  EXPECT_EQ(weightsNamedBy(written).size(), 2u);
  EXPECT_TRUE(weightsNamedBy(tinyExperiment()).empty());
}

TEST(ConfigExport, FilesBelowTheConfigAreNamedFromThere) {
  const ExportedRun run;
  Experiment experiment = run.experiment;
  experiment.data.path = (run.folder / "images").string();
  const Experiment written =
      valueOrThrow(exportConfig(experiment, run.folder / "config.json", true));
  EXPECT_EQ(written.training.weights, "run/best.safetensors");
  EXPECT_EQ(written.data.path, "images");
  EXPECT_FALSE(fs::exists(run.folder / "best.safetensors"));
  // A path that is not there is left to be looked for where the program is started.
  const Experiment read = valueOrThrow(readExperiment(run.folder / "config.json", {}));
  EXPECT_EQ(read.data.path, "images");
}

TEST(ConfigExport, NoFileIsOverwrittenByAnother) {
  const ExportedRun run;
  ASSERT_TRUE(writeFileAtomically(run.folder / "exported/best.safetensors", "something else"));
  for (int times = 0; times < 2; ++times) {  // the second finds its own copy
    const Experiment written = valueOrThrow(exportConfig(run.experiment, run.config(), true));
    EXPECT_EQ(written.training.weights, "best-2.safetensors");
  }
  EXPECT_EQ(valueOrThrow(readFile(run.folder / "exported/best.safetensors", 100)),
            "something else");
  EXPECT_FALSE(fs::exists(run.folder / "exported/best-3.safetensors"));
}

TEST(ConfigExport, WeightsThatAreGoneAreSaid) {
  const ExportedRun run;
  fs::remove(run.folder / "run/best.safetensors");
  const auto written = exportConfig(run.experiment, run.config(), true);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("best.safetensors"), std::string::npos);
  EXPECT_FALSE(fs::exists(run.config()));
}

TEST(ConfigExport, APublishedTeacherStaysAName) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.training.teacher = "deit_tiny_patch16_224";
  const Experiment written = valueOrThrow(exportConfig(experiment, folder / "config.json", true));
  EXPECT_EQ(written.training.teacher, "deit_tiny_patch16_224");
}

}  // namespace
}  // namespace headlight
