// SPDX-License-Identifier: GPL-3.0-or-later

// The parts of a run that need no model: the edit ledger, the meeting place, the logs, metadata.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "core/base/TorchCompat.h"
#include "core/models/layers/Device.h"
#include "core/training/RunControl.h"
#include "core/training/logs/MetricsLog.h"
#include "core/training/logs/RunHistory.h"
#include "core/training/run/MaskEditQueue.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/RunFolder.h"
#include "core/training/step/Divergence.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

MaskScheme plainScheme() {
  return MaskScheme(2, 2);
}

TEST(MaskEditQueue, GivesScheduledEditsInTheirStepAndThenSubmittedOnes) {
  const MaskScheme scheme = plainScheme();
  Experiment experiment;
  experiment.edits = {{0, editOf(scheme, 0, 0, "hard:3")}, {5, editOf(scheme, 0, 1, "hard:5")}};
  MaskEditQueue ledger(experiment, scheme);
  ASSERT_TRUE(ledger.submit(editOf(scheme, 1, 1, "soft:3@0.25")));

  auto pending = ledger.next(0);
  ASSERT_TRUE(pending && !pending->submitted);
  ledger.commit(*pending);
  pending = ledger.next(0);
  ASSERT_TRUE(pending && pending->submitted);
  ledger.commit(*pending);
  EXPECT_FALSE(ledger.next(4));
  EXPECT_EQ(ledger.applied(), 2u);
  EXPECT_EQ(toText(ledger.masks().at(1, 1)), "soft:3@0.25");
  EXPECT_EQ(toText(ledger.masks().at(0, 1)), "none");

  const Experiment exported = ledger.exported();
  ASSERT_EQ(exported.edits.size(), 3u);
  EXPECT_EQ(exported.edits[1].step, 0);
  EXPECT_EQ(exported.edits[1].edit.changes[0].layer, 1);
  EXPECT_EQ(exported.edits[2].step, 5);
  ASSERT_TRUE(ledger.next(7));  // late, but never lost
}

TEST(MaskEditQueue, RefusesWhatCannotTakeEffect) {
  const MaskScheme scheme = plainScheme();
  MaskEditQueue ledger({}, scheme);
  EXPECT_FALSE(ledger.submit(editOf(MaskScheme(9, 9), 8, 8, "hard:3")));
  MaskEdit even = editOf(scheme, 0, 0, "hard:3");
  even.changes[0].after.window = 4;
  EXPECT_FALSE(ledger.submit(even));
  EXPECT_TRUE(ledger.submit({}));
  EXPECT_FALSE(ledger.next(0)) << "an empty edit is no edit";
  for (std::size_t i = 0; i < MaskEditQueue::kMaxWaiting; ++i)
    ASSERT_TRUE(ledger.submit(editOf(scheme, 0, 0, "hard:3")));
  EXPECT_FALSE(ledger.submit(editOf(scheme, 0, 0, "hard:3"))) << "the queue is bounded";
  ASSERT_TRUE(ledger.next(0));
  EXPECT_TRUE(ledger.submit(editOf(scheme, 0, 0, "hard:3")));
  ASSERT_TRUE(ledger.next(0));
  ledger.close();
  EXPECT_FALSE(ledger.submit(editOf(scheme, 0, 0, "hard:3")));
}

TEST(RunControl, WakesOnceBetweenTwoTakes) {
  RunControl control;
  int calls = 0;
  control.setWakeUp([&] { ++calls; });
  const auto addStep = [&] {
    control.publish([](TrainingUpdate& update) { update.steps.push_back({}); });
  };
  for (int i = 0; i < 5; ++i)
    addStep();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(control.takeUpdate().steps.size(), 5u);
  EXPECT_TRUE(control.takeUpdate().steps.empty());
  addStep();
  EXPECT_EQ(calls, 2);
  control.setWakeUp({});
  control.takeUpdate();
  addStep();
  EXPECT_EQ(calls, 2);
}

TEST(RunControl, KeepsABoundedNumberOfPointsAndTheNewest) {
  RunControl control;
  constexpr std::int64_t kSteps = 50000;
  for (std::int64_t i = 1; i <= kSteps; ++i)
    control.publish([&](TrainingUpdate& update) { update.steps.push_back({i, 0, 0, 0}); });
  const auto steps = control.takeUpdate().steps;
  EXPECT_LE(steps.size(), 8192u);
  EXPECT_GT(steps.size(), 2048u);
  EXPECT_EQ(steps.back().step, kSteps);
  for (std::size_t i = 1; i < steps.size(); ++i)
    ASSERT_LT(steps[i - 1].step, steps[i].step);
}

TEST(RunControl, APausedRunWakesForEverythingThatConcernsIt) {
  for (int reason = 0; reason < 4; ++reason) {
    RunControl control;
    std::stop_source stop;
    control.pause();
    std::thread waiting([&] { control.waitWhilePaused(stop.get_token()); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (reason == 0) control.unpause();
    if (reason == 1) control.poke();
    if (reason == 2) control.requestSnapshot();
    if (reason == 3) stop.request_stop();
    waiting.join();  // hangs here if it does not
    EXPECT_EQ(control.paused(), reason != 0);
  }
}

TEST(LineLog, CutsBackToWholeLines) {
  TemporaryFolder folder;
  std::ofstream(folder / "log") << "1\n2\n3\n4 without an e";
  LineLog log(opened(folder.path()), "log");
  ASSERT_TRUE(log.keepWhile([](const std::string& line) { return line != "3"; }));
  ASSERT_TRUE(log.append("new"));
  EXPECT_EQ(linesOf(folder / "log"), (std::vector<std::string>{"1", "2", "new"}));
  std::ofstream(folder / "other") << "1\nhalf";
  ASSERT_TRUE(
      LineLog(opened(folder.path()), "other").keepWhile([](const std::string&) { return true; }));
  EXPECT_EQ(std::filesystem::file_size(folder / "other"), 2u);
  EXPECT_TRUE(
      LineLog(opened(folder.path()), "absent").keepWhile([](const std::string&) { return true; }));
}

TEST(LineLog, SaysWhenItCannotWrite) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "log");  // in the way
  LineLog log(opened(folder.path()), "log");
  const auto written = log.append("line");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Io);
  // What could not be written then is written once it can be.
  EXPECT_EQ(log.unwritten(), "line\n");
  std::filesystem::remove(folder / "log");
  ASSERT_TRUE(log.append("second"));
  EXPECT_EQ(linesOf(folder / "log"), (std::vector<std::string>{"line", "second"}));
}

TEST(Divergence, StopsAtWhatIsNoNumberAndSaysWhatToChange) {
  EXPECT_NO_THROW(requireFinite("loss", 1e300, 3, "nothing is saved", "training.warmup_epochs"));
  for (const auto& [value, name] :
       {std::pair{std::nan(""), "not a number"},
        std::pair{-std::numeric_limits<double>::infinity(), "infinite"}})
    try {
      requireFinite("loss", value, 3, "nothing is saved", "training.warmup_epochs");
      ADD_FAILURE() << name;
    } catch (const Failure& failure) {
      EXPECT_TRUE(isDivergence(failure.error()));
      EXPECT_EQ(failure.error().code, ErrorCode::Internal) << "no config is wrong in itself";
      const std::string message = failure.error().message;
      for (const char* part :
           {name, "loss of step 3", "nothing is saved", "training.warmup_epochs"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
}

TEST(Divergence, ClipsOnlyWhatIsTooLong) {
  EXPECT_EQ(clippingScale(100, 0), 1);  // not wanted
  EXPECT_EQ(clippingScale(0, 1), 1);
  EXPECT_EQ(clippingScale(0.5, 1), 1);
  EXPECT_NEAR(clippingScale(4, 1), 0.25, 1e-6);
}

TEST(RunHistory, ReadsBackWhatWasLogged) {
  const TemporaryFolder folder;
  const MaskScheme scheme = plainScheme();
  StepPoint distilled{2, 1.25, 1e-4, 30, 0.5, 0.125};
  HeadPoint measured{2, {{0.25f, 0.5f}, {}}, {{0.5f, NAN}, {NAN, NAN}}, {}, 4};
  measured.readings = {{{"nonzeros", 0.25}, {"epsilon", 0.5}}, {}};
  MetricsLog log(opened(folder.path()), "");
  ASSERT_TRUE(log.step({{1, 2.5, 1e-3, 20, {}, {}}, 0, 1.0}));
  ASSERT_TRUE(log.step({distilled, 0, 1.0}));
  ASSERT_TRUE(log.heads(measured));
  ASSERT_TRUE(log.epoch({1, 2, 1.9, 1.5, 0.25, 0.75, true}, 1e-4, 3.0));
  ASSERT_TRUE(log.edit({1, editOf(scheme, 0, 1, "hard:3")}));
  const RunHistory history = readRunHistory(opened(folder.path()), {2, 2});
  ASSERT_EQ(history.steps.size(), 2u);
  EXPECT_EQ(history.steps[0].loss, 2.5);
  EXPECT_FALSE(history.steps[0].distillationLoss);
  EXPECT_FALSE(history.steps[0].auxiliaryLoss);
  EXPECT_EQ(history.steps[1].distillationLoss, 0.5);
  EXPECT_EQ(history.steps[1].auxiliaryLoss, 0.125);
  EXPECT_EQ(history.steps[1].learningRate, 1e-4);
  ASSERT_EQ(history.epochPoints.size(), 1u);
  EXPECT_EQ(history.epochPoints[0].validationLoss, 1.5);
  EXPECT_EQ(history.epochPoints[0].top5, 0.75);
  EXPECT_TRUE(history.epochPoints[0].best);
  ASSERT_EQ(history.heads.size(), 1u);
  EXPECT_EQ(history.heads[0].locality, measured.locality);
  EXPECT_EQ(history.heads[0].alpha[0][0], 0.5f);
  EXPECT_TRUE(std::isnan(history.heads[0].alpha[1][1]));
  EXPECT_EQ(history.heads[0].readings, measured.readings);
  ASSERT_EQ(history.edits.size(), 1u);
  EXPECT_EQ(history.edits[0].step, 1);
  EXPECT_EQ(toText(history.edits[0].edit.changes[0].after), "hard:3");
}

TEST(RunHistory, PassesOverWhatIsDamagedOrOfAnotherModel) {
  const TemporaryFolder folder;
  EXPECT_TRUE(readRunHistory(opened(folder.path()), {2, 2}).empty());
  std::ofstream(folder / "metrics.jsonl")
      << "{\"type\": \"step\", \"step\": 4, \"loss\": \"low\"}\n"
      << "not JSON\n[1]\n{\"type\": \"step\"}\n{\"type\": 7, \"step\": 5}\n"
      << "{\"type\": \"step\", \"step\": -1, \"loss\": 1}\n"
      << "{\"type\": \"step\", \"step\": 3, \"loss\": 1}\n"  // back in time
      << "{\"type\": \"heads\", \"step\": 4, \"als\": [[1, 2, 3], [1, 2]], \"alpha\": [[], []]}\n"
      << "{\"type\": \"heads\", \"step\": 4, \"als\": [[1, 2]], \"alpha\": [[1, 2]]}\n"
      << "{\"type\": \"heads\", \"step\": 4, \"als\": 3, \"alpha\": {}}\n"
      << "{\"type\": \"step\", \"step\": 6, \"loss\": 0.5}";
  std::ofstream(folder / "masks.jsonl") << "{\"step\": 2}\n{\"step\": 2, \"changes\": [{}]}\n";
  const RunHistory history = readRunHistory(opened(folder.path()), {2, 2});
  ASSERT_EQ(history.steps.size(), 2u);
  EXPECT_TRUE(std::isnan(history.steps[0].loss));
  EXPECT_EQ(history.steps[1].step, 6);
  EXPECT_TRUE(history.heads.empty());
  EXPECT_TRUE(history.epochPoints.empty());
  EXPECT_TRUE(history.edits.empty());
}

TEST(RunHistory, OfALongRunItIsEvenlyThinned) {
  const TemporaryFolder folder;
  {
    std::ofstream file(folder / "metrics.jsonl");
    for (int step = 1; step <= 40000; ++step)
      file << "{\"type\": \"step\", \"step\": " << step << ", \"loss\": 1}\n";
  }
  const auto steps = readRunHistory(opened(folder.path()), {}).steps;
  EXPECT_LE(steps.size(), 16384u);
  EXPECT_GT(steps.size(), 8000u);
  for (std::size_t i = 1; i < steps.size(); ++i)
    ASSERT_EQ(steps[i].step - steps[i - 1].step, steps[1].step - steps[0].step) << i;
  EXPECT_EQ(steps.front().step, 1);
  EXPECT_GT(steps.back().step, 40000 - (steps[1].step - steps[0].step));
}

TEST(MetricsLog, CutsWhatCameAfterACheckpoint) {
  TemporaryFolder folder;
  MetricsLog log(opened(folder.path()), "");
  const MaskScheme scheme = plainScheme();
  for (std::int64_t step = 1; step <= 6; ++step) {
    ASSERT_TRUE(log.step({{step, 1.5, 0.1, 10}, (step - 1) / 2, 0.5}));
    if (step % 2 == 0) {
      EpochPoint point;
      point.epoch = step / 2;
      point.step = step;
      ASSERT_TRUE(log.epoch(point, 0.1, 1.0));
    }
    ASSERT_TRUE(log.edit({step, editOf(scheme, 0, 0, "hard:3")}));
  }
  // A checkpoint of step 4 that was written before the validation of the second epoch.
  ASSERT_TRUE(MetricsLog(opened(folder.path()), "").cutTo(4, 1, 3));
  EXPECT_EQ(linesOf(folder / "metrics.csv").size(), 2u);  // the head and epoch 1
  const auto lines = linesOf(folder / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 5u);  // four steps and epoch 1
  EXPECT_NE(lines.back().find("\"step\":4"), std::string::npos);
  EXPECT_EQ(linesOf(folder / "masks.jsonl").size(), 3u);
}

TEST(RunFolder, RefusesASecondRunAndASecondWriter) {
  TemporaryFolder folder;
  const auto codeOf = [&](auto&& body) {
    try {
      body();
    } catch (const Failure& failure) {
      return failure.error().code;
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(codeOf([&] { RunFolder::open(folder / "run"); }), ErrorCode::NotFound);
  {
    const RunFolder run = RunFolder::create(folder / "run");
    EXPECT_EQ(codeOf([&] { RunFolder::create(folder / "run"); }), ErrorCode::Busy);
    ASSERT_TRUE(run.writeConfig(experimentToJson(tinyExperiment()), "1"));
    EXPECT_EQ(codeOf([&] { RunFolder::open(folder / "run"); }), ErrorCode::Busy);
  }
  EXPECT_EQ(codeOf([&] { RunFolder::create(folder / "run"); }), ErrorCode::InvalidArgument);
  std::ofstream(folder / "run/last.safetensors.part123") << "left by a kill";
  RunFolder::open(folder / "run");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/last.safetensors.part123"));
}

TEST(ModelFile, MetadataComesBack) {
  Experiment run = tinyExperiment();
  MaskScheme scheme = valueOrThrow(resolveMasks(run.masks, MaskShape({2, 2})));
  run.edits = {{3, editOf(scheme, 0, 1, "soft:5@0.125")}};
  valueOrThrow(applyMaskEdit(scheme, run.edits[0].edit));
  const std::vector<std::string> names{"a", "ß", "c d"};
  const auto metadata = modelMetadata(run, scheme, names);
  const auto read = valueOrThrow(readModelMetadata(metadata, "file"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->classNames, names);
  EXPECT_TRUE(read->experiment.edits.empty());
  EXPECT_TRUE(valueOrThrow(resolveMasks(read->experiment.masks, MaskShape({2, 2}))) == scheme);
  EXPECT_EQ(experimentToText(valueOrThrow(runExperiment(metadata, "file"))), experimentToText(run));
}

TEST(ModelFile, SaysHowFarTheRunWas) {
  const auto saved = [](double progress) {
    return modelMetadata(tinyExperiment(), MaskScheme(2, 2), {}, progress);
  };
  EXPECT_EQ(readProgress(saved(0.25), "file"), 0.25);
  EXPECT_EQ(readProgress(saved(0), "file"), 0);
  EXPECT_EQ(readProgress(saved(1), "file"), 1);
  EXPECT_EQ(readProgress({}, "file"), 1);
  for (const char* wrong : {"", "x", "-0.5", "1.5", "null", "[0.5]"})
    EXPECT_THROW(readProgress({{"progress", wrong}}, "file"), Failure) << wrong;
}

TEST(ModelFile, RefusesMetadataThatIsWrong) {
  auto metadata = modelMetadata(tinyExperiment(), MaskScheme(2, 2), {"a"});
  EXPECT_FALSE(valueOrThrow(readModelMetadata({}, "file")));
  for (const char* key : {"experiment", "masks", "class_names"})
    for (const char* wrong : {"", "{", "7", "[{}]", "{\"scheme\": 7}"}) {
      auto broken = metadata;
      broken[key] = wrong;
      EXPECT_FALSE(readModelMetadata(broken, "file").ok()) << key << ": " << wrong;
    }
  auto other = metadata;
  other["masks"] = R"({"scheme": "x", "cells": [["none"], ["none"], ["none"]]})";
  EXPECT_FALSE(readModelMetadata(other, "file").ok()) << "a layer too many";
}

TEST(ModelFile, WeightsLeaveOutTheTrainingState) {
  const NamedTensors all{{"head.weight", at::ones({1})},
                         {"optimizer.first.head.weight", at::ones({1})},
                         {"ema.head.weight", at::ones({1})}};
  const NamedTensors weights = weightsOf(all);
  ASSERT_EQ(weights.size(), 1u);
  EXPECT_EQ(weights[0].first, "head.weight");
}

TEST(Device, IsWhatTheConfigSaysOrAnError) {
  EXPECT_TRUE(deviceFromConfig("cpu").is_cpu());
  EXPECT_EQ(deviceFromConfig("auto").is_cuda(), cudaIsAvailable());
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:123", "CUDA", "cpu:0"})
    EXPECT_THROW(deviceFromConfig(wrong), Failure) << wrong;
  if (!cudaIsAvailable()) {
    EXPECT_THROW(deviceFromConfig("cuda"), Failure);
  }
}

}  // namespace
}  // namespace headlight
