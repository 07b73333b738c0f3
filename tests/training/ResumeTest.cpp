// SPDX-License-Identifier: GPL-3.0-or-later

// What makes a run trustworthy: interrupted, watched or edited live, it ends in the same weights.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/Progress.h"
#include "core/config/Parameter.h"
#include "core/models/Registry.h"
#include "core/training/logs/MetricsLog.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

/// The tensors that a run without any interruption ends in.
std::map<std::string, at::Tensor> uninterrupted(const Experiment& experiment,
                                                const std::filesystem::path& folder) {
  runToEnd(*begin(experiment, folder));
  return lastTensors(folder);
}

TEST(Resume, AnyStepEndsInTheSameWeights) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.threads = 2;
  const auto expected = uninterrupted(experiment, folder / "whole");
  EXPECT_TRUE(expected.contains("blocks.0.attn.soft_mask_logit"));
  EXPECT_TRUE(expected.contains("blocks.1.attn.random_mask"));
  EXPECT_TRUE(expected.contains("ema.head.weight"));
  EXPECT_TRUE(expected.contains("optimizer.first.head.weight"));
  // In an epoch, at its end, and in the last one; one run is stopped twice.
  for (const std::vector<std::int64_t>& stops : {std::vector<std::int64_t>{2, 8}, {5}, {7}, {10}}) {
    const auto path = folder / ("stopped at " + std::to_string(stops[0]));
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const auto session = i == 0 ? begin(experiment, path) : resume(path);
      const auto outcome = runUntil(*session, stops[i]);
      ASSERT_TRUE(outcome) << outcome.error().text();
      EXPECT_EQ(outcome->state, TrainingState::Stopped);
      EXPECT_EQ(outcome->steps, stops[i]);
    }
    const auto outcome = runToEnd(*resume(path));
    EXPECT_EQ(outcome.steps, 10);
    expectSame(expected, lastTensors(path));
  }
}

TEST(Resume, TheStepsBeforeAreReadFromTheFolder) {
  TemporaryFolder folder;
  {
    const auto session = begin(tinyExperiment(), folder / "run");
    EXPECT_TRUE(session->history().empty());
    ASSERT_TRUE(runUntil(*session, 7));
  }
  const auto resumed = resume(folder / "run");
  const RunHistory history = resumed->history();
  std::size_t steps = 0, epochs = 0, heads = 0;
  for (const std::string& text : linesOf(folder / "run/metrics.jsonl")) {
    const Json line = Json::parse(text);
    if (line["type"] == "step") {
      ASSERT_LT(steps, history.steps.size());
      EXPECT_EQ(history.steps[steps].step, line["step"]);
      EXPECT_EQ(history.steps[steps++].loss, line["loss"]);
    } else if (line["type"] == "epoch") {
      ASSERT_LT(epochs, history.epochPoints.size());
      EXPECT_EQ(history.epochPoints[epochs++].top1, line["top1"]);
    } else if (line["type"] == "start") {
      ASSERT_TRUE(history.start);
      EXPECT_EQ(history.start->top1, line["top1"]);
    } else {
      ASSERT_LT(heads, history.heads.size());
      EXPECT_EQ(history.heads[heads++].step, line["step"]);
    }
  }
  EXPECT_EQ(history.steps.size(), steps);
  EXPECT_EQ(history.epochPoints.size(), epochs);
  EXPECT_EQ(history.heads.size(), heads);
  EXPECT_GT(steps, 0u);
  EXPECT_EQ(epochs, 1u);
  EXPECT_GT(heads, 0u);
  runToEnd(*resumed);
}

TEST(Resume, KilledAtAnyMomentGoesOnFromTheLastCheckpoint) {
  TemporaryFolder folder;
  const Experiment experiment = tinyExperiment();  // a checkpoint every 3 steps
  const auto session = begin(experiment, folder / "whole");
  // A copy of the folder, made between two steps, is what a kill would leave.
  const auto outcome = runWith(*session, [&](std::int64_t step) {
    std::filesystem::copy(folder / "whole", folder / ("killed " + std::to_string(step)),
                          std::filesystem::copy_options::recursive);
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  const auto expected = lastTensors(folder / "whole");
  const auto table = linesOf(folder / "whole/metrics.csv");
  for (const int step : {1, 4, 6, 9}) {
    const auto path = folder / ("killed " + std::to_string(step));
    EXPECT_EQ(std::filesystem::exists(path / "last.safetensors"), step > 3);
    const auto resumed = resume(path);
    runToEnd(*resumed);
    expectSame(expected, lastTensors(path));

    std::vector<std::int64_t> steps, epochs, heads, starts;
    for (const std::string& line : linesOf(path / "metrics.jsonl")) {
      const Json json = Json::parse(line);
      auto& list = json["type"] == "step"    ? steps
                   : json["type"] == "epoch" ? epochs
                   : json["type"] == "start" ? starts
                                             : heads;
      list.push_back(json["step"].get<std::int64_t>());
    }
    EXPECT_EQ(starts, std::vector<std::int64_t>{0}) << "measured once, however often it began";
    EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(epochs, (std::vector<std::int64_t>{5, 10}));
    EXPECT_EQ(heads, (std::vector<std::int64_t>{0, 2, 4, 6, 8, 10}));
    const auto rows = linesOf(path / "metrics.csv");
    ASSERT_EQ(rows.size(), 3u);
    for (std::size_t i = 0; i < rows.size(); ++i)  // all but the seconds
      EXPECT_EQ(rows[i].substr(0, rows[i].rfind(',')), table[i].substr(0, table[i].rfind(',')));
  }
}

/// As programs wrote an experiment before weight decay could spare masks.
Json ofSchema1(Json experiment) {
  experiment["schema"] = 1;
  experiment["training"].erase("decay_masks");
  return experiment;
}

/// The folder of a run, as such a program would have left it.
void makeOld(const OpenFolder& folder, Json (*ofSchema)(Json) = ofSchema1) {
  const Json config = Json::parse(valueOrThrow(folder.read("config.json", 1 << 20)));
  std::ofstream(folder.path() / "config.json") << ofSchema(config).dump();
  Checkpoint last = valueOrThrow(readSafetensors(folder, "last.safetensors"));
  std::string& carried = last.metadata.at("experiment");
  carried = ofSchema(Json::parse(carried)).dump();
  ASSERT_TRUE(writeSafetensors(folder, "last.safetensors", last.tensors, last.metadata));
}

TEST(Resume, AnOlderRunGoesOnDecayingItsLearnedMasks) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.model.mechanism = "learned_mask";
  experiment.model.attention = Json::object();
  experiment.model = completed(experiment.model, modelCatalog());
  experiment.training.weightDecay = 1;
  const auto sparing = uninterrupted(experiment, folder / "sparing");
  experiment.training.decayMasks = true;
  const auto expected = uninterrupted(experiment, folder / "decaying");
  const std::string mask = "blocks.0.attn.learned_mask_a";
  EXPECT_GT(sparing.at(mask).abs().sum().item<float>(),
            expected.at(mask).abs().sum().item<float>());

  ASSERT_TRUE(runUntil(*begin(experiment, folder / "old"), 4));
  makeOld(opened(folder / "old"));
  runToEnd(*resume(folder / "old"));
  expectSame(expected, lastTensors(folder / "old"));
}

/// As programs wrote an experiment before LSLA's padding was an option.
Json ofSchema2(Json experiment) {
  experiment["schema"] = 2;
  experiment["model"]["attention"].erase("padding");
  return experiment;
}

TEST(Resume, AnOlderRunOfLslaGoesOnPaddingAfterTheShift) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.model.mechanism = "lsla";
  experiment.model.attention = {{"window", 3}};
  experiment.model = completed(experiment.model, modelCatalog());
  experiment.masks = {};
  const auto today = uninterrupted(experiment, folder / "today");
  experiment.model.attention["padding"] = "after_shift";
  const auto expected = uninterrupted(experiment, folder / "before");
  EXPECT_FALSE(at::equal(today.at("head.weight"), expected.at("head.weight")));

  ASSERT_TRUE(runUntil(*begin(experiment, folder / "old"), 4));
  makeOld(opened(folder / "old"), ofSchema2);
  const auto resumed = resume(folder / "old");
  const auto warnings = resumed->takeUpdate().warnings;
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("opposite edges") != std::string::npos;
  }));
  runToEnd(*resumed);
  expectSame(expected, lastTensors(folder / "old"));
}

TEST(Resume, MixesTheSameImagesAgain) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  const auto plain = uninterrupted(experiment, folder / "plain");
  experiment.training.mixupAlpha = 0.8;
  experiment.training.cutmixAlpha = 1;
  const auto expected = uninterrupted(experiment, folder / "whole");
  EXPECT_FALSE(at::equal(expected.at("head.weight"), plain.at("head.weight")));
  expectSame(expected, uninterrupted(experiment, folder / "again"));
  for (const std::int64_t stop : {2, 5, 8}) {
    const auto path = folder / ("stopped at " + std::to_string(stop));
    ASSERT_TRUE(runUntil(*begin(experiment, path), stop));
    const auto resumed = resume(path);
    EXPECT_EQ(resumed->experiment().training.mixupAlpha, 0.8);
    EXPECT_EQ(resumed->experiment().training.cutmixAlpha, 1);
    runToEnd(*resumed);
    expectSame(expected, lastTensors(path));
  }
}

TEST(Resume, AugmentsTheSameImagesAgain) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  const auto plain = uninterrupted(experiment, folder / "plain");
  experiment.data.randAugment = "rand-m9-mstd0.5-inc1";
  experiment.data.erasing = 0.25;
  experiment.data.interpolation = "random";
  experiment.data.repeats = 3;
  const auto expected = uninterrupted(experiment, folder / "whole");
  EXPECT_FALSE(at::equal(expected.at("head.weight"), plain.at("head.weight")));
  ASSERT_TRUE(runUntil(*begin(experiment, folder / "stopped"), 7));
  runToEnd(*resume(folder / "stopped"));
  expectSame(expected, lastTensors(folder / "stopped"));
  experiment.data.loaderThreads = 3;
  expectSame(expected, uninterrupted(experiment, folder / "threads"));
}

TEST(Resume, AFinishedRunHasNothingLeftToDo) {
  TemporaryFolder folder;
  const auto expected = uninterrupted(tinyExperiment(), folder / "run");
  const auto outcome = runToEnd(*resume(folder / "run"));
  EXPECT_EQ(outcome.steps, 10);
  expectSame(expected, lastTensors(folder / "run"));
}

TEST(Replay, AnExportedSessionEndsInTheSameWeights) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  const MaskScheme scheme = valueOrThrow(resolveMasks(experiment.masks, MaskShape({2, 2})));
  experiment.edits = {{4, editOf(scheme, 1, 0, "strict:3")}};
  const auto live = begin(experiment, folder / "live");
  ASSERT_TRUE(live->submit(editOf(live->masks(), 1, 1, "hard:3")));  // before the first step
  const auto outcome = runWith(*live, [&](std::int64_t step) {
    // A soft mask that comes, goes, and comes again; a new soft layer.
    if (step == 2) {
      ASSERT_TRUE(live->submit(editOf(live->masks(), 1, 0, "soft:3@0.3")));
    }
    if (step == 4) {
      ASSERT_TRUE(live->submit(editOf(live->masks(), 0, 0, "none")));
    }
    if (step == 7) {
      ASSERT_TRUE(live->submit(editOf(live->masks(), 0, 0, "soft:5@0.7")));
    }
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  const Experiment exported = live->exported();
  ASSERT_EQ(exported.edits.size(), 5u);
  std::vector<std::int64_t> steps;
  for (const auto& edit : exported.edits)
    steps.push_back(edit.step);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 2, 4, 4, 7}));
  EXPECT_EQ(toText(live->masks().at(1, 0)), "strict:3");
  EXPECT_EQ(toText(live->masks().at(0, 0)), "soft:5@0.7");
  EXPECT_EQ(linesOf(folder / "live/masks.jsonl").size(), 5u);

  // Through its text, as it would travel to a cluster.
  const Experiment read =
      valueOrThrow(experimentFromText(experimentToText(exported), "export", {}));
  const auto replay = begin(read, folder / "replay");
  runToEnd(*replay);
  const auto expected = lastTensors(folder / "live");
  EXPECT_TRUE(expected.contains("optimizer.first.blocks.1.attn.soft_mask_logit"));
  expectSame(expected, lastTensors(folder / "replay"));
  EXPECT_EQ(linesOf(folder / "live/masks.jsonl"), linesOf(folder / "replay/masks.jsonl"));

  // And an edited run resumes exactly, live edits included.
  ASSERT_TRUE(runUntil(*begin(read, folder / "stopped"), 7));
  const auto resumed = resume(folder / "stopped");
  EXPECT_EQ(toText(resumed->masks().at(0, 0)), "soft:5@0.7");  // in force before step 7
  runToEnd(*resumed);
  expectSame(expected, lastTensors(folder / "stopped"));
  EXPECT_EQ(linesOf(folder / "live/masks.jsonl"), linesOf(folder / "stopped/masks.jsonl"));
}

TEST(Replay, ALiveEditIsInTheCheckpointThatFollowsIt) {
  TemporaryFolder folder;
  std::stop_source stop;
  auto live = begin(tinyExperiment(), folder / "live");
  ASSERT_TRUE(runWith(
      *live,
      [&](std::int64_t step) {
        if (step != 4) return;
        ASSERT_TRUE(live->submit(editOf(live->masks(), 1, 0, "hard:5")));
        stop.request_stop();
      },
      stop.get_token()));
  const Experiment before = live->exported();
  ASSERT_EQ(before.edits.size(), 1u);
  EXPECT_EQ(before.edits[0].step, 4);
  live.reset();
  const auto resumed = resume(folder / "live");
  EXPECT_EQ(experimentToText(resumed->exported()), experimentToText(before));
  EXPECT_EQ(toText(resumed->masks().at(1, 0)), "hard:5");
}

TEST(Telemetry, LeavesTheWeightsAsTheyAre) {
  TemporaryFolder folder;
  Experiment watched = tinyExperiment(), blind = tinyExperiment();
  watched.telemetry.alsSteps = 1;
  blind.telemetry.alsSteps = 0;
  blind.telemetry.metricsSteps = 1000;
  expectSame(uninterrupted(watched, folder / "watched"), uninterrupted(blind, folder / "blind"));
}

/// AFT's Eq. 9: at most ln 9 for each head of a 3 × 3 kernel, and nearly that at the start.
TEST(Telemetry, HasTheEntropyPenaltyAsTheAuxiliaryLoss) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.masks = {};
  experiment.model.mechanism = "aft_conv";
  experiment.model.attention = {{"kernel", 3}, {"entropy_penalty", 0.5}};
  experiment.model.classToken = false;
  experiment.model = completed(experiment.model, modelCatalog());
  const auto session = begin(experiment, folder / "run");
  std::vector<double> reported, logged;
  const auto take = [&] {
    for (const StepPoint& point : session->takeUpdate().steps)
      reported.push_back(point.auxiliaryLoss.value_or(-1));
  };
  session->setWakeUp(take);
  runToEnd(*session);
  take();
  for (const std::string& line : linesOf(folder / "run/metrics.jsonl"))
    if (const Json json = Json::parse(line); json["type"] == "step")
      logged.push_back(json["auxiliary_loss"].get<double>());
  EXPECT_EQ(reported, logged);
  ASSERT_EQ(logged.size(), 10u);
  const double most = 0.5 * 2 * 2 * std::log(9.0);  // weight, layers, heads
  EXPECT_LE(logged[0], most * (1 + 1e-6));
  EXPECT_GT(logged[0], 0.9 * most);
}

TEST(Seed, MakesADifferentRun) {
  TemporaryFolder folder;
  Experiment other = tinyExperiment();
  other.seed = 8;
  const auto a = uninterrupted(tinyExperiment(), folder / "a");
  const auto b = uninterrupted(other, folder / "b");
  EXPECT_FALSE(at::equal(a.at("head.weight"), b.at("head.weight")));
}

}  // namespace
}  // namespace headlight
