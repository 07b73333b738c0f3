// SPDX-License-Identifier: GPL-3.0-or-later

// The training loop of a sequence model: stops, checkpoints, and what it says of trouble.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/base/Log.h"
#include "core/training/sequence/SequenceEvaluation.h"
#include "core/training/sequence/SequenceTrainer.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

/// Twelve steps of four pieces of a text that is written to `text`.
SequenceExperiment patterns(const std::filesystem::path& text) {
  std::ofstream file(text, std::ios::binary);
  for (int i = 0; i < 40; ++i)
    file << "the dog.";
  SequenceExperiment experiment;
  experiment.seed = 7;
  experiment.data.kind = "text";
  experiment.data.path = text.string();
  experiment.model.width = 16;
  experiment.model.depth = 1;
  experiment.model.length = 24;
  experiment.model.rank = 4;
  experiment.model.window = 5;
  experiment.training.steps = 12;
  experiment.training.batchSize = 4;
  experiment.training.warmupSteps = 3;
  experiment.training.evaluateSteps = 5;
  experiment.training.evaluateSamples = 3;
  experiment.training.checkpointSteps = 4;
  return experiment;
}

SequenceTrainerParts partsOf(const SequenceExperiment& experiment) {
  SequenceTrainerParts parts;
  parts.experiment = experiment;
  parts.model = makeSequenceModel(experiment);
  parts.train = parts.validation = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  return parts;
}

/// A text whose reading asks for a stop at one of its draws.
class StoppingSource : public SequenceSource {
 public:
  StoppingSource(std::shared_ptr<const SequenceSource> text, std::int64_t at, std::stop_source stop)
      : m_text(std::move(text)), m_at(at), m_stop(std::move(stop)) {}

  std::int64_t size() const override { return m_text->size(); }
  Result<ByteSequence> at(std::int64_t index) const override { return m_text->at(index); }
  Result<ByteSequence> draw(std::uint64_t seed, std::int64_t draw) const override {
    EXPECT_LE(draw, m_at) << "nothing is read after the stop";
    if (draw == m_at) m_stop.request_stop();
    return m_text->draw(seed, draw);
  }

 private:
  std::shared_ptr<const SequenceSource> m_text;
  std::int64_t m_at;
  mutable std::stop_source m_stop;
};

TEST(SequenceTrainer, AStopIsHeardWhileDataIsRead) {
  const TemporaryFolder folder;
  const auto experiment = patterns(folder / "text");
  const auto text = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  for (const std::int64_t draw : {13, 15}) {  // of the fourth batch of four: within, and its last
    std::stop_source stop;
    SequenceTrainerParts parts = partsOf(experiment);
    parts.train = std::make_shared<StoppingSource>(text, draw, stop);
    SequenceTrainer trainer(std::move(parts), RunFolder::create(folder / std::to_string(draw)));
    const SequenceOutcome outcome = trainer.run({}, stop.get_token());
    EXPECT_FALSE(outcome.finished);
    EXPECT_EQ(outcome.steps, 3);
    EXPECT_TRUE(std::filesystem::exists(outcome.last));
  }
}

TEST(SequenceTrainer, TheCheckpointOfAStepHasItsValidation) {
  const TemporaryFolder folder;
  auto experiment = patterns(folder / "text");
  experiment.training.evaluateSteps = experiment.training.checkpointSteps = 4;
  std::vector<std::int64_t> validated;
  const auto onReading = [&](const SequenceReading& reading) {
    if (reading.step != 5 && reading.step != 9) return;
    const auto last = valueOrThrow(readSequenceFile(folder / "run/last.safetensors"));
    ASSERT_TRUE(last.position);
    EXPECT_EQ(last.position->step, reading.step - 1);
    EXPECT_EQ(last.position->bitsSteps, 0);
    validated.push_back(last.position->validatedStep);
  };
  SequenceTrainer trainer(partsOf(experiment), RunFolder::create(folder / "run"));
  EXPECT_TRUE(trainer.run(onReading, {}).finished);
  EXPECT_EQ(validated, (std::vector<std::int64_t>{4, 8}));
}

/// e ← δ e + (1 − δ) p after every step, from the weights that a run begins with.
TEST(SequenceTrainer, TheBestWeightsAreTheMovingAverage) {
  const TemporaryFolder folder;
  auto experiment = patterns(folder / "text");
  experiment.training.emaDecay = 0.75;
  experiment.training.steps = experiment.training.evaluateSteps = 6;
  SequenceTrainerParts parts = partsOf(experiment);
  const auto model = parts.model;
  std::map<std::string, at::Tensor> average;
  for (const auto& [name, tensor] : model->trainable())
    average[name] = tensor.detach().clone().to(at::kDouble);
  double validated = 0;
  std::int64_t followed = 0;
  const auto follow = [&](const SequenceReading& reading) {
    if (reading.validationBits) validated = *reading.validationBits;
    if (reading.validating || reading.validationBits) return;
    ++followed;
    for (const auto& [name, tensor] : model->trainable())
      average[name] = 0.75 * average[name] + 0.25 * tensor.detach().to(at::kDouble);
  };
  SequenceTrainer(std::move(parts), RunFolder::create(folder / "run")).run(follow, {});
  EXPECT_EQ(followed, 6);
  const auto best = valueOrThrow(readSequenceFile(folder / "run/best.safetensors"));
  ASSERT_EQ(best.weights.size(), average.size());
  for (const auto& [name, tensor] : best.weights)
    EXPECT_LT((tensor - average.at(name)).abs().max().item<double>(), 1e-6) << name;
  EXPECT_TRUE(best.average.empty());
  const auto last = valueOrThrow(readSequenceFile(folder / "run/last.safetensors"));
  for (const auto& [name, tensor] : model->trainable())
    EXPECT_TRUE(at::equal(
        tensor,
        std::map<std::string, at::Tensor>(last.weights.begin(), last.weights.end()).at(name)))
        << name;
  // What was measured is the average.
  const auto source = valueOrThrow(openSequences(experiment, SequenceSplit::Train));
  const auto averaged = modelOf(best, "best");
  const auto score =
      valueOrThrow(evaluateSequences(*averaged, *source, {.samples = 3, .batchSize = 4}));
  EXPECT_NEAR(score.bits, validated, 1e-9);
}

/// AFT §5.1: as Vaswani et al. 2017, Eq. 3.
TEST(SequenceTrainer, TheRateFallsWithTheInverseRootOfTheStep) {
  const TemporaryFolder folder;
  auto experiment = patterns(folder / "text");
  experiment.training.schedule = "inverse_sqrt";
  SequenceTrainer(partsOf(experiment), RunFolder::create(folder / "run")).run({}, {});
  std::ifstream log(folder / "run/metrics.jsonl");
  std::vector<std::int64_t> steps;
  for (std::string line; std::getline(log, line);) {
    const Json entry = Json::parse(line);
    if (!entry.contains("learning_rate") || entry["step"].get<std::int64_t>() <= 3) continue;
    steps.push_back(entry["step"].get<std::int64_t>());
    const auto before = static_cast<double>(steps.back() - 1);  // counted from 0
    EXPECT_NEAR(entry["learning_rate"].get<double>(), 3e-3 * std::sqrt(3 / before), 1e-12)
        << steps.back();
  }
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back(), 12);
}

TEST(SequenceTrainer, SaysHowFastAndHowLarge) {
  const TemporaryFolder folder;
  const auto experiment = patterns(folder / "text");
  std::vector<SequenceReading> readings;
  SequenceTrainer(partsOf(experiment), RunFolder::create(folder / "run"))
      .run([&](const SequenceReading& reading) { readings.push_back(reading); }, {});
  for (const SequenceReading& reading : readings) {
    EXPECT_GT(reading.stepsPerSecond, 0) << reading.step;
    EXPECT_LT(reading.stepsPerSecond, 1e6) << reading.step;
    // LibTorch alone takes more than a megabyte.
    EXPECT_GT(reading.peakBytes, 1 << 20) << reading.step;
  }
}

TEST(SequenceTrainer, DivergenceSaysWhetherThereIsACheckpoint) {
  const TemporaryFolder folder;
  auto experiment = patterns(folder / "text");
  const auto failedAfter = [&](std::int64_t checkpointSteps, const std::string& name) {
    experiment.training.checkpointSteps = checkpointSteps;
    SequenceTrainerParts parts = partsOf(experiment);
    const auto spoil = [model = parts.model](const SequenceReading& reading) {
      const at::NoGradGuard noGrad;
      if (reading.step == 3) at::Tensor(model->trainable().front().second).fill_(NAN);
    };
    SequenceTrainer trainer(std::move(parts), RunFolder::create(folder / name));
    try {
      trainer.run(spoil, {});
    } catch (const Failure& failure) {
      return failure.error().message;
    }
    return std::string("trained");
  };
  EXPECT_NE(failedAfter(1000, "unsaved").find("nothing is saved yet"), std::string::npos);
  EXPECT_NE(failedAfter(2, "saved").find("the last checkpoint is from before it"),
            std::string::npos);
}

TEST(SequenceTrainer, ValidationSaysWhatItSkipped) {
  const TemporaryFolder folder;
  const auto experiment = patterns(folder / "text");
  /// A source of which the first cannot be read.
  class Damaged : public SequenceSource {
   public:
    explicit Damaged(std::shared_ptr<const SequenceSource> text) : m_text(std::move(text)) {}
    std::int64_t size() const override { return m_text->size(); }
    Result<ByteSequence> at(std::int64_t index) const override {
      if (index == 0) return Error{ErrorCode::InvalidFile, "is damaged", "0.png"};
      return m_text->at(index);
    }
    Result<ByteSequence> draw(std::uint64_t seed, std::int64_t draw) const override {
      return m_text->draw(seed, draw);
    }

   private:
    std::shared_ptr<const SequenceSource> m_text;
  };
  SequenceTrainerParts parts = partsOf(experiment);
  parts.experiment.training.steps = 5;
  parts.validation = std::make_shared<Damaged>(parts.train);
  std::string warned;
  setLogSink([&](LogLevel, const std::string& message) { warned += message; });
  SequenceTrainer(std::move(parts), RunFolder::create(folder / "run")).run({}, {});
  setLogSink({});
  EXPECT_EQ(warned, "1 of 3 validation images cannot be read and were skipped");
}

}  // namespace
}  // namespace headlight
