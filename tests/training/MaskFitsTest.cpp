// SPDX-License-Identifier: GPL-3.0-or-later

// The fit that learned masks start from (IBiT's Algorithm 1), as a run keeps and tells it.

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/attention/softmax/LearnedMaskFit.h"
#include "core/models/Registry.h"
#include "core/training/run/MaskFits.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

Experiment learnedMasks(const std::string& initialization) {
  Experiment experiment = tinyExperiment();
  experiment.masks = {};
  experiment.model.mechanism = "learned_mask";
  experiment.model.attention = {{"initialization", initialization}};
  experiment.model = completed(experiment.model, modelCatalog());
  return experiment;
}

/// What a table holds, its head apart.
std::vector<double> errorsIn(const std::filesystem::path& file) {
  const auto lines = linesOf(file);
  EXPECT_FALSE(lines.empty()) << file;
  if (lines.empty()) return {};
  EXPECT_EQ(lines[0], "step,mean_squared_error");
  std::vector<double> errors;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto comma = lines[i].find(',');
    EXPECT_EQ(lines[i].substr(0, comma), std::to_string(i - 1));
    errors.push_back(std::strtod(lines[i].c_str() + comma + 1, nullptr));
  }
  return errors;
}

TEST(MaskFits, LayersShareOneFitAndItsCurveIsThatOfTheDescent) {
  for (const std::string start : {"gaussian", "conv"}) {
    const auto model = makeModel(learnedMasks(start).model, 3);
    const auto fits = fitMasks(*model);
    ASSERT_EQ(fits.size(), 1u) << start;
    EXPECT_EQ(fits[0].file, "mask_fit.csv");
    EXPECT_EQ(fits[0].layers, (std::vector<int>{0, 1}));
    Grid grid = model->grid(0);
    grid.prefix = 0;
    const LearnedMaskFit expected = fitLearnedMask(
        {.grid = grid, .filter = start == "conv" ? MaskFilter::Convolution : MaskFilter::Gaussian});
    EXPECT_EQ(fits[0].errors, expected.curve) << start;
    EXPECT_GT(fits[0].errors.size(), 2u);
    EXPECT_LT(fits[0].errors.back(), fits[0].errors.front());
  }
}

TEST(MaskFits, ThereIsNoneWithoutADescent) {
  EXPECT_TRUE(fitMasks(*makeModel(learnedMasks("random").model, 3)).empty());
  EXPECT_TRUE(fitMasks(*makeModel(tinyExperiment().model, 3)).empty());
}

TEST(MaskFits, ATableReadsBackBitForBit) {
  TemporaryFolder folder;
  const MaskFit fit{"mask_fit-layer-03.csv", {3}, {0.1, 1.0 / 3, 9.87654321e-5, 0}};
  ASSERT_TRUE(writeMaskFit(opened(folder.path()), fit));
  EXPECT_EQ(errorsIn(folder / fit.file), fit.errors);
  std::filesystem::create_directory(folder / "in the way");
  EXPECT_FALSE(writeMaskFit(opened(folder.path()), {"in the way", {3}, {0.1}}));
}

TEST(MaskFits, ARunWritesItTellsItOnceAndKeepsItWhenItGoesOn) {
  TemporaryFolder folder;
  auto session = begin(learnedMasks("gaussian"), folder / "run");
  const auto reported = session->takeUpdate().maskFits;
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(errorsIn(folder / "run/mask_fit.csv"), reported[0].errors);
  ASSERT_TRUE(runUntil(*session, 4));
  EXPECT_TRUE(session->takeUpdate().maskFits.empty());
  session.reset();  // and its hold of the folder
  const auto again = resume(folder / "run");
  const auto retold = again->takeUpdate().maskFits;
  ASSERT_EQ(retold.size(), 1u);
  EXPECT_EQ(retold[0].errors, reported[0].errors);
  EXPECT_EQ(errorsIn(folder / "run/mask_fit.csv"), reported[0].errors);
}

TEST(MaskFits, MasksThatComeWithTheStartingWeightsWereNotFitted) {
  TemporaryFolder folder;
  Experiment experiment = learnedMasks("gaussian");
  const TrainingOutcome first = runToEnd(*begin(experiment, folder / "first"));
  ASSERT_FALSE(first.best.empty());
  experiment.training.weights = first.best.string();
  auto session = begin(experiment, folder / "second");
  EXPECT_TRUE(session->takeUpdate().maskFits.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "second/mask_fit.csv"));
  // Nor does the run say so once it goes on, where the start is not read any more.
  ASSERT_TRUE(runUntil(*session, 4));
  session.reset();
  EXPECT_TRUE(resume(folder / "second")->takeUpdate().maskFits.empty());

  // Weights without masks leave them as they were fitted.
  Experiment plain = tinyExperiment();
  plain.masks = {};
  const TrainingOutcome bare = runToEnd(*begin(plain, folder / "plain"));
  ASSERT_FALSE(bare.best.empty());
  experiment.training.weights = bare.best.string();
  EXPECT_EQ(begin(experiment, folder / "third")->takeUpdate().maskFits.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder / "third/mask_fit.csv"));
}

TEST(MaskFits, OneThatCannotBeWrittenIsSaidAndTheRunGoesOn) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run/mask_fit.csv/in the way");
  const auto session = begin(learnedMasks("gaussian"), folder / "run");
  const TrainingUpdate update = session->takeUpdate();
  EXPECT_EQ(update.maskFits.size(), 1u);
  ASSERT_EQ(update.warnings.size(), 1u);
  EXPECT_NE(update.warnings[0].find("mask_fit.csv"), std::string::npos) << update.warnings[0];
  runToEnd(*session);
}

}  // namespace
}  // namespace headlight
