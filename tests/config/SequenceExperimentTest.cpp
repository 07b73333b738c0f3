// SPDX-License-Identifier: GPL-3.0-or-later

// Configs of sequence models: every parameter survives, mistakes are named by their path.

#include <gtest/gtest.h>

#include <string>

#include "core/config/SequenceExperiment.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

std::string pathOfError(const std::string& text) {
  const auto read = sequenceFromJson(Json::parse(text));
  return read ? "accepted" : read.error().where;
}

TEST(SequenceConfig, EveryParameterIsWrittenAndReadBack) {
  Json json = sequenceToJson(SequenceExperiment());
  for (const auto& section : sequenceSections())
    for (const auto& parameter : *section.table) {
      Json& object = section.key.empty() ? json : json[section.key];
      ASSERT_TRUE(object.contains(parameter.name)) << parameter.name;
      EXPECT_EQ(object[parameter.name], parameter.defaultValue) << parameter.name;
      if (parameter.type == ParameterType::Bool)
        object[parameter.name] = !object[parameter.name].get<bool>();
      else if (parameter.type == ParameterType::Integer)
        object[parameter.name] = object[parameter.name].get<std::int64_t>() + 1;
      else if (parameter.type == ParameterType::Number)
        object[parameter.name] = object[parameter.name].get<double>() + 0.125;
      else if (parameter.type == ParameterType::Choice)
        object[parameter.name] = parameter.choices.back();
      else
        object[parameter.name] = "changed";
    }
  json["model"]["width"] = json["model"]["heads"].get<int>() * 26;
  const auto read = sequenceFromJson(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(sequenceToJson(*read), json);
  const auto again = sequenceFromText(sequenceToJson(*read).dump(), "text");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(sequenceToJson(*again), json);
}

TEST(SequenceConfig, TheLengthOfASequence) {
  SequenceExperiment experiment;
  experiment.data.imageSize = 32;
  experiment.model.length = 100;
  EXPECT_EQ(experiment.length(), 3072);
  EXPECT_STREQ(experiment.unit(), "bits/dim");
  experiment.data.kind = "text";
  EXPECT_EQ(experiment.length(), 100);
  EXPECT_STREQ(experiment.unit(), "bits/char");
}

TEST(SequenceConfig, MistakesAreNamedByTheirPath) {
  EXPECT_EQ(pathOfError("{}"), "accepted");
  EXPECT_EQ(pathOfError(R"({"schema": 1, "task": "sequence"})"), "accepted");
  EXPECT_EQ(pathOfError("[1]"), "$");
  EXPECT_EQ(pathOfError(R"({"schema": 2})"), "schema");
  EXPECT_EQ(pathOfError(R"({"schema": "new"})"), "schema");
  EXPECT_EQ(pathOfError(R"({"task": "classify"})"), "task");
  EXPECT_EQ(pathOfError(R"({"model": 3})"), "model");
  EXPECT_EQ(pathOfError(R"({"model": {"windw": 3}})"), "model.windw");
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "aft_convolution"}})"), "model.mechanism");
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "aft_conv"}})"), "accepted");
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "aft_conv", "heads": 3}})"), "model.heads");
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "aft_conv", "window": 0}})"), "model.window");
  EXPECT_EQ(pathOfError(R"({"model": {"window": 0}})"), "accepted") << "of aft_local";
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "softmax"}})"), "accepted");
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "softmax", "heads": 3}})"), "model.heads");
  EXPECT_EQ(pathOfError(R"({"model": {"mechanism": "softmax", "heads": 0}})"), "model.heads");
  EXPECT_EQ(pathOfError(R"({"model": {"heads": 3}})"), "accepted") << "of softmax alone";
  EXPECT_EQ(pathOfError(R"({"training": {"ema_decay": 1}})"), "training.ema_decay");
  EXPECT_EQ(pathOfError(R"({"training": {"weights": 3}})"), "training.weights");
  EXPECT_EQ(pathOfError(R"({"model": {"width": 2, "mlp_ratio": 0.1}})"), "model.mlp_ratio");
  EXPECT_EQ(pathOfError(R"({"data": {"image_size": 1000}})"), "data.image_size");
  EXPECT_EQ(pathOfError(R"({"training": {"steps": 0.5}})"), "training.steps");
  EXPECT_EQ(pathOfError(R"({"training": {"schedule": "step"}})"), "training.schedule");
  EXPECT_EQ(pathOfError(R"({"training": {"learning_rate": 1e-6}})"), "training.min_learning_rate");
  // Those of image classifiers.
  EXPECT_EQ(pathOfError(R"({"masks": {"scheme": "sch1"}})"), "masks");
  EXPECT_EQ(pathOfError(R"({"telemetry": {}})"), "telemetry");
  EXPECT_EQ(pathOfError(R"({"model": {"patch_size": 4}})"), "model.patch_size");
  const auto misspelt = sequenceFromText(R"({"training": {"step": 3}})", "mine.json");
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().where, "mine.json");
  EXPECT_NE(misspelt.error().message.find("training.step"), std::string::npos);
  EXPECT_NE(misspelt.error().message.find("\"steps\""), std::string::npos);
}

TEST(SequenceConfig, ModelsThatNoMemoryHoldsAreRefused) {
  const std::string wide = R"({"model": {"width": 4096, "depth": 128, "mlp_ratio": 32}})";
  EXPECT_EQ(pathOfError(wide), "model.width");
  const auto read = sequenceFromJson(Json::parse(wide));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("146068 million"), std::string::npos) << read.error().message;
  EXPECT_EQ(pathOfError(R"({"model": {"width": 4096, "depth": 16}})"), "accepted");
  // Position biases count: 65536² of each block.
  const std::string text = R"({"data": {"kind": "text"}, "model": {"length": 65536, )";
  EXPECT_EQ(pathOfError(text + R"("factorized": false}})"), "model.width");
  EXPECT_EQ(pathOfError(text + R"("factorized": true}})"), "accepted");
  EXPECT_EQ(pathOfError(text + R"("factorized": false, "mechanism": "aft_simple"}})"), "accepted");
}

TEST(SequenceConfig, AnImageClassifiersReaderSaysWhatItIs) {
  const auto read = experimentFromJson(sequenceToJson(SequenceExperiment()), {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, "task");
  EXPECT_NE(read.error().message.find("headlight-cli sequence train"), std::string::npos);
}

TEST(SequenceConfig, FlagsSetParameters) {
  Json json = Json::object();
  EXPECT_TRUE(overrideSequenceParameter(json, "training.steps", "12"));
  EXPECT_TRUE(overrideSequenceParameter(json, "model.query", "no"));
  EXPECT_TRUE(overrideSequenceParameter(json, "seed", "7"));
  EXPECT_TRUE(overrideSequenceParameter(json, "data.path", "x y.txt"));
  const auto read = sequenceFromJson(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->training.steps, 12);
  EXPECT_FALSE(read->model.query);
  EXPECT_EQ(read->seed, 7);
  EXPECT_EQ(read->data.path, "x y.txt");
  EXPECT_EQ(overrideSequenceParameter(json, "training.steps", "many").error().where,
            "training.steps");
  EXPECT_EQ(overrideSequenceParameter(json, "training.epochs", "3").error().where,
            "training.epochs");
  Json wrong = {{"model", 3}};
  EXPECT_EQ(overrideSequenceParameter(wrong, "model.width", "8").error().where, "model");
}

TEST(SequenceConfig, ThePresetsAreValid) {
  for (const char* name : {"sequence-cifar10.json", "sequence-text.json"}) {
    const auto read = readSequenceExperiment(std::filesystem::path(HEADLIGHT_SOURCE_DIR) /
                                             "models/presets" / name);
    EXPECT_TRUE(read) << read.error().text();
  }
}

TEST(SequenceConfig, SplitsByName) {
  EXPECT_EQ(*sequenceSplitFromText("test"), SequenceSplit::Test);
  EXPECT_EQ(*sequenceSplitFromText("validation"), SequenceSplit::Validation);
  EXPECT_FALSE(sequenceSplitFromText("Testing"));
}

}  // namespace
}  // namespace headlight
