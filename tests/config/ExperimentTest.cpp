// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/config/Experiment.h"

namespace headlight {
namespace {

std::optional<ModelConfig> known(const std::string& name) {
  if (name != "small-one") return std::nullopt;
  ModelConfig model;
  model.name = name;
  model.imageSize = 32;
  model.patchSize = 4;
  model.width = 48;
  model.depth = 3;
  return model;
}

Result<Experiment> read(const std::string& text) {
  return experimentFromText(text, "x.json", ModelCatalog{known, {}, {}});
}

void expectRefused(const std::string& text, const std::string& where) {
  const auto experiment = read(text);
  ASSERT_FALSE(experiment.ok()) << text;
  EXPECT_EQ(experiment.error().code, ErrorCode::InvalidConfig);
  EXPECT_NE(experiment.error().text().find(where), std::string::npos) << experiment.error().text();
}

TEST(ExperimentTest, DefaultsRoundTrip) {
  const auto experiment = read("{}");
  ASSERT_TRUE(experiment.ok()) << experiment.error().text();
  const std::string text = experimentToText(*experiment);
  const auto again = read(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(experimentToText(*again), text);
}

TEST(ExperimentTest, EveryParameterRoundTrips) {
  for (const auto& section : experimentSections())
    for (const auto& parameter : *section.table) {
      // Skip those whose values other parameters constrain.
      if (parameter.name == "scheme" || parameter.name == "window") continue;
      Json value = parameter.defaultValue;
      if (parameter.type == ParameterType::Bool) value = !value.get<bool>();
      if (parameter.type == ParameterType::Text) value = parameter.check ? "rand-m9" : "other";
      if (parameter.name == "freeze") value = "all but the head";
      if (parameter.name == "adapter_layers") value = "mlp";
      if (parameter.type == ParameterType::Choice) value = parameter.choices.back();
      if (parameter.name == "distilled") value = true;
      if (parameter.name == "crop_mode") value = "squash";  // pad is for segmenters
      if (parameter.name == "class_token") continue;
      Json json = Json::object();
      if (section.key.empty())
        json[parameter.name] = value;
      else
        json[section.key][parameter.name] = value;
      const auto experiment = experimentFromJson(json, ModelCatalog{known, {}, {}});
      ASSERT_TRUE(experiment.ok()) << parameter.name << ": " << experiment.error().text();
      const Json written = experimentToJson(*experiment);
      EXPECT_EQ(
          section.key.empty() ? written[parameter.name] : written[section.key][parameter.name],
          value);
    }
}

/// Schema 1 had no such choice: weight decay acted on learned masks and scales.
TEST(ExperimentTest, OfSchema1MasksDecayUnlessItSaysOtherwise) {
  const auto decays = [](const std::string& text) {
    const auto experiment = read(text);
    EXPECT_TRUE(experiment.ok()) << text;
    return experiment.ok() && experiment->training.decayMasks;
  };
  EXPECT_TRUE(decays(R"({"schema": 1})"));
  EXPECT_TRUE(decays(R"({"schema": 1, "training": {"epochs": 3}})"));
  EXPECT_FALSE(decays(R"({"schema": 1, "training": {"decay_masks": false}})"));
  EXPECT_FALSE(decays(R"({"schema": 2})"));
  EXPECT_FALSE(decays("{}"));
  const std::string written = experimentToText(*read(R"({"schema": 1})"));
  EXPECT_EQ(Json::parse(written)["schema"], Experiment::kSchema);
  EXPECT_TRUE(decays(written));
  expectRefused(R"({"schema": 1, "training": 3})", "training");
  expectRefused(R"({"schema": 1, "training": {"decay_masks": 1}})", "training.decay_masks");
}

TEST(ExperimentTest, AKnownModelNameGivesItsDefaults) {
  const auto experiment = read(R"({"model": {"name": "small-one", "depth": 5}})");
  ASSERT_TRUE(experiment.ok());
  EXPECT_EQ(experiment->model.width, 48);
  EXPECT_EQ(experiment->model.depth, 5);
}

TEST(ExperimentTest, ErrorsNameTheirPath) {
  expectRefused("{\"model\": {\"widht\": 3}}", "model.widht");
  expectRefused("{\"model\": {\"widht\": 3}}", "did you mean \"width\"");
  expectRefused("{\"nonsense\": 3}", "nonsense");
  expectRefused("{\"training\": {\"epochs\": \"three\"}}", "training.epochs");
  expectRefused("{\"training\": {\"epochs\": 0}}", "training.epochs");
  expectRefused("{\"training\": {\"epochs\": 1.5}}", "training.epochs");
  expectRefused("{\"training\": 3}", "training");
  expectRefused("{\"model\": {\"heads\": 5}}", "model.heads");
  expectRefused("{\"model\": {\"image_size\": 225}}", "model.image_size");
  expectRefused("{\"model\": {\"mean\": [1, 2]}}", "model.mean");
  expectRefused("{\"model\": {\"width\": 16384, \"heads\": 1, \"depth\": 256}}", "model.width");
  expectRefused("{\"masks\": {\"scheme\": \"sch9\"}}", "masks.scheme");
  expectRefused("{\"masks\": {\"window\": 4}}", "masks.window");
  expectRefused("{\"masks\": {\"cells\": [[\"hard:2\"]]}}", "masks.cells[0][0]");
  expectRefused("{\"masks\": {\"cells\": [[\"none\",\"none\",\"none\",\"hard:3\"]]}}",
                "masks.cells[0]");
  expectRefused(
      "{\"model\": {\"name\": \"small-one\"}, \"masks\": {\"cells\": [[],[],[],[\"hard:3\"]]}}",
      "layer 3");
  expectRefused("{\"edits\": [{\"step\": -1, \"changes\": []}]}", "edits[0].step");
  expectRefused(
      "{\"edits\": [{\"step\": 1, \"changes\": [{\"layer\": 99, \"head\": 0, \"to\": "
      "\"hard:3\"}]}]}",
      "edits[0]");
  expectRefused("{\"schema\": 99}", "schema");
  expectRefused("{\"seed\": -1}", "seed");
  expectRefused("[1, 2]", "object");
  expectRefused("{", "not valid JSON");
  expectRefused("", "not valid JSON");
  expectRefused(std::string(100000, '['), "64 levels");
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += (i == 0 ? "" : ",") + text;
  return result;
}

/// What no model and no run has is refused where it stands, before it costs time and memory.
TEST(ExperimentTest, RefusesMoreThanThereCanBe) {
  expectRefused(R"({"masks": {"cells": [)" + repeated("[\"none\"]", 65537) + "]}}",
                "masks.cells[65536]");
  expectRefused(R"({"masks": {"cells": [[],[)" + repeated("\"none\"", 65537) + "]]}}",
                "masks.cells[1]");
  expectRefused(R"({"masks": {"cells": [)" + repeated("[]", 65537) + "]}}", "masks.cells[65536]");
  expectRefused(R"({"edits": [)" + repeated("{}", 100001) + "]}", "edits: has more than 100000");
  expectRefused("[" + repeated("[]", 2000001) + "]", "more than 2 million values");
  std::string keys = R"({"data": {"0": 0)";
  for (int i = 1; i <= 10000; ++i)
    keys += ", \"" + std::to_string(i) + "\": 0";
  expectRefused(keys + "}}", "more than 10000 keys in addition to data.10000");
  // Within the limit, and in time that follows the length: no list is gone through once an item.
  expectRefused("[" + repeated("{}", 300000) + "]", "object");
}

TEST(ExperimentTest, EditsRoundTripInOrder) {
  const auto experiment = read(R"({"model": {"name": "small-one"}, "edits": [
    {"step": 9, "label": "later", "changes": [{"layer": 1, "head": 2, "from": "none", "to": "hard:5"}]},
    {"step": 4, "label": "sooner", "changes": [{"layer": 0, "head": 0, "to": "soft:3@0.25"}]}]})");
  ASSERT_TRUE(experiment.ok()) << experiment.error().text();
  ASSERT_EQ(experiment->edits.size(), 2u);
  EXPECT_EQ(experiment->edits[0].step, 4);
  EXPECT_EQ(experiment->edits[1].edit.changes[0].after.window, 5);
  const auto again = read(experimentToText(*experiment));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->edits[1].edit, experiment->edits[1].edit);
}

TEST(ExperimentTest, MasksAreDescribedByTheirPresetOrByTheirCells) {
  const MaskShape shape(std::vector<int>(6, 4));
  MaskScheme scheme = *makeMaskPreset("sch2", shape, 5);
  MaskConfig described = describeMasks(scheme);
  EXPECT_TRUE(described.cells.empty());
  EXPECT_EQ(described.window, 5);
  EXPECT_EQ(described.scheme, "sch2");
  EXPECT_EQ(resolveMasks(described, shape)->name(), "sch2*") << "what is written reads back";
  EXPECT_EQ(masksTitle(described), "sch2* (5×5)");
  scheme.set(3, 3, *headMaskFromText("strict:3"));
  described = describeMasks(scheme);
  EXPECT_EQ(described.cells.size(), 6u);
  EXPECT_EQ(*resolveMasks(described, shape), scheme);
}

TEST(ExperimentTest, OverridesAreCheckedAgainstTheTable) {
  Json json = Json::object();
  ASSERT_TRUE(overrideParameter(json, "training.epochs", "5").ok());
  ASSERT_TRUE(overrideParameter(json, "seed", "7").ok());
  ASSERT_TRUE(overrideParameter(json, "model.mean", "0.5,0.5,0.5").ok());
  ASSERT_TRUE(overrideParameter(json, "data.augment", "off").ok());
  EXPECT_EQ(json["training"]["epochs"], 5);
  EXPECT_EQ(json["data"]["augment"], false);
  EXPECT_FALSE(overrideParameter(json, "training.epochs", "many").ok());
  EXPECT_FALSE(overrideParameter(json, "training.nothing", "1").ok());
}

TEST(ExperimentTest, OptionsAreOverriddenByTheTableOfTheChosenVariant) {
  struct Windowed {
    int window = 7;
    bool shift = true;
  };
  struct Staged {
    std::vector<int> widths;
  };
  const ParameterTable windowed = TableBuilder<Windowed>()
                                      .integer(&Windowed::window, "window", 1, 64, "Side.")
                                      .boolean(&Windowed::shift, "shift", "Shifted.")
                                      .build();
  const ParameterTable staged =
      TableBuilder<Staged>().integers(&Staged::widths, "widths", 1, 64, "Widths.").build();
  ModelCatalog catalog;
  catalog.backbones = {{.name = "vit"}, {.name = "staged", .options = &staged}};
  catalog.mechanisms = {{.name = "softmax"}, {.name = "window", .options = &windowed}};
  Json json = Json::object();
  const auto set = [&](const std::string& path, const std::string& text) {
    const auto outcome = overrideParameter(json, path, text, catalog);
    return outcome ? "" : outcome.error().where;
  };
  EXPECT_EQ(set("model.attention.window", "3"), "model.attention.window");  // softmax has none
  EXPECT_EQ(set("model.mechanism", "window"), "");
  EXPECT_EQ(set("model.attention.window", "3"), "");
  EXPECT_EQ(set("model.attention.shift", "off"), "");
  EXPECT_EQ(set("model.attention.shift", "perhaps"), "model.attention.shift");
  EXPECT_EQ(set("model.attention.widths", "3"), "model.attention.widths");
  EXPECT_EQ(json["model"]["attention"], (Json{{"window", 3}, {"shift", false}}));
  EXPECT_EQ(set("model.backbone", "staged"), "");
  EXPECT_EQ(set("model.layout.widths", "16"), "");
  EXPECT_EQ(json["model"]["layout"]["widths"], Json::array({16}));
  EXPECT_EQ(set("model.mechanism", "window"), "");  // the same one: its options stay
  EXPECT_TRUE(json["model"].contains("attention"));
  EXPECT_EQ(set("model.mechanism", "softmax"), "");
  EXPECT_FALSE(json["model"].contains("attention"));
  EXPECT_TRUE(json["model"].contains("layout"));
  EXPECT_FALSE(overrideParameter(json, "model.attention.window", "3").ok());  // no catalog
  // As JSON: of its own type, or text as a flag has it.
  ASSERT_TRUE(setParameter(json, "model.mechanism", "window", catalog).ok());
  ASSERT_TRUE(setParameter(json, "model.attention.window", 5, catalog).ok());
  ASSERT_TRUE(setParameter(json, "model.attention.shift", "off", catalog).ok());
  EXPECT_EQ(json["model"]["attention"], (Json{{"window", 5}, {"shift", false}}));
  EXPECT_FALSE(setParameter(json, "model.attention.widths", 5, catalog).ok());
  ASSERT_TRUE(setParameter(json, "model.mechanism", "softmax", catalog).ok());
  EXPECT_FALSE(json["model"].contains("attention"));
}

TEST(ExperimentTest, ABackboneFixesSharedParametersAndLiftsRules) {
  ModelCatalog catalog;
  catalog.backbones = {
      {.name = "vit"},
      {.name = "tokenless",
       .rules = {.headsDivideWidth = false, .distilledNeedsClassToken = false},
       .fixed = {{"class_token", false, "no token"}, {"class_depth", 0, "no class blocks"}}}};
  catalog.mechanisms = {{.name = "softmax"}};
  const auto pathOf = [&](const Json& model) {
    const auto read = modelFromJson(model, catalog);
    return read ? std::string() : read.error().where;
  };
  EXPECT_EQ(pathOf({{"heads", 5}}), "model.heads");
  EXPECT_EQ(pathOf({{"class_token", false}, {"distilled", true}}), "model.distilled");
  EXPECT_EQ(pathOf({{"backbone", "tokenless"}}), "model.class_token");
  const auto tokenless = [&](const Json& more) {
    Json model{{"backbone", "tokenless"}, {"class_token", false}};
    model.update(more);
    return pathOf(model);
  };
  EXPECT_EQ(tokenless({{"heads", 5}, {"distilled", true}}), "");
  EXPECT_EQ(tokenless({{"class_depth", 2}}), "model.class_depth");
}

}  // namespace
}  // namespace headlight
