// SPDX-License-Identifier: GPL-3.0-or-later

// What a soft mask learned stays with its head: through edits and undo in a run, through resuming,
// and through saving weights and opening them again.

#include <gtest/gtest.h>

#include <cmath>

#include "core/models/backbones/Model.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelSnapshot.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

constexpr const char* kLogits = "blocks.0.attn.soft_mask_logit";

/// Two soft heads in layer 0, so that the parameter goes on learning while one of them is away.
Experiment learnedAlphaExperiment() {
  Experiment experiment = tinyExperiment();
  experiment.masks.cells[0] = {*headMaskFromText("soft:3@0.3"), *headMaskFromText("soft:3@0.6")};
  return experiment;
}

/// Edits of head 0 in layer 0, each at its step.
Experiment withEdits(Experiment experiment,
                     const std::vector<std::pair<std::int64_t, std::string>>& edits) {
  for (const auto& [step, mask] : edits) {
    const MaskChange change{0, 0, {}, *headMaskFromText(mask)};
    experiment.edits.push_back({step, {mask, {change}, "", ""}});
  }
  return experiment;
}

std::map<std::string, at::Tensor> trained(const Experiment& experiment,
                                          const std::filesystem::path& folder) {
  runToEnd(*begin(experiment, folder));
  return lastTensors(folder);
}

float logitOf(const std::map<std::string, at::Tensor>& tensors, int head = 0) {
  return tensors.at(kLogits)[head].item<float>();
}

float startLogit(double alpha) {
  return static_cast<float>(std::log(alpha / (1 - alpha)));
}

TEST(LearnedAlpha, AMaskThatGoesAndComesBackChangesNothing) {
  TemporaryFolder folder;
  const auto expected = trained(learnedAlphaExperiment(), folder / "plain");
  EXPECT_NE(logitOf(expected), startLogit(0.3));
  int run = 0;
  for (const auto& edits : std::vector<std::vector<std::pair<std::int64_t, std::string>>>{
           {{4, "none"}, {4, "soft:3@0.3"}},
           {{4, "hard:3"}, {4, "soft:3@0.3"}},
           {{4, "soft:3@0.8"}, {4, "soft:3@0.3"}},
           {{4, "soft:3@0.3~1"}, {4, "soft:3@0.3"}}})
    expectSame(expected,
               trained(withEdits(learnedAlphaExperiment(), edits), folder / std::to_string(run++)));
}

TEST(LearnedAlpha, StandsStillWhileTheHeadIsNotSoft) {
  TemporaryFolder folder;
  ASSERT_TRUE(runUntil(*begin(learnedAlphaExperiment(), folder / "before"), 4));
  const auto before = lastTensors(folder / "before");
  const auto after = trained(withEdits(learnedAlphaExperiment(), {{4, "none"}}), folder / "after");
  EXPECT_EQ(logitOf(after), logitOf(before));
  for (const std::string moment : {"optimizer.first.", "optimizer.second."})
    EXPECT_EQ(after.at(moment + kLogits)[0].item<float>(),
              before.at(moment + kLogits)[0].item<float>());
  EXPECT_NE(logitOf(after, 1), logitOf(before, 1));
}

TEST(LearnedAlpha, AResetBeginsAnew) {
  TemporaryFolder folder;
  const Experiment experiment =
      withEdits(learnedAlphaExperiment(), {{4, "none"}, {4, "soft:3@0.3~1"}});
  ASSERT_TRUE(runUntil(*begin(experiment, folder / "run"), 4));
  ASSERT_TRUE(runUntil(*begin(learnedAlphaExperiment(), folder / "plain"), 4));
  const auto learned = lastTensors(folder / "plain");
  EXPECT_EQ(logitOf(lastTensors(folder / "run")), startLogit(0.3));
  ASSERT_TRUE(runUntil(*resume(folder / "run"), 5));
  const float after = logitOf(lastTensors(folder / "run"));
  EXPECT_LT(std::abs(after - startLogit(0.3)), std::abs(after - logitOf(learned)));
}

TEST(LearnedAlpha, ResumingKeepsWhatWasSetAside) {
  TemporaryFolder folder;
  const Experiment experiment =
      withEdits(learnedAlphaExperiment(), {{2, "soft:3@0.3~1"}, {4, "none~1"}, {7, "soft:3@0.3"}});
  const auto expected = trained(experiment, folder / "whole");
  for (const std::int64_t stop : {3, 5, 6, 8}) {
    const auto path = folder / ("stopped at " + std::to_string(stop));
    ASSERT_TRUE(runUntil(*begin(experiment, path), stop));
    runToEnd(*resume(path));
    expectSame(expected, lastTensors(path));
  }
}

TEST(LearnedAlpha, AReplayOfResetAndUndoEndsInTheSameWeights) {
  TemporaryFolder folder;
  const auto live = begin(learnedAlphaExperiment(), folder / "live");
  MaskEdit reset;
  const auto outcome = runWith(*live, [&](std::int64_t step) {
    if (step == 3) {
      reset = *makeResetEdit(live->masks(), {{0, 0}, {1, 0}}, "reset");
      EXPECT_EQ(reset.changes.size(), 1u);  // the other is not soft
      EXPECT_TRUE(live->submit(reset));
    }
    if (step == 6) {
      EXPECT_TRUE(live->submit(reset.inverse()));
    }
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  const Experiment read =
      valueOrThrow(experimentFromText(experimentToText(live->exported()), "export", {}));
  EXPECT_EQ(toText(read.edits.at(0).edit.changes.at(0).after), "soft:3@0.3~1");
  expectSame(lastTensors(folder / "live"), trained(read, folder / "replay"));
}

// --- Weights ------------------------------------------------------------------------------------

/// A run's last weights, opened.
std::unique_ptr<InferenceSession> opened(const std::filesystem::path& weights) {
  ModelSource source;
  source.weights = weights;
  source.device = "cpu";
  source.threads = 1;
  return valueOrThrow(InferenceSession::open(source));
}

/// α of head 0 in layer 0 under these masks.
float alphaUnder(InferenceSession& session, MaskScheme scheme, const std::string& mask) {
  scheme.set(0, 0, *headMaskFromText(mask));
  float alpha = 0;
  withModel(session, [&](Model& model) {
    model.setMasks(scheme);
    alpha = model.softAlphas(0)[0];
  });
  return alpha;
}

struct TrainedOnce {
  TemporaryFolder folder;
  MaskScheme scheme = valueOrThrow(resolveMasks(learnedAlphaExperiment().masks, MaskShape({2, 2})));
  float learned = 0;
  TrainedOnce() {
    const auto tensors = trained(learnedAlphaExperiment(), folder / "run");
    learned = 1 / (1 + std::exp(-logitOf(tensors)));
    EXPECT_GT(std::abs(learned - 0.3f), 1e-4f);
  }
  std::filesystem::path last() const { return folder / "run/last.safetensors"; }
};

TEST(LearnedAlpha, IsSavedAndOpenedWhereNoHeadIsSoft) {
  const TrainedOnce run;
  MaskScheme none = run.scheme;
  none.set(0, 0, {});
  none.set(0, 1, {});
  ASSERT_TRUE(opened(run.last())->save(run.folder / "none.safetensors", none));
  const auto session = opened(run.folder / "none.safetensors");
  EXPECT_TRUE(session->info().report.complete()) << session->info().report.summary();
  EXPECT_TRUE(std::isnan(alphaUnder(*session, none, "none")));
  EXPECT_NEAR(alphaUnder(*session, none, "soft:3@0.3"), run.learned, 1e-6);
  EXPECT_NEAR(alphaUnder(*session, none, "soft:3@0.4"), 0.4, 1e-6);
  EXPECT_NEAR(alphaUnder(*session, none, "soft:3@0.3"), run.learned, 1e-6);
  EXPECT_NEAR(alphaUnder(*session, none, "soft:3@0.3~1"), 0.3, 1e-6);

  // Once a reset is saved it stays: the plain mask is the one that was reset.
  ASSERT_TRUE(session->save(run.folder / "reset.safetensors", none));
  const auto again = opened(run.folder / "reset.safetensors");
  EXPECT_NEAR(alphaUnder(*again, none, "soft:3@0.3"), 0.3, 1e-6);
}

TEST(LearnedAlpha, ComesWithWeightsIntoAnOpenModel) {
  const TrainedOnce run;
  auto session = valueOrThrow(InferenceSession::create(learnedAlphaExperiment()));
  MaskScheme none(MaskShape({2, 2}));
  withModel(*session, [&](Model& model) { model.setMasks(none); });
  EXPECT_TRUE(valueOrThrow(session->previewWeights(run.last())).complete());
  EXPECT_TRUE(valueOrThrow(session->loadWeights(run.last())).complete());
  EXPECT_NEAR(alphaUnder(*session, none, "soft:3@0.3"), run.learned, 1e-6);
  // Of weights that know nothing of it, nothing is left.
  Checkpoint plain = valueOrThrow(readSafetensors(run.last()));
  std::erase_if(plain.tensors, [](const auto& item) {
    return item.first.find("mask") != std::string::npos || item.first.starts_with("optimizer.") ||
           item.first.starts_with("ema.");
  });
  plain.metadata.erase("learned_alpha");
  ASSERT_TRUE(writeSafetensors(run.folder / "plain.safetensors", plain.tensors, plain.metadata));
  ASSERT_TRUE(session->loadWeights(run.folder / "plain.safetensors"));
  EXPECT_NEAR(alphaUnder(*session, none, "soft:3@0.3"), 0.3, 1e-6);
}

TEST(LearnedAlpha, FilesFromBeforeItWasListedOpenAsTheyDid) {
  const TrainedOnce run;
  Checkpoint old = valueOrThrow(readSafetensors(run.last()));
  ASSERT_EQ(old.metadata.erase("learned_alpha"), 1u);
  ASSERT_TRUE(writeSafetensors(run.folder / "old.safetensors", old.tensors, old.metadata));
  const auto session = opened(run.folder / "old.safetensors");
  EXPECT_NEAR(alphaUnder(*session, run.scheme, "soft:3@0.3"), run.learned, 1e-6);
}

TEST(LearnedAlpha, ADamagedListIsRefused) {
  const TrainedOnce run;
  Checkpoint file = valueOrThrow(readSafetensors(run.last()));
  for (const std::string list :
       {"7", "[7]", R"([{"layer":0,"head":0}])", R"([{"layer":0,"head":0,"mask":"hard:3"}])",
        R"([{"layer":-1,"head":0,"mask":"soft:3@0.5"}])",
        R"([{"layer":0,"head":0,"mask":"soft:3@0.5","logit":"1"}])"}) {
    file.metadata["learned_alpha"] = list;
    ASSERT_TRUE(writeSafetensors(run.folder / "bad.safetensors", file.tensors, file.metadata));
    ModelSource source;
    source.weights = run.folder / "bad.safetensors";
    const auto session = InferenceSession::open(source);
    ASSERT_FALSE(session) << list;
    EXPECT_NE(session.error().text().find("learned_alpha"), std::string::npos)
        << session.error().text();
  }
  // Of a larger model: what does not exist here is left out.
  file.metadata["learned_alpha"] = R"([{"layer":90,"head":0,"mask":"soft:3@0.5"},
                                       {"layer":0,"head":70,"mask":"soft:3@0.5"}])";
  ASSERT_TRUE(writeSafetensors(run.folder / "large.safetensors", file.tensors, file.metadata));
  opened(run.folder / "large.safetensors");
}

TEST(LearnedAlpha, ARunGoesOnFromItsStartingWeights) {
  const TrainedOnce run;
  MaskScheme none(MaskShape({2, 2}));
  ASSERT_TRUE(opened(run.last())->save(run.folder / "none.safetensors", none));
  Experiment experiment = withEdits(tinyExperiment(), {{2, "soft:3@0.3"}});
  experiment.masks.cells[0] = {{}, {}};
  experiment.training.weights = (run.folder / "none.safetensors").string();
  experiment.training.learningRate = experiment.training.minLearningRate =
      experiment.training.warmupLearningRate = 0;
  const auto goesOn = trained(experiment, run.folder / "goes on");
  EXPECT_NEAR(1 / (1 + std::exp(-logitOf(goesOn))), run.learned, 1e-6);
  ASSERT_TRUE(runUntil(*begin(experiment, run.folder / "stopped"), 1));
  runToEnd(*resume(run.folder / "stopped"));
  expectSame(goesOn, lastTensors(run.folder / "stopped"));
  experiment.training.resetAlpha = true;
  EXPECT_EQ(logitOf(trained(experiment, run.folder / "anew")), startLogit(0.3));
}

TEST(LearnedAlpha, AWindowTakesItFromARun) {
  TemporaryFolder folder;
  auto window = valueOrThrow(InferenceSession::create(learnedAlphaExperiment()));
  MaskScheme none(MaskShape({2, 2})), layerOne = none;
  layerOne.set(1, 0, *headMaskFromText("soft:3@0.5"));  // looked at, and taken back
  layerOne.set(1, 1, *headMaskFromText("random:3#1"));
  withModel(*window, [&](Model& model) { model.setMasks(layerOne); });
  Experiment experiment = withEdits(learnedAlphaExperiment(), {{8, "none"}});
  experiment.masks.cells[1] = {{}, {}};
  const auto live = begin(experiment, folder / "run");
  runToEnd(*live);  // which leaves a snapshot
  const float learned = 1 / (1 + std::exp(-logitOf(lastTensors(folder / "run"))));
  const auto adopted = window->adopt(*live->snapshot());
  ASSERT_TRUE(adopted) << adopted.error().text();
  EXPECT_NEAR(alphaUnder(*window, none, "soft:3@0.3"), learned, 1e-6);
}

}  // namespace
}  // namespace headlight
