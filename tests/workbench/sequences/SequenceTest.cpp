// SPDX-License-Identifier: GPL-3.0-or-later

// Sequence models from end to end: training, resuming, measuring, completing, continuing, and files
// that are not what they should be.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/sequence/SequenceEvaluation.h"
#include "core/training/sequence/SequenceFile.h"
#include "core/workbench/sequences/SequenceImages.h"
#include "core/workbench/sequences/SequenceMaps.h"
#include "core/workbench/sequences/SequenceSession.h"
#include "core/workbench/sequences/SequenceTraining.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/TemporaryFolder.h"
#include "tests/workbench/SequenceSupport.h"

namespace headlight {
namespace {

SequenceExperiment tinyImages() {
  SequenceExperiment experiment = tinyText("");
  experiment.data = {};
  experiment.data.imageSize = 6;
  experiment.data.trainSamples = 20;
  experiment.data.validationSamples = 9;
  experiment.data.augment = true;
  experiment.training.steps = 6;
  return experiment;
}

/// Without the last three cells: seconds, steps a second, memory.
std::string withoutMeasurements(std::string row) {
  for (int i = 0; i < 3; ++i)
    row.resize(row.rfind(','));
  return row;
}

std::vector<std::string> rowsOf(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> rows;
  for (std::string row; std::getline(stream, row);)
    rows.push_back(withoutMeasurements(row));
  return rows;
}

TEST(SequenceTraining, WritesARunThatOpensByItself) {
  const TemporaryFolder folder;
  const auto experiment = tinyText(writePatterns(folder / "text", 40));
  SequenceReadings readings;
  const auto outcome = trainOrFail(experiment, folder / "run", false, -1, &readings);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.steps, 12);
  ASSERT_TRUE(outcome.bestBits);
  std::vector<std::int64_t> steps, validated;
  std::set<std::int64_t> validating;
  double lowest = INFINITY;
  for (const auto& reading : readings) {
    EXPECT_EQ(reading.steps, 12);
    EXPECT_GT(reading.trainBits, 0);
    if (reading.validating) {
      EXPECT_FALSE(reading.validationBits);
      EXPECT_GT(reading.validationFraction, 0);
      EXPECT_LE(reading.validationFraction, 1);
      EXPECT_EQ(steps.back(), reading.step);
      validating.insert(reading.step);
      continue;
    }
    (reading.validationBits ? validated : steps).push_back(reading.step);
    lowest = std::min(lowest, reading.validationBits.value_or(INFINITY));
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(validated, (std::vector<std::int64_t>{5, 10, 12}));
  EXPECT_EQ(validating, (std::set<std::int64_t>{5, 10, 12}));
  EXPECT_EQ(*outcome.bestBits, lowest);
  EXPECT_EQ(rowsOf(folder / "run/metrics.csv").size(), 4u);
  for (const char* file : {"config.json", "metrics.jsonl", "last.safetensors", "best.safetensors"})
    EXPECT_TRUE(fs::exists(folder / "run" / file)) << file;
  const auto recorded = valueOrThrow(loadSequenceExperiment(folder / "run"));
  EXPECT_EQ(sequenceToJson(recorded), sequenceToJson(experiment));
  for (const char* name : {"run", "run/best.safetensors", "run/last.safetensors"}) {
    const auto session = SequenceSession::open(folder / name);
    ASSERT_TRUE(session) << session.error().text();
    EXPECT_EQ(sequenceToJson((*session)->experiment()), sequenceToJson(experiment));
  }
  // It is held by nobody now, and holds a run.
  const auto again = trainSequence(experiment, folder / "run", false, {}, {});
  EXPECT_EQ(again.error().code, ErrorCode::InvalidArgument);
}

TEST(SequenceTraining, StoppedAnywhereItGoesOnToTheSameWeights) {
  const TemporaryFolder folder;
  for (const bool images : {false, true}) {
    const auto experiment = images ? tinyImages() : tinyText(writePatterns(folder / "text", 40));
    const std::string kind = images ? "images " : "text ";
    const fs::path whole = folder / (kind + "whole");
    trainOrFail(experiment, whole);
    for (const std::int64_t stop :
         images ? std::vector<std::int64_t>{1, 5} : std::vector<std::int64_t>{2, 5, 8, 12}) {
      const fs::path path = folder / (kind + std::to_string(stop));
      const auto stopped = trainOrFail(experiment, path, false, stop);
      EXPECT_FALSE(stopped.finished);
      EXPECT_EQ(stopped.steps, stop);
      const auto outcome = trainOrFail(experiment, path, true);
      EXPECT_TRUE(outcome.finished);
      expectSameTensors(whole / "last.safetensors", path / "last.safetensors");
      expectSameTensors(whole / "best.safetensors", path / "best.safetensors");
      EXPECT_EQ(rowsOf(whole / "metrics.csv"), rowsOf(path / "metrics.csv"));
    }
    const auto finished = trainOrFail(experiment, whole, true);
    EXPECT_TRUE(finished.finished);
    EXPECT_EQ(finished.steps, experiment.training.steps);
    ASSERT_TRUE(finished.bestBits);
  }
}

TEST(SequenceTraining, WithAMovingAverageItGoesOnToTheSameWeights) {
  const TemporaryFolder folder;
  auto experiment = tinyText(writePatterns(folder / "text", 40));
  for (const char* mechanism : {"aft_local", "softmax"}) {
    experiment.model.mechanism = mechanism;
    experiment.training.emaDecay = 0.8;
    const std::string kind = mechanism;
    const fs::path whole = folder / (kind + " whole");
    trainOrFail(experiment, whole);
    const auto tensors = tensorsOf(whole / "last.safetensors");
    EXPECT_TRUE(tensors.contains("ema.head.weight"));
    EXPECT_FALSE(at::equal(tensors.at("ema.head.weight"), tensors.at("head.weight")));
    EXPECT_FALSE(tensorsOf(whole / "best.safetensors").contains("ema.head.weight"));
    for (const std::int64_t stop : {2, 5, 8}) {
      const fs::path path = folder / (kind + std::to_string(stop));
      trainOrFail(experiment, path, false, stop);
      trainOrFail(experiment, path, true);
      expectSameTensors(whole / "last.safetensors", path / "last.safetensors");
      expectSameTensors(whole / "best.safetensors", path / "best.safetensors");
      EXPECT_EQ(rowsOf(whole / "metrics.csv"), rowsOf(path / "metrics.csv"));
    }
    // It changes what is measured and kept, not what is learnt.
    experiment.training.emaDecay = 0;
    const fs::path plain = folder / (kind + " plain");
    trainOrFail(experiment, plain);
    for (const auto& [name, tensor] : tensorsOf(plain / "last.safetensors"))
      EXPECT_TRUE(at::equal(tensor, tensors.at(name))) << name;
    EXPECT_NE(rowsOf(whole / "metrics.csv"), rowsOf(plain / "metrics.csv"));
  }
}

class StartingWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    m_experiment = tinyText(writePatterns(m_folder / "text", 40));
    trainOrFail(m_experiment, m_folder / "first");
  }
  Error refusal() const {
    const auto trained = trainSequence(m_experiment, m_folder / "refused", false, {}, {});
    EXPECT_FALSE(trained);
    EXPECT_FALSE(fs::exists(m_folder / "refused"));
    return trained ? Error{} : trained.error();
  }

  TemporaryFolder m_folder;
  SequenceExperiment m_experiment;
};

TEST_F(StartingWeights, AreWhatARunBeginsWith) {
  m_experiment.training.steps = 1;
  m_experiment.training.learningRate = m_experiment.training.minLearningRate = 0;
  for (const char* start : {"first", "first/best.safetensors", "first/last.safetensors"}) {
    const fs::path run = m_folder / ("from " + fs::path(start).stem().string());
    m_experiment.training.weights = (m_folder / start).string();
    trainOrFail(m_experiment, run);
    // At a learning rate of 0 they stay as they were, but for weight decay, which is 0 then too.
    const auto given =
                   tensorsOf(m_folder / (std::string(start) == "first" ? "first/best.safetensors"
                                                                       : std::string(start))),
               kept = tensorsOf(run / "best.safetensors");
    for (const auto& [name, tensor] : kept)
      EXPECT_TRUE(at::equal(tensor, given.at(name))) << start << " " << name;
    EXPECT_EQ(valueOrThrow(loadSequenceExperiment(run)).training.weights,
              fs::absolute(m_folder / start).lexically_normal().string());
  }
}

TEST_F(StartingWeights, ARunThatBeganWithThemGoesOnExactlyAndWithoutThem) {
  m_experiment.training.weights = (m_folder / "first").string();
  trainOrFail(m_experiment, m_folder / "whole");
  trainOrFail(m_experiment, m_folder / "stopped", false, 6);
  fs::rename(m_folder / "first", m_folder / "elsewhere");
  trainOrFail(m_experiment, m_folder / "stopped", true);
  expectSameTensors(m_folder / "whole/last.safetensors", m_folder / "stopped/last.safetensors");
  const auto first = tensorsOf(m_folder / "elsewhere/last.safetensors");
  EXPECT_FALSE(at::equal(first.at("head.weight"),
                         tensorsOf(m_folder / "whole/last.safetensors").at("head.weight")));
}

TEST_F(StartingWeights, ThatDoNotFitAreRefusedByTheirTensor) {
  const auto says = [&](const std::vector<std::string>& words) {
    const Error error = refusal();
    for (const std::string& word : words)
      EXPECT_NE(error.text().find(word), std::string::npos) << word << " not in " << error.text();
    return error.code;
  };
  m_experiment.training.weights = (m_folder / "first").string();
  const SequenceModelConfig own = m_experiment.model;
  m_experiment.model.depth = 3;
  EXPECT_EQ(says({"blocks.2.norm1.weight", "missing", "training.weights"}), ErrorCode::InvalidFile);
  m_experiment.model.depth = 1;
  EXPECT_EQ(says({"blocks.1.", "is not in the model"}), ErrorCode::InvalidFile);
  m_experiment.model = own;
  m_experiment.model.width = 20;
  EXPECT_EQ(says({"pos_embed", "[1, 24, 16]", "[1, 24, 20]"}), ErrorCode::InvalidFile);
  m_experiment.model = own;
  m_experiment.model.mechanism = "softmax";
  EXPECT_EQ(says({"blocks.0.attn.qkv.weight", "missing"}), ErrorCode::InvalidFile);
  m_experiment.model = own;
  m_experiment.training.weights = (m_folder / "nowhere").string();
  EXPECT_EQ(says({"nowhere"}), ErrorCode::NotFound);
  m_experiment.training.weights = (m_folder / "text").string();
  refusal();
}

TEST(SequenceMaps, AreThoseOfTheModel) {
  const TemporaryFolder folder;
  auto experiment = tinyText(writePatterns(folder / "text", 40));
  experiment.model.mechanism = "softmax";
  trainOrFail(experiment, folder / "run");
  const auto session = valueOrThrow(SequenceSession::open(folder / "run"));
  const auto model = modelOf(valueOrThrow(readSequenceFile(folder / "run/best.safetensors")), "");
  const std::string text = "the dog.the";
  const auto maps = valueOrThrow(session->infer(text, 1));
  EXPECT_EQ(maps.heads, 4);
  EXPECT_EQ(maps.length, 11);
  EXPECT_NE(maps.meaning.find("Softmax"), std::string::npos);
  const at::Tensor expected =
      model->map(byteTensor({ByteSequence(text.begin(), text.end())}), 1)[0].contiguous();
  for (std::int64_t i = 0; i < expected.numel(); ++i)
    ASSERT_EQ((*maps.values)[static_cast<std::size_t>(i)], expected.data_ptr<float>()[i]) << i;
  // Longer than the model sees: its last bytes.
  const std::string longer = "xyz" + std::string(24, 'a');
  EXPECT_EQ(*valueOrThrow(session->infer(longer, 0)).values,
            *valueOrThrow(session->infer(std::string(24, 'a'), 0)).values);
  EXPECT_EQ(session->infer(text, 2).error().where, "layer");
  EXPECT_EQ(session->infer(text, -1).error().where, "layer");
  EXPECT_EQ(session->infer("", 0).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(session->infer(Image(), 0).error().code, ErrorCode::InvalidArgument);

  // As an image: the brightest of each row is its greatest value, and nothing is above the
  // diagonal.
  const Image image = sequenceMapImage(maps, 2, ColorMap::Gray);
  ASSERT_EQ(image.width, 11);
  for (int row = 0; row < 11; ++row) {
    const float* values = maps.head(2) + row * 11;
    const auto most = std::max_element(values, values + 11) - values;
    EXPECT_EQ(image.row(row)[3 * most], colorOf(ColorMap::Gray, 1)[0]) << row;
    for (int column = row + 1; column < 11; ++column)
      EXPECT_EQ(image.row(row)[3 * column], colorOf(ColorMap::Gray, 0)[0]) << row;
  }
  EXPECT_GT(sequenceMapsFigure(maps, "title", ColorMap::Viridis, 64).width, 4 * 64);
  ASSERT_TRUE(writeSequenceMaps(folder / "maps.safetensors", {maps}));
  const auto written = tensorsOf(folder / "maps.safetensors");
  EXPECT_TRUE(at::equal(written.at("attention.1"), expected));
}

TEST(SequenceTraining, KilledItGoesOnFromTheLastCheckpoint) {
  const TemporaryFolder folder;
  const auto experiment = tinyText(writePatterns(folder / "text", 40));
  // A copy of the folder, made between two steps, is what a kill would leave.
  const auto outcome = trainSequence(experiment, folder / "whole", false,
                                     [&](const SequenceReading& reading) {
                                       if (reading.validationBits || reading.validating) return;
                                       fs::copy(folder / "whole",
                                                folder / ("killed " + std::to_string(reading.step)),
                                                fs::copy_options::recursive);
                                     },
                                     {});
  ASSERT_TRUE(outcome) << outcome.error().text();
  for (const int step : {1, 5, 6, 11}) {
    const fs::path path = folder / ("killed " + std::to_string(step));
    EXPECT_EQ(fs::exists(path / "last.safetensors"), step > 4);
    trainOrFail(experiment, path, true);
    expectSameTensors(folder / "whole/last.safetensors", path / "last.safetensors");
    EXPECT_EQ(rowsOf(folder / "whole/metrics.csv"), rowsOf(path / "metrics.csv"));
    std::ifstream lines(path / "metrics.jsonl");
    std::map<std::string, std::vector<std::int64_t>> steps;
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line);
      steps[json["type"]].push_back(json["step"].get<std::int64_t>());
    }
    EXPECT_EQ(steps["step"], (std::vector<std::int64_t>{1, 10}));
    EXPECT_EQ(steps["validation"], (std::vector<std::int64_t>{5, 10, 12}));
  }
}

TEST(SequenceTraining, ModelsOpenedMeanwhileChangeNoBit) {
  const TemporaryFolder folder;
  auto experiment = tinyText(writePatterns(folder / "text", 40));
  experiment.training.steps = 40;
  trainOrFail(experiment, folder / "alone");
  std::atomic<int> opened = 0;
  // Both draw the weights that a file then replaces.
  const auto opener = [&](std::stop_token stop) {
    const auto classifier = findPublishedModel("vit_micro")->config;
    while (!stop.stop_requested()) {
      EXPECT_TRUE(SequenceSession::open(folder / "alone", "cpu", 1));
      makeModel(classifier, 5);
      ++opened;
    }
  };
  {
    const std::jthread first(opener), second(opener);
    trainOrFail(experiment, folder / "beside");
    EXPECT_GT(opened, 0);
  }
  expectSameTensors(folder / "alone/last.safetensors", folder / "beside/last.safetensors");
  expectSameTensors(folder / "alone/best.safetensors", folder / "beside/best.safetensors");
}

TEST(SequenceTraining, ResumingAsksForTheSameSettings) {
  const TemporaryFolder folder;
  auto experiment = tinyText(writePatterns(folder / "text", 40));
  EXPECT_EQ(trainSequence(experiment, folder / "none", true, {}, {}).error().code,
            ErrorCode::NotFound);
  trainOrFail(experiment, folder / "run", false, 2);
  experiment.name = "another name";
  experiment.training.learningRate = 0.001;
  const auto refused = trainSequence(experiment, folder / "run", true, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("training.learning_rate"), std::string::npos);
  experiment.training.learningRate = tinyText("").training.learningRate;
  trainOrFail(experiment, folder / "run", true);
}

TEST(SequenceTraining, WhatCannotBeTrainedIsSaidBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const auto refused = [&](const SequenceExperiment& experiment) {
    const auto trained = trainSequence(experiment, folder / "run", false, {}, {});
    EXPECT_FALSE(trained);
    EXPECT_FALSE(fs::exists(folder / "run"));
    return trained ? Error{} : trained.error();
  };
  EXPECT_EQ(refused(tinyText(folder / "nowhere")).code, ErrorCode::NotFound);
  EXPECT_EQ(refused(tinyText(writePatterns(folder / "empty", 0))).code, ErrorCode::InvalidFile);
  auto large = tinyImages();
  large.data.imageSize = 64;
  large.model.mechanism = "aft_full";
  EXPECT_EQ(refused(large).where, "model.mechanism");
  large.data.dataset = "image-folder";
  large.data.path = (folder / "nowhere").string();
  EXPECT_EQ(refused(large).where, "model.mechanism") << "before data is read";
  auto device = tinyImages();
  device.device = "toaster";
  EXPECT_EQ(refused(device).where, "device");
}

TEST(SequenceTraining, LearnsAPatternFarBelowItsLetters) {
  const TemporaryFolder folder;
  auto experiment = tinyText(writePatterns(folder / "text", 100));
  experiment.model.width = 32;
  experiment.model.dropout = 0;
  experiment.training.steps = 250;
  experiment.training.batchSize = 16;
  experiment.training.learningRate = 5e-3;
  experiment.training.warmupSteps = 20;
  experiment.training.evaluateSteps = 250;
  experiment.training.evaluateSamples = 0;
  const auto outcome = trainOrFail(experiment, folder / "run");
  // Eight letters, each as often as any other, are 3 bits. Only where a piece of 24 begins has to
  // be guessed.
  ASSERT_TRUE(outcome.bestBits);
  EXPECT_LT(*outcome.bestBits, 1.0);

  const auto session = valueOrThrow(SequenceSession::open(folder / "run"));
  const auto score = valueOrThrow(session->evaluate(SequenceSplit::Validation, 0));
  EXPECT_NEAR(score.bits, *outcome.bestBits, 1e-5);
  EXPECT_EQ(score.bytes, 40);  // 5 % of 800
  EXPECT_EQ(score.sequences, 2);
  EXPECT_LT(valueOrThrow(session->evaluate(SequenceSplit::Test, 0)).bits, 1.5);

  // Longer than the model sees, so that it has to go on from half of it several times.
  std::string reported;
  const std::string text = valueOrThrow(session->continueText(
      "dog.the ", 64, 0, 1, [&](const std::string& bytes) { reported += bytes; }));
  EXPECT_EQ(reported, text);
  ASSERT_EQ(text.size(), 64u);
  int right = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    right += text[i] == kPattern[(i + 4) % 8];
  EXPECT_GE(right, 56) << text;
  const auto drawn = [&](std::uint64_t seed) {
    return valueOrThrow(session->continueText("", 40, 10.0, seed));
  };
  EXPECT_EQ(drawn(3), drawn(3));
  EXPECT_NE(drawn(3), drawn(4));
}

TEST(SequenceEvaluation, AModelThatKnowsNothingNeedsEightBits) {
  const TemporaryFolder folder;
  const auto experiment = tinyText(writePatterns(folder / "text", 40));
  const auto model = makeSequenceModel(experiment);
  for (const auto& [name, tensor] : model->trainable())
    if (name.starts_with("head.")) {
      const at::NoGradGuard noGrad;
      at::Tensor(tensor).zero_();
    }
  const auto source = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  const auto all = valueOrThrow(evaluateSequences(*model, *source, {}));
  EXPECT_NEAR(all.bits, 8, 1e-6);
  EXPECT_EQ(all.bytes, 288);
  EXPECT_EQ(all.sequences, 12);
  EXPECT_EQ(valueOrThrow(evaluateSequences(*model, *source, {.samples = 5})).sequences, 5);
  EXPECT_TRUE(model->is_training());
  // The mean of −log₂ p, by hand.
  const at::Tensor logits = at::randn({2, 3, 256}), bytes = at::randint(0, 256, {2, 3}, at::kLong);
  double bits = 0;
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 3; ++t) {
      double sum = 0;
      for (int v = 0; v < 256; ++v)
        sum += std::exp(logits[b][t][v].item<double>());
      bits += std::log2(sum) -
              logits[b][t][bytes[b][t].item<std::int64_t>()].item<double>() / std::log(2.0);
    }
  EXPECT_NEAR(sequenceBits(logits, bytes).item<double>(), bits / 6, 1e-5);
}

class TrainedImages : public ::testing::Test {
 protected:
  void SetUp() override {
    trainOrFail(tinyImages(), m_folder / "run");
    m_session = valueOrThrow(SequenceSession::open(m_folder / "run"));
    auto pixels = std::make_shared<std::vector<std::uint8_t>>();
    for (int i = 0; i < 12 * 9 * 3; ++i)
      pixels->push_back(static_cast<std::uint8_t>(i * 31 % 251));
    m_image = {12, 9, pixels};
  }

  TemporaryFolder m_folder;
  std::shared_ptr<SequenceSession> m_session;
  Image m_image;
};

TEST_F(TrainedImages, CompletionsKeepTheUpperRowsAndFollowTheSeed) {
  const Image view = valueOrThrow(m_session->view(m_image));
  ASSERT_EQ(view.width, 6);
  ASSERT_EQ(view.height, 6);
  const auto completed = valueOrThrow(m_session->complete(m_image, 0.5, 3, 1, 11));
  ASSERT_EQ(completed.size(), 3u);
  for (const Image& image : completed) {
    ASSERT_EQ(image.pixels->size(), 108u);
    EXPECT_TRUE(std::equal(view.pixels->begin(), view.pixels->begin() + 54, image.pixels->begin()));
    EXPECT_FALSE(
        std::equal(view.pixels->begin() + 54, view.pixels->end(), image.pixels->begin() + 54));
  }
  EXPECT_NE(*completed[0].pixels, *completed[1].pixels);
  const auto again = valueOrThrow(m_session->complete(m_image, 0.5, 3, 1, 11));
  const auto other = valueOrThrow(m_session->complete(m_image, 0.5, 1, 1, 12));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(*completed[i].pixels, *again[i].pixels);
  EXPECT_NE(*completed[0].pixels, *other[0].pixels);
  const auto likeliest = valueOrThrow(m_session->complete(m_image, 0, 2, 0, 1));
  EXPECT_EQ(*likeliest[0].pixels, *likeliest[1].pixels);
  bool ran = false;
  const auto whole =
      valueOrThrow(m_session->complete(m_image, 1, 2, 1, 1, [&](const Progress&) { ran = true; }));
  ASSERT_EQ(whole.size(), 2u);
  for (const Image& image : whole)
    EXPECT_EQ(*image.pixels, *view.pixels);
  EXPECT_FALSE(ran) << "there is nothing to draw";
}

TEST_F(TrainedImages, WhatMakesNoSenseIsRefused) {
  const auto codeOf = [](const auto& result) {
    return result ? ErrorCode::Internal : result.error().code;
  };
  const auto wrong = ErrorCode::InvalidArgument;
  EXPECT_EQ(codeOf(m_session->complete(m_image, 1.5, 1, 1, 1)), wrong);
  EXPECT_EQ(codeOf(m_session->complete(m_image, 0.5, 0, 1, 1)), wrong);
  EXPECT_EQ(codeOf(m_session->complete(m_image, 0.5, 1, -1, 1)), wrong);
  EXPECT_EQ(codeOf(m_session->complete(m_image, 0.5, 1, NAN, 1)), wrong);
  EXPECT_EQ(codeOf(m_session->complete({}, 0.5, 1, 1, 1)), wrong);
  EXPECT_EQ(codeOf(m_session->continueText("a", 5, 1, 1)), wrong);
  EXPECT_EQ(codeOf(m_session->evaluate(SequenceSplit::Test, 0)), wrong);
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_EQ(codeOf(m_session->complete(m_image, 0.5, 1, 1, 1, {}, stopped.get_token())),
            ErrorCode::Canceled);
  EXPECT_EQ(codeOf(m_session->evaluate(SequenceSplit::Validation, 0, {}, stopped.get_token())),
            ErrorCode::Canceled);
  SequenceDataConfig data = m_session->experiment().data;
  data.validationSamples = 4;
  EXPECT_TRUE(m_session->setData(data));
  EXPECT_EQ(valueOrThrow(m_session->evaluate(SequenceSplit::Validation, 0)).sequences, 4);
  data.imageSize = 8;
  EXPECT_EQ(m_session->setData(data).error().where, "data.image_size");
  data.kind = "text";
  EXPECT_EQ(m_session->setData(data).error().where, "data.kind");
}

TEST_F(TrainedImages, ProgressGoesToItsEnd) {
  Progress last;
  valueOrThrow(m_session->complete(m_image, 0.5, 2, 1, 1,
                                   [&](const Progress& progress) { last = progress; }));
  EXPECT_EQ(last.done, 108);
  EXPECT_EQ(last.total, 108);
}

TEST_F(TrainedImages, WeightsOfAnotherShapeAreRefused) {
  const auto file = valueOrThrow(readSafetensors(m_folder / "run/best.safetensors"));
  const auto opened = [&](const NamedTensors& tensors,
                          std::map<std::string, std::string> metadata) {
    valueOrThrow(writeSafetensors(m_folder / "changed.safetensors", tensors, metadata));
    const auto session = SequenceSession::open(m_folder / "changed.safetensors");
    return session ? Error{} : session.error();
  };
  EXPECT_EQ(opened(file.tensors, file.metadata).message, "");
  auto metadata = file.metadata;
  Json config = Json::parse(metadata.at("sequence_experiment"));
  config["model"]["width"] = 4096;
  config["model"]["depth"] = 128;  // hundreds of gigabytes, if it were made
  metadata["sequence_experiment"] = config.dump();
  EXPECT_EQ(opened(file.tensors, metadata).code, ErrorCode::InvalidFile);
  metadata["sequence_experiment"] = "{\"model\":";
  EXPECT_EQ(opened(file.tensors, metadata).code, ErrorCode::InvalidFile);
  config = Json::parse(file.metadata.at("sequence_experiment"));
  config["schema"] = SequenceExperiment::kSchema + 1;
  metadata["sequence_experiment"] = config.dump();
  const Error newer = opened(file.tensors, metadata);
  EXPECT_EQ(newer.code, ErrorCode::InvalidFile);
  EXPECT_NE(newer.message.find("update Headlight"), std::string::npos);
  EXPECT_EQ(newer.message.find("damaged"), std::string::npos);
  NamedTensors fewer = file.tensors;
  fewer.pop_back();
  EXPECT_EQ(opened(fewer, file.metadata).code, ErrorCode::InvalidFile);
  NamedTensors more = file.tensors;
  more.emplace_back("extra", at::zeros({2}));
  EXPECT_NE(opened(more, file.metadata).message.find("extra"), std::string::npos);
  EXPECT_EQ(opened(file.tensors, {}).code, ErrorCode::UnsupportedFile);
}

TEST_F(TrainedImages, ImageClassifiersAndSequenceModelsAreToldApart) {
  Experiment classifier;
  classifier.model = findPublishedModel("vit_micro")->config;
  const auto model = makeModel(classifier.model, 1);
  const fs::path weights = m_folder / "classifier.safetensors";
  valueOrThrow(
      writeSafetensors(weights, model->state(), modelMetadata(classifier, model->masks(), {})));
  const auto asSequence = SequenceSession::open(weights);
  ASSERT_FALSE(asSequence);
  EXPECT_EQ(asSequence.error().code, ErrorCode::UnsupportedFile);
  EXPECT_NE(asSequence.error().message.find("image classifier"), std::string::npos);

  const fs::path own = m_folder / "run/best.safetensors";
  ModelSource alone, beside;
  alone.model = own.string();
  beside.model = "vit_micro";
  beside.weights = own;
  for (const auto& source : {alone, beside}) {
    const auto asClassifier = InferenceSession::open(source);
    ASSERT_FALSE(asClassifier);
    EXPECT_EQ(asClassifier.error().code, ErrorCode::UnsupportedFile);
    EXPECT_NE(asClassifier.error().message.find("sequence model"), std::string::npos);
  }
  EXPECT_NE(
      readTrainingCheckpoint(valueOrThrow(OpenFolder::open(m_folder / "run")), "last.safetensors")
          .error()
          .message.find("sequence model"),
      std::string::npos);
  EXPECT_EQ(SequenceSession::open(m_folder / "nowhere").error().code, ErrorCode::NotFound);
  EXPECT_EQ(SequenceSession::open(m_folder.path()).error().code, ErrorCode::NotFound);
}

TEST(SequenceImages, ARowShowsOriginalMaskedAndCompleted) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < 4 * 4 * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>(i));
  const Image view{4, 4, pixels};
  EXPECT_EQ(keptRows(4, 0.5), 2);
  EXPECT_EQ(keptRows(32, 0.26), 8);
  const Image masked = grayBelow(view, 2);
  EXPECT_TRUE(std::equal(pixels->begin(), pixels->begin() + 24, masked.pixels->begin()));
  EXPECT_EQ(std::count(masked.pixels->begin() + 24, masked.pixels->end(), 128), 24);
  const Image row = completionRow(view, 2, {view, view}, 3);
  EXPECT_EQ(row.width, (4 * 4 + 3) * 3);
  EXPECT_EQ(row.height, 12);
  const auto at = [&](int y, int x) { return row.row(y)[x * 3 + 1]; };
  EXPECT_EQ(at(0, 0), 1);
  EXPECT_EQ(at(2, 2), 1);  // still the first pixel
  EXPECT_EQ(at(11, 11), 46);
  EXPECT_EQ(at(5, 12), 255);       // the gap
  EXPECT_EQ(at(11, 15), 128);      // gray below
  EXPECT_EQ(at(0, 15), 1);         // the same above
  EXPECT_EQ(at(11, 30 + 11), 46);  // a completion
  EXPECT_EQ(at(11, row.width - 1), 46);
}

}  // namespace
}  // namespace headlight
