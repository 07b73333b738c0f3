// SPDX-License-Identifier: GPL-3.0-or-later

// The maps that a run records: what they say, that they change nothing that is learned, and that a
// run that was interrupted, or whose file is bounded, ends with the same file.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/Rollout.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/training/MapRecorder.h"
#include "core/training/evolution/EvolutionFile.h"
#include "core/training/evolution/EvolutionLog.h"
#include "core/workbench/runs/RecordedEvolution.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr double kHalfCode = 0.5 / 255, kHalfSignedCode = 0.5 / 127;

std::string bytesOf(const fs::path& file) {
  return valueOrThrow(readFile(file, 64u << 20));
}
RecordedEvolution recordedIn(const fs::path& folder) {
  return valueOrThrow(RecordedEvolution::open(folder));
}
std::vector<std::int64_t> stepsOf(const RecordedEvolution& evolution) {
  std::vector<std::int64_t> steps;
  for (const EvolutionMoment& moment : evolution.moments())
    steps.push_back(moment.step);
  return steps;
}

/// The last weights of a run, under its masks.
struct LastLook {
  std::unique_ptr<InferenceSession> session;
  MaskScheme masks;
  InferenceResult at(const Image& image) { return valueOrThrow(session->infer(image, masks)); }
};
LastLook lastLookOf(const fs::path& run) {
  ModelSource source;
  source.weights = run / "last.safetensors";
  source.device = "cpu";
  source.threads = 1;
  LastLook last{valueOrThrow(InferenceSession::open(source)), {}};
  const Experiment& experiment = last.session->info().experiment;
  last.masks = valueOrThrow(resolveMasks(experiment.masks, experiment.model.maskShape()));
  return last;
}

/// Values in 8 bits, each row on its own greatest one.
void expectQuantized(const std::vector<float>& got, const std::vector<float>& expected,
                     const std::vector<float>& row, bool isSigned) {
  ASSERT_EQ(got.size(), expected.size());
  float greatest = 0;
  for (const float value : row)
    greatest = std::max(greatest, std::abs(value));
  const double error = greatest * (isSigned ? kHalfSignedCode : kHalfCode) + 1e-5;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], error);
}

void expectSameMaps(const AttentionMaps& got, const AttentionMaps& expected) {
  ASSERT_EQ(got.layers.size(), expected.layers.size());
  for (std::size_t l = 0; l < got.layers.size(); ++l) {
    const LayerMaps &a = got.layers[l], &b = expected.layers[l];
    ASSERT_EQ(a.heads, b.heads);
    ASSERT_EQ(a.grid, b.grid);
    const auto tokens = a.tokens();
    for (int h = 0; h < a.heads; ++h)
      for (int t = 0; t < tokens; ++t) {
        const MapNumbers ours = a.row(h, t), theirs = b.row(h, t);
        const std::vector<float> x(ours.begin(), ours.end()), y(theirs.begin(), theirs.end());
        if (!std::isnan(x.front())) expectQuantized(x, y, y, expected.isSigned);
      }
  }
}

TEST(Evolution, SaysWhatALookThroughTheLastWeightsSays) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.training.emaDecay = 0;  // a look takes the averages, where there are some
  runToEnd(*begin(experiment, folder / "run"));
  const RecordedEvolution evolution = recordedIn(folder / "run");
  EXPECT_EQ(stepsOf(evolution), (std::vector<std::int64_t>{0, 2, 4, 6, 8, 10}));
  EXPECT_TRUE(evolution.warnings().empty());
  const EvolutionInfo& info = evolution.info();
  ASSERT_EQ(info.images.size(), 3u);
  LastLook last = lastLookOf(folder / "run");
  EXPECT_EQ(info.mapMeaning, last.session->info().mapMeaning);
  EXPECT_EQ(info.grid, last.session->info().grid);
  const EvolutionFrame frame = valueOrThrow(evolution.frame(5));
  for (int image = 0; image < 3; ++image) {
    const auto number = static_cast<std::size_t>(image);
    EXPECT_EQ(info.images[number].label.name, info.classNames[info.images[number].label.index]);
    const InferenceResult inference = last.at(info.images[number].view);
    expectSameMaps(frame.maps(image), inference.maps);
    const auto rolled = valueOrThrow(rollout(inference.maps, {}));
    expectQuantized(frame.rollout(image), rolled, rolled, false);
    const auto& top = frame.moment().top[number];
    ASSERT_EQ(top.size(), inference.top.size());
    EXPECT_EQ(top.front().name, inference.top.front().name);
    EXPECT_NEAR(top.front().probability, inference.top.front().probability, 1e-5);
    const auto seen = valueOrThrow(frame.seen(image, 1, 1, 0));
    const auto expected = patchesSeenBy(inference.maps.layers[1], 1, 0);
    expectQuantized(seen, expected, {1}, false);
  }
}

/// The numbers are those of metrics.jsonl.
TEST(Evolution, HasTheNumbersOfTheLogs) {
  TemporaryFolder folder;
  runToEnd(*begin(tinyExperiment(), folder / "run"));
  const RecordedEvolution evolution = recordedIn(folder / "run");
  std::size_t at = 0;
  for (const std::string& text : linesOf(folder / "run/metrics.jsonl")) {
    const Json line = Json::parse(text);
    if (line["type"] != "heads") continue;
    const EvolutionMoment& moment = evolution.moments().at(at++);
    EXPECT_EQ(moment.step, line["step"]);
    EXPECT_EQ(moment.epoch, moment.step / 5 - (moment.step % 5 == 0 && moment.step > 0 ? 1 : 0));
    EXPECT_EQ(Json::parse(Json(moment.locality).dump()), line["als"]);
    EXPECT_EQ(Json::parse(Json(moment.alpha).dump()), line["alpha"]);  // NaN is null
  }
  EXPECT_EQ(at, evolution.moments().size());
}

TEST(Evolution, ChangesNothingThatIsLearned) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  runToEnd(*begin(experiment, folder / "recorded"));
  experiment.telemetry.evolutionMegabytes = 0;
  runToEnd(*begin(experiment, folder / "plain"));
  EXPECT_TRUE(fs::exists(folder / "recorded/evolution.bin"));
  EXPECT_FALSE(fs::exists(folder / "plain/evolution.bin"));
  expectSame(lastTensors(folder / "recorded"), lastTensors(folder / "plain"));
  experiment.telemetry.evolutionMegabytes = 64;
  experiment.telemetry.alsSteps = 0;
  runToEnd(*begin(experiment, folder / "blind"));
  EXPECT_FALSE(fs::exists(folder / "blind/evolution.bin"));
  expectSame(lastTensors(folder / "recorded"), lastTensors(folder / "blind"));
}

/// A copy of the folder, made between two steps, is what a kill would leave.
void expectSameFileAfterKills(const Experiment& experiment) {
  TemporaryFolder folder;
  const auto whole = begin(experiment, folder / "whole");
  const auto outcome = runWith(*whole, [&](std::int64_t step) {
    fs::copy(folder / "whole", folder / ("killed " + std::to_string(step)),
             fs::copy_options::recursive);
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  const std::string expected = bytesOf(folder / "whole/evolution.bin");
  for (const int step : {1, 4, 5, 7, 9, 10}) {
    SCOPED_TRACE(step);
    const fs::path killed = folder / ("killed " + std::to_string(step));
    // And half of a record, as a crash may leave it.
    std::ofstream(killed / "evolution.bin", std::ios::app | std::ios::binary)
        << expected.substr(40, 90);
    ASSERT_TRUE(runUntil(*resume(killed), 8));
    runToEnd(*resume(killed));
    EXPECT_TRUE(bytesOf(killed / "evolution.bin") == expected);
    expectSame(lastTensors(folder / "whole"), lastTensors(killed));
  }
}

TEST(Evolution, OfAnInterruptedRunIsTheFileOfAnUninterruptedOne) {
  expectSameFileAfterKills(tinyExperiment());
}

TEST(Evolution, OfAnInterruptedRunIsTheSameWhereItWasThinned) {
  Experiment experiment = tinyExperiment();
  experiment.telemetry.alsSteps = 1;
  experiment.telemetry.evolutionMegabytes = 0.035;
  expectSameFileAfterKills(experiment);
}

TEST(Evolution, StaysWithinItsBoundAndKeepsTheFirstAndTheLast) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.telemetry.alsSteps = 1;
  experiment.telemetry.evolutionMegabytes = 0.035;
  std::uintmax_t largest = 0;
  const auto session = begin(experiment, folder / "run");
  const auto outcome = runWith(*session, [&](std::int64_t) {
    largest = std::max(largest, fs::file_size(folder / "run/evolution.bin"));
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_LE(largest, 35000u);
  const RecordedEvolution evolution = recordedIn(folder / "run");
  const auto steps = stepsOf(evolution);
  ASSERT_GE(steps.size(), 3u);
  EXPECT_LT(steps.size(), 11u);
  EXPECT_EQ(steps.front(), 0);
  EXPECT_EQ(steps.back(), 10);
  const std::int64_t stride = evolution.info().stride;
  EXPECT_GT(stride, 1);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i)
    EXPECT_EQ(steps[i], stride * static_cast<std::int64_t>(i));
}

std::vector<std::int64_t> stepsOfHeads(const fs::path& run) {
  std::vector<std::int64_t> steps;
  std::ifstream log(run / "metrics.jsonl");
  for (std::string line; std::getline(log, line);)
    if (const Json json = Json::parse(line); json["type"] == "heads")
      steps.push_back(json["step"].get<std::int64_t>());
  return steps;
}

TEST(Evolution, NumbersOfHeadsEndWithTheLastStepToo) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.telemetry.alsSteps = 4;
  const std::vector<std::int64_t> expected{0, 4, 8, 10};
  runToEnd(*begin(experiment, folder / "run"));
  EXPECT_EQ(stepsOfHeads(folder / "run"), expected);
  runToEnd(*resume(folder / "run"));  // nothing is left to do
  EXPECT_EQ(stepsOfHeads(folder / "run"), expected);
  ASSERT_TRUE(runUntil(*begin(experiment, folder / "stopped"), 9));
  runToEnd(*resume(folder / "stopped"));
  EXPECT_EQ(stepsOfHeads(folder / "stopped"), expected);
}

TEST(Evolution, EndsWithTheLastStepBetweenMeasurements) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.telemetry.alsSteps = 4;
  runToEnd(*begin(experiment, folder / "run"));
  EXPECT_EQ(stepsOf(recordedIn(folder / "run")), (std::vector<std::int64_t>{0, 4, 8, 10}));
  const std::string before = bytesOf(folder / "run/evolution.bin");
  runToEnd(*resume(folder / "run"));  // nothing is left to do
  EXPECT_TRUE(bytesOf(folder / "run/evolution.bin") == before);
}

std::vector<std::string> warningsOf(TrainingSession& session) {
  std::vector<std::string> warnings;
  session.setWakeUp([&] {
    for (const std::string& warning : session.takeUpdate().warnings)
      warnings.push_back(warning);
  });
  runToEnd(session);
  for (const std::string& warning : session.takeUpdate().warnings)
    warnings.push_back(warning);
  session.setWakeUp({});
  return warnings;
}
std::size_t countWith(const std::vector<std::string>& texts, const std::string& part) {
  return static_cast<std::size_t>(
      std::count_if(texts.begin(), texts.end(),
                    [&](const std::string& text) { return text.find(part) != std::string::npos; }));
}

TEST(Evolution, TooSmallABoundIsSaidOnceAndTrainingGoesOn) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.telemetry.evolutionMegabytes = 0.001;
  const auto warnings = warningsOf(*begin(experiment, folder / "run"));
  EXPECT_EQ(countWith(warnings, "telemetry.evolution_mb is too small"), 1u);
  EXPECT_FALSE(fs::exists(folder / "run/evolution.bin"));
}

TEST(Evolution, ANotherRunsFileIsLeftAsItIs) {
  TemporaryFolder folder;
  runToEnd(*begin(tinyExperiment(), folder / "other"));
  Experiment experiment = tinyExperiment();
  experiment.seed = 8;
  ASSERT_TRUE(runUntil(*begin(experiment, folder / "run"), 4));
  fs::copy_file(folder / "other/evolution.bin", folder / "run/evolution.bin",
                fs::copy_options::overwrite_existing);
  const std::string other = bytesOf(folder / "run/evolution.bin");
  const auto refused = RecordedEvolution::open(folder / "run");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidFile);
  EXPECT_NE(refused.error().message.find("another run"), std::string::npos);
  const auto warnings = warningsOf(*resume(folder / "run"));
  EXPECT_EQ(countWith(warnings, "belongs to another run"), 1u);
  EXPECT_TRUE(bytesOf(folder / "run/evolution.bin") == other);
}

TEST(Evolution, ADeletedFileBeginsAnewFromThere) {
  TemporaryFolder folder;
  ASSERT_TRUE(runUntil(*begin(tinyExperiment(), folder / "run"), 5));
  fs::remove(folder / "run/evolution.bin");
  runToEnd(*resume(folder / "run"));
  EXPECT_EQ(stepsOf(recordedIn(folder / "run")), (std::vector<std::int64_t>{6, 8, 10}));
}

TEST(Evolution, LearnedMasksAreThoseOfTheLastWeights) {
  TemporaryFolder folder;
  Experiment experiment = tinyExperiment();
  experiment.training.emaDecay = 0;
  experiment.model.mechanism = "learned_mask";
  experiment.model.attention = Json::object();
  experiment.model = completed(experiment.model, modelCatalog());
  experiment.masks = {};
  runToEnd(*begin(experiment, folder / "run"));
  RecordedEvolution evolution = recordedIn(folder / "run");
  const auto learned = valueOrThrow(evolution.learned(evolution.moments().size() - 1));
  LastLook last = lastLookOf(folder / "run");
  const auto expected = valueOrThrow(last.session->learnedMaps());
  ASSERT_EQ(learned.size(), 1u);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(learned[0].title, expected[0].title);
  EXPECT_EQ(learned[0].maps.meaning, expected[0].maps.meaning);
  for (std::size_t l = 0; l < 2; ++l) {
    const auto &a = *learned[0].maps.layers[l].values, &b = *expected[0].maps.layers[l].values;
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 0.01);  // products of nine pairs, each to 11 bits
  }
  const auto first = valueOrThrow(evolution.learned(0));
  EXPECT_NE(*first[0].maps.layers[0].values, *learned[0].maps.layers[0].values);
  EXPECT_TRUE(valueOrThrow(evolution.frame(0)).moment().step == 0);
  const InferenceResult inference = last.at(evolution.info().images[0].view);
  EXPECT_TRUE(evolution.info().mapIsSigned);
  expectSameMaps(valueOrThrow(evolution.frame(evolution.moments().size() - 1)).maps(0),
                 inference.maps);
}

TEST(MapRecorder, KeepsNineRowsAndTheClassTokensOfALargeModel) {
  ModelConfig config = tinyExperiment().model;
  config.imageSize = 56;  // 14 × 14 patches
  config.heads = 2;
  const auto model = makeModel(completed(config, modelCatalog()), 1);
  EXPECT_EQ(recordedQueries(*model, 0),
            (std::vector<int>{0, 1 + 2 * 14 + 2, 1 + 2 * 14 + 7, 1 + 2 * 14 + 11, 1 + 7 * 14 + 2,
                              1 + 7 * 14 + 7, 1 + 7 * 14 + 11, 1 + 11 * 14 + 2, 1 + 11 * 14 + 7,
                              1 + 11 * 14 + 11}));
  config.classToken = false;
  const auto pooled = makeModel(completed(config, modelCatalog()), 1);
  const auto queries = recordedQueries(*pooled, 1);
  ASSERT_EQ(queries.size(), 10u);
  EXPECT_EQ(queries[0], kMeanOfPatches);
  EXPECT_EQ(queries[1], 2 * 14 + 2);
  // What it keeps of a map that is known.
  MapRecorder recorder(*pooled, 1);
  recorder.beginPass(2);
  at::manual_seed(3);
  const at::Tensor map = at::softmax(at::randn({2, 2, 196, 196}) * 3, -1);
  recorder.take(1, map);
  const EvolutionPoint point = recorder.point();
  EXPECT_TRUE(point.maps[0].scales.empty());
  EXPECT_EQ(recorder.layers()[0].heads, 0);
  ASSERT_EQ(point.maps[1].scales.size(), 20u);  // of one image
  for (std::size_t head = 0; head < 2; ++head)
    for (std::size_t row = 0; row < 10; ++row) {
      const at::Tensor expected = row == 0 ? map[0][static_cast<std::int64_t>(head)].mean(0)
                                           : map[0][static_cast<std::int64_t>(head)][queries[row]];
      const auto got = rowValues(point.maps[1], head * 10 + row, 196, false);
      const double greatest = expected.max().item<double>();
      const at::Tensor off = (at::tensor(at::ArrayRef<float>(got)) - expected).abs().max();
      EXPECT_LE(off.item<double>(), greatest * kHalfCode * 1.001);
    }
}

TEST(MapRecorder, WhatIsNoNumberReadsAsNone) {
  const auto model = makeModel(tinyExperiment().model, 1);
  MapRecorder recorder(*model, 1);
  recorder.beginPass(1);
  at::Tensor map = at::zeros({1, 2, 17, 17});
  map[0][1][3][5] = std::nan("");
  map[0][0][2][4] = 0.25;
  recorder.take(0, map);
  const EvolutionPoint point = recorder.point();
  EXPECT_TRUE(std::isnan(rowValues(point.maps[0], 17 + 3, 17, false)[0]));
  EXPECT_EQ(rowValues(point.maps[0], 0, 17, false), std::vector<float>(17, 0.0f));
  EXPECT_FLOAT_EQ(rowValues(point.maps[0], 2, 17, false)[4], 0.25f);
}

}  // namespace
}  // namespace headlight
