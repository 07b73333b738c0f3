// SPDX-License-Identifier: GPL-3.0-or-later

// Sweeps: what their files may say, and that however they are interrupted the table is the same.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "core/models/sequence/SequenceModel.h"
#include "core/workbench/sweeps/Sweep.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

Json baseJson() {
  Experiment experiment = tinyExperiment();
  experiment.masks = {};
  experiment.telemetry.alsSteps = 0;
  return experimentToJson(experiment);
}

Json sweepJson() {
  return {{"name", "of the test"},
          {"base", baseJson()},
          {"variants",
           {{{"name", "plain"}},
            {{"name", "masked"}, {"overrides", {{"masks.scheme", "sch1"}}}},
            {{"name", "narrow"}, {"overrides", {{"model.width", 8}, {"training.epochs", 1}}}}}},
          {"seeds", {3, 4}}};
}

Result<SweepPlan> planOf(const Json& json) {
  return sweepFromText(json.dump(), "sweep.json", ".");
}

Error refusal(const Json& json) {
  const auto plan = planOf(json);
  EXPECT_FALSE(plan) << json.dump();
  return plan ? Error() : plan.error();
}

void expectRefused(const Json& json, const std::vector<std::string>& words) {
  const Error error = refusal(json);
  EXPECT_EQ(error.code, ErrorCode::InvalidConfig) << error.text();
  EXPECT_EQ(error.where, "sweep.json");
  for (const auto& word : words)
    EXPECT_NE(error.message.find(word), std::string::npos) << word << " is not in " << error.text();
}

TEST(SweepFile, VariantsChangeTheBaseAndNothingElse) {
  const auto plan = valueOrThrow(planOf(sweepJson()));
  EXPECT_EQ(plan.name, "of the test");
  ASSERT_EQ(plan.variants.size(), 3u);
  EXPECT_EQ(plan.variants[1].experiment.masks.scheme, "sch1");
  EXPECT_EQ(plan.variants[0].experiment.masks.scheme, "none");
  EXPECT_EQ(plan.variants[2].experiment.model.width, 8);
  EXPECT_EQ(plan.variants[2].experiment.training.epochs, 1);
  EXPECT_EQ(plan.variants[1].experiment.training.epochs, 2);
  const auto runs = sweepRuns(plan, "out");
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[1].folder, std::filesystem::path("out/masked/seed-3"));
  EXPECT_EQ(runs[3].folder, std::filesystem::path("out/plain/seed-4"));
  EXPECT_EQ(runs[3].experiment.seed, 4);
}

TEST(SweepFile, ChoosingAMechanismDropsTheOptionsOfAnother) {
  Json sweep = sweepJson();
  sweep["base"]["model"]["mechanism"] = "softmax";
  sweep["base"]["model"]["attention"] = {{"kernel", "dense"}};
  sweep.erase("variants");
  sweep["mechanisms"] = {"softmax", "aft_full"};
  const auto plan = valueOrThrow(planOf(sweep));
  ASSERT_EQ(plan.variants.size(), 2u);
  EXPECT_EQ(plan.variants[0].experiment.model.attention["kernel"], "dense");
  EXPECT_EQ(plan.variants[1].name, "aft_full");
  EXPECT_FALSE(plan.variants[1].experiment.model.attention.contains("kernel"));
  EXPECT_TRUE(plan.variants[1].experiment.model.attention.contains("rank"));

  sweep.erase("mechanisms");
  sweep["variants"] = {
      {{"name", "thin"},
       {"overrides", {{"model.attention.rank", 4}, {"model.mechanism", "aft_full"}}}}};
  EXPECT_EQ(valueOrThrow(planOf(sweep)).variants[0].experiment.model.attention["rank"], 4);
}

TEST(SweepFile, OverridesAreReadAsFlagsAre) {
  Json sweep = sweepJson();
  sweep["base"]["model"]["mechanism"] = "aft_full";
  sweep["base"]["model"]["attention"] = {{"rank", 4}};
  sweep["variants"] = {{{"name", "text"}, {"overrides", {{"model.attention.rank", "8"}}}},
                       {{"name", "same"}, {"overrides", {{"model.mechanism", "aft_full"}}}},
                       {{"name", "whole"}, {"overrides", {{"model.attention", {{"rank", 2}}}}}},
                       {{"name", "other"}, {"overrides", {{"model.mechanism", "softmax"}}}}};
  const auto plan = valueOrThrow(planOf(sweep));
  EXPECT_EQ(plan.variants[0].experiment.model.attention["rank"], 8);
  EXPECT_EQ(plan.variants[1].experiment.model.attention["rank"], 4);
  EXPECT_EQ(plan.variants[2].experiment.model.attention["rank"], 2);
  EXPECT_FALSE(plan.variants[3].experiment.model.attention.contains("rank"));
  sweep["variants"] = {{{"name", "other"}, {"overrides", {{"model.attention.kernel", "dense"}}}}};
  expectRefused(sweep, {"variants[0].overrides.model.attention.kernel", "aft_full"});
}

TEST(SweepFile, VariantsOfDifferentTasksAreRefused) {
  Json sweep = sweepJson();
  sweep["variants"][1]["overrides"] = {{"model", {{"name", "lcnet_vit_s_320"}}}};
  expectRefused(sweep, {"variants[1]", "\"masked\"", "detection", "\"plain\"", "classification"});
  sweep["variants"][1]["overrides"] = {{"model", Json::object()}, {"task", "segmentation"}};
  expectRefused(sweep, {"variants[1]", "\"masked\"", "segmentation", "\"plain\""});
}

TEST(SweepFile, OneTaskOfAllVariantsIsTheSweeps) {
  Json sweep = sweepJson();
  sweep["base"]["model"] = {{"name", "lcnet_vit_s_320"}};
  sweep["base"]["task"] = "detection";
  sweep["variants"] = {{{"name", "lcnet"}},
                       {{"name", "esnet"}, {"overrides", {{"model.backbone", "esnet_vit"}}}}};
  EXPECT_EQ(valueOrThrow(planOf(sweep)).task(), Task::Detect);
}

TEST(SweepFile, FlagsChangeTheBaseBeforeTheVariantsDo) {
  const auto plan =
      valueOrThrow(sweepFromText(sweepJson().dump(), "sweep.json", ".", [](Json& base) {
        valueOrThrow(overrideParameter(base, "training.epochs", "5"));
      }));
  EXPECT_EQ(plan.variants[0].experiment.training.epochs, 5);
  EXPECT_EQ(plan.variants[2].experiment.training.epochs, 1);
}

/// A base with 400 epochs, variants with 1000, 50 and as many as the base.
Json scaledSweepJson() {
  Json sweep = sweepJson();
  sweep["base"]["training"]["epochs"] = 400;
  sweep["scale_with_base"] = {"training.epochs"};
  sweep["variants"][1]["overrides"] = {{"training.epochs", 1000}};
  sweep["variants"][2]["overrides"] = {{"training.epochs", 50}};
  return sweep;
}

std::vector<std::int64_t> epochsOf(const SweepPlan& plan) {
  std::vector<std::int64_t> epochs;
  for (const SweepVariant& variant : plan.variants)
    epochs.push_back(variant.experiment.training.epochs);
  return epochs;
}

TEST(SweepFile, VariantsFollowAFlagInProportionWhereTheFileSaysSo) {
  const Json sweep = scaledSweepJson();
  using Epochs = std::vector<std::int64_t>;
  EXPECT_EQ(epochsOf(valueOrThrow(planOf(sweep))), (Epochs{400, 1000, 50}));
  const auto planFor = [&](const Json& json, const char* epochs) {
    return valueOrThrow(sweepFromText(json.dump(), "sweep.json", ".", [&](Json& base) {
      valueOrThrow(overrideParameter(base, "training.epochs", epochs));
    }));
  };
  const SweepPlan small = planFor(sweep, "4");
  EXPECT_EQ(epochsOf(small), (Epochs{4, 10, 1}));
  // What is written down is read without the flag, and scaled no further.
  EXPECT_EQ(epochsOf(valueOrThrow(sweepFromText(small.file, "sweep.json", "."))),
            (Epochs{4, 10, 1}));
  Json plain = sweep;
  plain.erase("scale_with_base");
  EXPECT_EQ(epochsOf(planFor(plain, "4")), (Epochs{4, 1000, 50}));
}

TEST(SweepFile, AWarmUpThatAFlagSwitchesOffIsOffInEveryVariant) {
  Json sweep = scaledSweepJson();
  sweep["base"]["training"]["warmup_epochs"] = 5;
  sweep["scale_with_base"].push_back("training.warmup_epochs");
  sweep["variants"][1]["overrides"]["training.warmup_epochs"] = 20;
  for (const auto& [text, expected] : {std::pair{"0", 0}, std::pair{"0.5", 2}}) {
    const auto plan = valueOrThrow(
        sweepFromText(sweep.dump(), "sweep.json", ".", [&, value = std::string(text)](Json& base) {
          valueOrThrow(overrideParameter(base, "training.warmup_epochs", value));
        }));
    EXPECT_EQ(plan.variants[1].experiment.training.warmupEpochs, expected) << text;
  }
}

TEST(SweepFile, OnlySizesAreScaled) {
  for (const Json& paths : {Json("training.epochs"), Json{3}, Json{"training.epoch"},
                            Json{"epochs"}, Json{"training.learning_rate"}}) {
    Json sweep = scaledSweepJson();
    sweep["scale_with_base"] = paths;
    expectRefused(sweep, {"scale_with_base"});
  }
}

TEST(SweepFile, ABaseByPathIsBesideTheSweepFile) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder / "bases");
  std::ofstream(folder / "bases/tiny.json") << baseJson().dump();
  Json sweep = sweepJson();
  sweep["base"] = "bases/tiny.json";
  std::ofstream(folder / "sweep.json") << sweep.dump();
  EXPECT_EQ(valueOrThrow(readSweep(folder / "sweep.json")).variants[0].experiment.model.width, 16);
  sweep["base"] = "bases/other.json";
  std::ofstream(folder / "sweep.json") << sweep.dump();
  const auto missing = readSweep(folder / "sweep.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  EXPECT_NE(missing.error().text().find("other.json"), std::string::npos);
}

TEST(SweepFile, NonsenseIsRefusedByItsPath) {
  Json sweep = sweepJson();
  sweep["variants"][1]["overrides"] = {{"training.epoch", 3}};
  expectRefused(sweep, {"variants[1].overrides.training.epoch", "\"training.epochs\""});
  sweep["variants"][1]["overrides"] = {{"training.epochs", "many"}};
  expectRefused(sweep, {"variants[1].overrides.training.epochs", "whole number"});
  sweep["variants"][1]["overrides"] = {{"training.epochs", 0}};
  expectRefused(sweep, {"variants[1]", "masked", "training.epochs"});
  sweep["variants"][1]["overrides"] = {{"seed", 3}};
  expectRefused(sweep, {"variants[1].overrides.seed", "seeds"});
  sweep["variants"][1]["overrides"] = {{"model.mechanism", "softmux"}};
  expectRefused(sweep, {"variants[1]", "model.mechanism", "softmax"});
  sweep["variants"][1]["overrides"] = {{"model.attention.windows", 3}};
  expectRefused(sweep, {"variants[1]", "model.attention.windows"});
  sweep["variants"][1]["overrides"] = {{"model", 5}};
  expectRefused(sweep, {"variants[1].overrides.model", "object"});
  sweep["variants"][1]["overrides"] = {{"masks.scheme", "sch9"}};
  expectRefused(sweep, {"variants[1]", "sch9"});

  sweep = sweepJson();
  sweep["variants"][2]["name"] = "plain";
  expectRefused(sweep, {"variants[2].name", "twice"});
  for (const char* name : {"", "../out", ".hidden", "a/b", "sweep.csv", "sweep.md", "sweep.png",
                           "speeds.json", "Sweep.CSV"}) {
    sweep["variants"][2]["name"] = name;
    expectRefused(sweep, {"variants[2].name"});
  }
  sweep["variants"] = Json::array();
  expectRefused(sweep, {"variants", "empty"});
  sweep.erase("variants");
  expectRefused(sweep, {"variants", "missing"});

  for (const Json& seeds : {Json::array(), Json{1, 1}, Json{-1}, Json{1.5}, Json("1")}) {
    sweep = sweepJson();
    sweep["seeds"] = seeds;
    expectRefused(sweep, {"seeds"});
  }
  sweep = sweepJson();
  sweep["base"]["training"]["epochs"] = -1;
  expectRefused(sweep, {"base", "training.epochs"});
  sweep["base"] = 7;
  expectRefused(sweep, {"base"});
  sweep = sweepJson();
  sweep["sedes"] = 1;
  expectRefused(sweep, {"sedes", "\"seeds\""});
  const auto text = sweepFromText("{", "sweep.json", ".");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().text().find("JSON"), std::string::npos);
}

TEST(SweepFile, ThePresetComparesModelsOfEqualBudget) {
  const auto plan =
      valueOrThrow(readSweep(HEADLIGHT_SOURCE_DIR "/models/presets/compare-cifar10.json"));
  ASSERT_EQ(plan.variants.size(), 8u);
  const ModelCost reference = modelCost(plan.variants[0].experiment.model);
  EXPECT_LT(reference.macs, 30'000'000);
  for (const SweepVariant& variant : plan.variants) {
    const ModelConfig& model = variant.experiment.model;
    const ModelCost cost = modelCost(model);
    const auto ratio = [](std::int64_t a, std::int64_t b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    EXPECT_NEAR(ratio(cost.macs, reference.macs), 1, 0.2) << variant.name;
    EXPECT_NEAR(ratio(cost.parameters, reference.parameters), 1, 0.2) << variant.name;
    const auto built = makeModel(model, 1);
    EXPECT_EQ(built->forward(at::zeros({2, 3, 32, 32})).size(1), 10) << variant.name;
  }
}

/// Variants of the tables that have fewer than four; all others have four or more.
const std::map<std::string, std::size_t> kShortTables{{"mait-table6", 2},
                                                      {"lsla-table1", 2},
                                                      {"aft-table8", 2},
                                                      {"aft-table9", 2},
                                                      {"aft-table10", 2}};

TEST(SweepFile, ThePapersTablesCanBeReadAndMadeSmall) {
  const std::filesystem::path folder = HEADLIGHT_SOURCE_DIR "/models/presets/sweeps";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const auto plan = valueOrThrow(readSweep(entry.path()));
    EXPECT_EQ(plan.name, entry.path().stem().string());
    EXPECT_FALSE(plan.about.empty());
    ++files;
    if (plan.ofSequences()) continue;  // those below
    if (const auto few = kShortTables.find(plan.name); few != kShortTables.end())
      EXPECT_EQ(plan.variants.size(), few->second);
    else
      EXPECT_GE(plan.variants.size(), 4u);
    const bool finetunes = plan.name == "aft-table8";
    for (const SweepVariant& variant : plan.variants)
      EXPECT_GE(variant.experiment.training.epochs, finetunes ? 100 : 300)
          << variant.name << ": the paper's own";
    const SweepPlan small = valueOrThrow(readSweep(entry.path(), [](Json& base) {
      base["training"]["epochs"] = 2;
      base["training"]["batch_size"] = 8;
      base["data"] = {{"dataset", "texture-shape"}};
    }));
    for (const SweepVariant& variant : small.variants) {
      EXPECT_LE(variant.experiment.training.epochs, 5) << variant.name;
      EXPECT_LE(variant.experiment.training.batchSize, 8) << variant.name;
    }
  }
  EXPECT_EQ(files, 33);
}

SweepPlan presetOf(const std::string& name, const ChangeBase& change = {}) {
  return valueOrThrow(
      readSweep(HEADLIGHT_SOURCE_DIR "/models/presets/sweeps/" + name + ".json", change));
}

TEST(SweepFile, TheTablesOfDetectorsHaveThePapersSizes) {
  for (const auto& [name, millions] :
       {std::pair{"castling-table5-detection", 2.14}, std::pair{"castling-table6-detection", 2.14},
        std::pair{"castling-table7", 7.53}}) {
    SCOPED_TRACE(name);
    for (SweepVariant variant : presetOf(name).variants) {
      variant.experiment.model.classes = 80;  // COCO's, which a run takes from its data
      const double parameters = modelCost(variant.experiment.model).parameters / 1e6;
      EXPECT_NEAR(parameters / millions, 1, 0.005) << variant.name;
      EXPECT_EQ(variant.experiment.training.batchSize, 640) << "the recipe's";
    }
  }
}

/// Parameters in M of each variant, in order, as the papers print them; 0: they print none.
const std::map<std::string, std::vector<double>> kPrintedSizes{
    {"mait-table5", {24.5, 29, 29, 43.3, 50, 50}},
    {"mait-table6", {6, 6.4}},
    {"mait-table7", {6.3, 12, 12, 11, 29, 29, 26.6, 24.5, 46.9, 46.9, 43.3, 50, 50}},
    {"ibit-table3", {6, 6, 6, 6}},
    {"castling-table2",
     {9.2, 10.5, 10.9, 12.7, 5.6, 5.64, 18.9, 22.0, 39.1, 45.8, 24.0, 24.1, 34.7, 34.7, 51.2,
      51.9}},
    {"lsla-table1", {27.6, 18.9}},
    {"lsla-table4", {16.4, 18.9, 18.9, 24.0}},
    {"aft-table7", {5.7, 22.1, 4.8, 17.7, 6.3, 22.6, 5.4, 5.9, 20.3, 22.5, 23.0}},
    {"aft-table8", {79.7, 79.7}},
};

/// Within 2.5 %, whole millions also within half of one: H-MaiT's tables say 29 M, DeiT's 6 M.
TEST(SweepFile, TheTablesOfClassifiersHaveThePapersSizes) {
  for (const auto& [name, sizes] : kPrintedSizes) {
    const SweepPlan plan = presetOf(name);
    ASSERT_EQ(plan.variants.size(), sizes.size()) << name;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ModelConfig model = plan.variants[i].experiment.model;
      if (name.starts_with("lsla"))
        model.classes = 102;  // IP102's, which a run takes from its data
      const double parameters = static_cast<double>(modelCost(model).parameters) / 1e6;
      EXPECT_NEAR(parameters, sizes[i],
                  std::max(0.025 * sizes[i], std::floor(sizes[i]) == sizes[i] ? 0.5 : 0))
          << name << ": " << plan.variants[i].name;
    }
  }
}

TEST(SweepFile, TheTablesOfMaitHaveItsMasksAndEpochs) {
  const auto valuesOf = [](const std::string& name, const auto& valueOf) {
    std::vector<decltype(valueOf(SweepVariant()))> values;
    for (const SweepVariant& variant : presetOf(name).variants)
      values.push_back(valueOf(variant));
    return values;
  };
  const auto scheme = [](const SweepVariant& v) { return v.experiment.masks.scheme; };
  const auto epochs = [](const SweepVariant& v) { return v.experiment.training.epochs; };
  using Names = std::vector<std::string>;
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(valuesOf("mait-table3", scheme), (Names{"none", "sch1", "sch1", "sch3", "sch3"}));
  EXPECT_EQ(valuesOf("mait-table3", epochs), (Counts{300, 300, 300, 400, 400}));
  EXPECT_EQ(valuesOf("mait-table4", scheme), (Names{"none", "sch1", "sch2", "sch3"}));
  EXPECT_EQ(valuesOf("mait-table4", epochs), (Counts{400, 400, 400, 400}));
  EXPECT_EQ(valuesOf("mait-table5", scheme),
            (Names{"sch2", "none", "hmait", "sch2", "none", "hmait"}));
  EXPECT_EQ(valuesOf("mait-table5", epochs), (Counts{400, 300, 300, 400, 300, 300}));
  EXPECT_EQ(valuesOf("mait-table6", epochs), (Counts{1000, 400}));
  for (const SweepVariant& variant : presetOf("mait-table6").variants) {
    EXPECT_TRUE(variant.experiment.model.distilled) << variant.name;
    EXPECT_EQ(variant.experiment.training.distillation, "hard") << variant.name;
  }
}

TEST(SweepFile, InitializationsStandBesideIbitAndConvit) {
  const SweepPlan plan = presetOf("ibit-initialization");
  std::vector<std::string> inits, mechanisms;
  for (const SweepVariant& variant : plan.variants) {
    inits.push_back(variant.experiment.model.init);
    mechanisms.push_back(variant.experiment.model.mechanism);
    EXPECT_GT(modelCost(variant.experiment.model).parameters, 5'000'000) << variant.name;
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(inits, (Names{"default", "mimetic", "structured", "default", "default"}));
  EXPECT_EQ(mechanisms,
            (Names{"softmax", "softmax", "softmax", "learned_mask", "gated_positional"}));
}

TEST(SweepFile, BiasesOverSharesOfDataStandOnEqualTerms) {
  const SweepPlan plan = presetOf("bias-cifar10");
  EXPECT_EQ(plan.seeds.size(), 3u) << "a deviation needs them";
  const SweepPlan example =
      valueOrThrow(readSweep(HEADLIGHT_SOURCE_DIR "/models/presets/compare-cifar10.json"));
  constexpr std::array kShares{0.1, 0.25, 0.5, 1.0};
  ASSERT_EQ(plan.variants.size(), example.variants.size() * kShares.size());
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const SweepVariant &variant = plan.variants[i], &same = example.variants[i / kShares.size()];
    SCOPED_TRACE(variant.name);
    EXPECT_TRUE(variant.name.starts_with(same.name + " "));
    EXPECT_EQ(variant.experiment.data.fraction, kShares[i % kShares.size()]);
    EXPECT_TRUE(sameModel(variant.experiment.model, same.experiment.model));
    EXPECT_EQ(variant.experiment.masks.scheme, same.experiment.masks.scheme);
    EXPECT_EQ(variant.experiment.training.epochs, 300) << "as many passes, whatever the share";
  }
}

TEST(SweepFile, TheAblationsOfAftAreThePapers) {
  const auto optionsOf = [](const std::string& name, const char* option) {
    std::vector<Json> values;
    for (const SweepVariant& variant : presetOf(name).variants)
      values.push_back(variant.experiment.model.attention.value(option, Json()));
    return values;
  };
  using Values = std::vector<Json>;
  EXPECT_EQ(optionsOf("aft-table9", "factorized"), (Values{false, true}));
  EXPECT_EQ(optionsOf("aft-table10", "kernel"), (Values{7, 7}));
  EXPECT_EQ(optionsOf("aft-table10", "reparametrize"), (Values{false, true}));
  Values kernels = optionsOf("aft-table11", "kernel");
  EXPECT_EQ(presetOf("aft-table11").variants[6].experiment.model.mechanism, "softmax");
  kernels.pop_back();  // DeiT's is the name of a kernel of softmax
  EXPECT_EQ(kernels, (Values{3, 7, 11, 15, 25, 27}));
  EXPECT_EQ(optionsOf("aft-table12", "kernel"), (Values{11, 11, 15, 15}));
  EXPECT_EQ(optionsOf("aft-table12", "query"), (Values{true, false, true, false}));
  for (const char* name : {"aft-table10", "aft-table12"})
    for (const SweepVariant& variant : presetOf(name).variants)
      EXPECT_EQ(variant.experiment.model.heads, 384) << name << ": " << variant.name;
  const SweepPlan tuned = presetOf("aft-table8");
  EXPECT_FALSE(tuned.variants[0].experiment.training.weights.empty());
  EXPECT_EQ(tuned.variants[1].experiment.training.weights, "");
  for (const SweepVariant& variant : tuned.variants) {
    EXPECT_EQ(variant.experiment.training.batchSize, 64);
    EXPECT_EQ(variant.experiment.training.epochs, 100);
    EXPECT_EQ(variant.experiment.model.imageSize, 384);
  }
}

TEST(SweepFile, TheTablesOfSequencesAreThePapers) {
  for (const char* name : {"aft-table3", "aft-table5", "aft-table6"}) {
    SCOPED_TRACE(name);
    const SweepPlan plan = presetOf(name);
    ASSERT_TRUE(plan.ofSequences());
    for (const SweepVariant& variant : plan.variants) {
      ASSERT_TRUE(variant.sequence);
      EXPECT_EQ(variant.sequence->model.depth, 24);
      EXPECT_EQ(variant.sequence->model.width, 256);
      EXPECT_GE(variant.sequence->training.steps, 68000) << "the paper's own";
    }
  }
  for (const auto& [name, heads] :
       {std::pair{"aft-table2", std::vector{4, 2}}, std::pair{"aft-table4", std::vector{8, 4}}}) {
    SCOPED_TRACE(name);
    const SweepPlan plan = presetOf(name);
    const bool hasBaselines = name == std::string("aft-table4");
    ASSERT_EQ(plan.variants.size(), hasBaselines ? 8u : 5u);
    std::vector<std::string> mechanisms;
    std::vector<int> depths, widths;
    for (const SweepVariant& variant : plan.variants) {
      const SequenceModelConfig& model = variant.sequence->model;
      if (model.isLinear() || model.isSynthesizer()) {
        EXPECT_TRUE(hasBaselines && model.depth == 12 && model.width == 512 && model.heads == 8);
        continue;
      }
      mechanisms.push_back(model.mechanism);
      depths.push_back(model.depth);
      widths.push_back(model.width);
      EXPECT_GE(variant.sequence->training.steps, 68000) << "the paper's own";
    }
    EXPECT_EQ(mechanisms, (std::vector<std::string>{"softmax", "softmax", "aft_local", "aft_local",
                                                    "aft_simple"}));
    EXPECT_EQ(depths, (std::vector<int>{12, 24, 12, 24, 24}));
    EXPECT_EQ(widths, (std::vector<int>{512, 256, 512, 256, 256}));
    EXPECT_EQ(plan.variants[0].sequence->model.heads, heads[0]);
    EXPECT_EQ(plan.variants[1].sequence->model.heads, heads[1]);
  }
  for (const char* name : {"aft-table2", "aft-table3", "aft-table4", "aft-table5", "aft-table6"})
    for (const SweepVariant& variant : presetOf(name).variants) {
      EXPECT_EQ(variant.sequence->training.schedule, "inverse_sqrt") << name << ": AFT, §5.1";
      EXPECT_EQ(variant.sequence->training.warmupSteps, 4000) << name << ": Vaswani et al. 2017";
    }
  EXPECT_EQ(presetOf("aft-table2").variants[2].sequence->model.window, 256);
  EXPECT_EQ(presetOf("aft-table2").variants[0].sequence->length(), 3072);
  EXPECT_EQ(presetOf("aft-table4").variants[2].sequence->model.window, 32);
  EXPECT_EQ(presetOf("aft-table4").variants[0].sequence->length(), 1024);
  const SweepPlan factors = presetOf("aft-table3");
  ASSERT_EQ(factors.variants.size(), 2u);
  EXPECT_FALSE(factors.variants[0].sequence->model.factorized);
  EXPECT_TRUE(factors.variants[1].sequence->model.factorized);
  EXPECT_EQ(factors.variants[0].sequence->length(), 3072);
  std::vector<int> windows, lengths;
  for (const SweepVariant& variant : presetOf("aft-table5").variants)
    windows.push_back(variant.sequence->model.window);
  EXPECT_EQ(windows, (std::vector<int>{0, 1, 2, 4, 8, 32, 64, 128, 256, 512, 1024}));
  for (const SweepVariant& variant : presetOf("aft-table6").variants)
    lengths.push_back(variant.sequence->model.length);
  EXPECT_EQ(lengths, (std::vector<int>{1024, 2048, 4096}));
}

TEST(SweepFile, ARecipeGivesWhatTheBaseLeavesOut) {
  Json sweep = sweepJson();
  sweep["recipe"] = "castling";
  sweep["base"] = {{"model", baseJson()["model"]}, {"training", {{"epochs", 3}}}};
  const auto plan = valueOrThrow(sweepFromText(sweep.dump(), "sweep.json", "."));
  const TrainingConfig& training = plan.variants[0].experiment.training;
  EXPECT_EQ(training.optimizer, "sgd");
  EXPECT_EQ(training.weightDecay, 2e-5);
  EXPECT_EQ(training.epochs, 3);
  sweep["recipe"] = "casting";
  expectRefused(sweep, {"casting", "castling"});
  sweep["recipe"] = 3;
  expectRefused(sweep, {"recipe", "text"});
}

TEST(SweepTable, DeviationsAreThoseOfASample) {
  const SweepStatistic statistic = computeStatistic({0.5, 0.7, 0.6});
  EXPECT_NEAR(statistic.mean, 0.6, 1e-12);
  EXPECT_NEAR(statistic.deviation, 0.1, 1e-12);
  EXPECT_EQ(percentText(statistic), "60.00 ± 10.00");
  EXPECT_TRUE(std::isnan(computeStatistic({0.5}).deviation));
  EXPECT_EQ(percentText(computeStatistic({0.5})), "50.00");
}

TEST(SweepTable, BitsAreToldToFourPlaces) {
  EXPECT_EQ(bitsText(computeStatistic({2.75, 2.76})), "2.7550 ± 0.0071");
  EXPECT_EQ(bitsText(computeStatistic({2.75})), "2.7500");
}

Json sequenceSweepJson() {
  SequenceExperiment base;
  base.device = "cpu";
  base.threads = 1;
  base.data.imageSize = 4;
  base.data.trainSamples = 18;
  base.data.validationSamples = 9;
  base.model.width = 8;
  base.model.depth = 1;
  base.model.rank = 2;
  base.model.window = 8;
  base.training.steps = 7;
  base.training.batchSize = 2;
  base.training.warmupSteps = 2;
  base.training.evaluateSteps = 3;
  base.training.evaluateSamples = 2;
  base.training.checkpointSteps = 2;
  return {{"name", "sequences"},
          {"base", sequenceToJson(base)},
          {"variants",
           {{{"name", "local"}},
            {{"name", "full"}, {"overrides", {{"model.factorized", false}, {"model.depth", "2"}}}},
            {{"name", "simple"}, {"overrides", {{"model.mechanism", "aft_simple"}}}}}},
          {"seeds", {3, 4}}};
}

TEST(SweepFile, SequencesAreChangedByTheirOwnParameters) {
  const auto plan = valueOrThrow(planOf(sequenceSweepJson()));
  ASSERT_TRUE(plan.ofSequences());
  EXPECT_FALSE(plan.variants[1].sequence->model.factorized);
  EXPECT_EQ(plan.variants[1].sequence->model.depth, 2);
  EXPECT_EQ(plan.variants[2].sequence->model.mechanism, "aft_simple");
  EXPECT_EQ(sweepRuns(plan, "out")[4].sequence->seed, 4);

  Json sweep = sequenceSweepJson();
  const auto refusedOverride = [&](const Json& overrides, const std::vector<std::string>& words) {
    sweep["variants"][1]["overrides"] = overrides;
    expectRefused(sweep, words);
  };
  refusedOverride({{"training.step", 3}},
                  {"variants[1].overrides.training.step", "\"training.steps\""});
  refusedOverride({{"training.epochs", 3}}, {"variants[1].overrides.training.epochs"});
  refusedOverride({{"masks.scheme", "sch1"}}, {"variants[1].overrides.masks.scheme"});
  refusedOverride({{"masks", Json::object()}}, {"variants[1].overrides.masks", "section"});
  refusedOverride({{"training.steps", "many"}}, {"variants[1].overrides.training.steps"});
  refusedOverride({{"model.mechanism", "lambda"}}, {"variants[1]", "model.mechanism"});
  refusedOverride({{"data.kind", "text"}}, {"variants[1]", "text", "images"});
  refusedOverride({{"seed", 1}}, {"variants[1].overrides.seed", "seeds"});
  sweep = sequenceSweepJson();
  sweep["recipe"] = "castling";
  expectRefused(sweep, {"recipe", "classifiers"});
  sweep = sequenceSweepJson();
  sweep["base"]["training"]["steps"] = 0;
  expectRefused(sweep, {"base", "training.steps"});
  sweep = sequenceSweepJson();
  sweep["base"]["task"] = "poetry";
  expectRefused(sweep, {"base", "task"});
}

SweepReport runIt(const SweepPlan& plan, const std::filesystem::path& output,
                  const SweepObserver& observer = {}, std::stop_token stop = {},
                  bool speed = false) {
  return valueOrThrow(runSweep(plan, output, {speed, 4}, observer, stop));
}

std::string sweepBytes(const std::filesystem::path& file) {
  std::string text;
  for (const std::string& line : linesOf(file))
    text += line + "\n";
  return text;
}

TEST(Sweep, TrainsEveryRunAndWritesTheTables) {
  TemporaryFolder folder;
  const auto plan = valueOrThrow(planOf(sweepJson()));
  std::vector<std::string> begun;
  double lastDone = 0;
  SweepObserver observer;
  observer.started = [&](const SweepRun& run, SweepObserver::Start start) {
    EXPECT_EQ(start, SweepObserver::Start::Begun);
    begun.push_back(plan.variants[run.variant].name + std::to_string(plan.seeds[run.seed]));
  };
  observer.progress = [&](const Progress& progress) {
    if (progress.stage == "measuring inference") return;
    EXPECT_GE(static_cast<double>(progress.done), lastDone);
    lastDone = static_cast<double>(progress.done);
    EXPECT_EQ(progress.total, 6000);
  };
  const SweepReport report = runIt(plan, folder / "out", observer, {}, true);
  EXPECT_EQ(lastDone, 6000);
  EXPECT_EQ(begun, (std::vector<std::string>{"plain3", "masked3", "narrow3", "plain4", "masked4",
                                             "narrow4"}));
  EXPECT_EQ(report.finished, 6);
  ASSERT_EQ(report.rows.size(), 3u);
  for (const SweepRow& row : report.rows) {
    EXPECT_EQ(row.runs, 2);
    EXPECT_GT(row.perSecond, 0);
    EXPECT_GT(row.macs, 0);
    EXPECT_GE(row.best.mean, row.last.mean);
  }
  EXPECT_LT(report.rows[2].parameters, report.rows[0].parameters);
  EXPECT_LT(report.rows[1].macs, report.rows[0].macs) << "hard heads in linear time";
  // By hand, from what the runs themselves wrote.
  std::vector<double> last;
  for (const char* seed : {"seed-3", "seed-4"}) {
    const auto rows = linesOf(folder / "out/plain" / seed / "metrics.csv");
    std::istringstream cells(rows.back());
    std::string cell;
    for (int i = 0; i < 6; ++i)
      std::getline(cells, cell, ',');
    last.push_back(std::stod(cell));
  }
  EXPECT_NEAR(report.rows[0].last.mean, (last[0] + last[1]) / 2, 1e-12);
  EXPECT_NEAR(report.rows[0].last.deviation, std::abs(last[0] - last[1]) / std::sqrt(2.0), 1e-12);
  const auto table = linesOf(folder / "out/sweep.csv");
  ASSERT_EQ(table.size(), 4u);
  EXPECT_TRUE(table[2].starts_with("masked,vit,softmax,sch1,2,")) << table[2];
  EXPECT_NE(sweepBytes(folder / "out/sweep.md").find("| masked | 2 |"), std::string::npos);
  const auto figure = readImage(folder / "out/sweep.png");
  ASSERT_TRUE(figure);
  EXPECT_GT(figure->width, 300);
}

TEST(Sweep, StoppedAnywhereItGoesOnToTheSameTable) {
  TemporaryFolder folder;
  const auto plan = valueOrThrow(planOf(sweepJson()));
  runIt(plan, folder / "whole");
  // In the first run, between runs, and in the middle: each time for a few steps only.
  std::int64_t skipped = 0, resumed = 0;
  for (int round = 0;; ++round) {
    ASSERT_LT(round, 40);
    std::stop_source stop;
    std::int64_t steps = 0;
    SweepObserver observer;
    observer.started = [&](const SweepRun&, SweepObserver::Start start) {
      skipped += start == SweepObserver::Start::Skipped;
      resumed += start == SweepObserver::Start::Resumed;
    };
    observer.update = [&](const SweepRun&, const TrainingUpdate& update) {
      steps += static_cast<std::int64_t>(update.steps.size());
      if (steps >= 7) stop.request_stop();
    };
    const auto report = runSweep(plan, folder / "stopped", {false, 4}, observer, stop.get_token());
    if (report) break;
    ASSERT_EQ(report.error().code, ErrorCode::Canceled) << report.error().text();
  }
  EXPECT_GT(skipped, 0);
  EXPECT_GT(resumed, 0);
  EXPECT_EQ(sweepBytes(folder / "whole/sweep.csv"), sweepBytes(folder / "stopped/sweep.csv"));
  for (const char* run : {"plain/seed-3", "masked/seed-4", "narrow/seed-4"})
    expectSame(lastTensors(folder / "whole" / run), lastTensors(folder / "stopped" / run));
}

/// Stops a sweep in the middle of the first run that it has to train; what it then said.
std::string stoppedInItsFirstRun(const SweepPlan& plan, const std::filesystem::path& output) {
  std::stop_source stop;
  SweepObserver observer;
  observer.update = [&](const SweepRun&, const TrainingUpdate& update) {
    if (!update.steps.empty()) stop.request_stop();
  };
  const auto report = runSweep(plan, output, {false, 4}, observer, stop.get_token());
  EXPECT_FALSE(report);
  if (report) return "";
  EXPECT_EQ(report.error().code, ErrorCode::Canceled) << report.error().text();
  return report.error().text();
}

TEST(Sweep, WhatIsFinishedStaysInTheTablesWhateverIsMissing) {
  TemporaryFolder folder;
  Json sweep = sweepJson();
  sweep["seeds"] = {3};
  const auto out = folder / "out";
  const auto before = runIt(valueOrThrow(planOf(sweep)), out, {}, {}, true);
  const auto lines = linesOf(out / "sweep.csv");
  ASSERT_EQ(lines.size(), 4u);

  // A variant more, before all the others.
  auto& variants = sweep["variants"];
  variants.insert(variants.begin(), Json{{"name", "new"}, {"overrides", {{"model.depth", 1}}}});
  const auto larger = valueOrThrow(planOf(sweep));
  EXPECT_NE(stoppedInItsFirstRun(larger, out).find("3 of 4 runs"), std::string::npos);
  EXPECT_EQ(linesOf(out / "sweep.csv"), lines) << "with the speeds that were measured";
  const auto after = runIt(larger, out);
  ASSERT_EQ(after.rows.size(), 4u);
  EXPECT_EQ(after.rows[0].perSecond, 0) << "not measured yet";
  for (std::size_t i = 0; i < before.rows.size(); ++i)
    EXPECT_EQ(after.rows[i + 1].perSecond, before.rows[i].perSecond);
  for (const SweepRow& row : runIt(larger, out, {}, {}, true).rows)
    EXPECT_GT(row.perSecond, 0) << row.name;

  // A run that is to be trained again: its speed may be another one.
  std::filesystem::remove_all(out / "plain");
  EXPECT_NE(stoppedInItsFirstRun(larger, out).find("3 of 4 runs"), std::string::npos);
  EXPECT_EQ(linesOf(out / "sweep.csv").size(), 4u);
  const auto again = runIt(larger, out);
  EXPECT_EQ(again.finished, 4);
  EXPECT_EQ(again.rows[1].perSecond, 0);
  EXPECT_GT(again.rows[2].perSecond, 0);
}

TEST(Sweep, ADamagedFileOfSpeedsIsSaid) {
  TemporaryFolder folder;
  Json sweep = sweepJson();
  sweep["seeds"] = {3};
  const auto plan = valueOrThrow(planOf(sweep));
  runIt(plan, folder / "out");
  std::ofstream(folder / "out/speeds.json") << R"({"plain": "fast"})";
  const auto report = runSweep(plan, folder / "out", {false, 4}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidFile);
  EXPECT_NE(report.error().text().find("speeds.json"), std::string::npos) << report.error().text();
}

TEST(Sweep, CountsTheParametersOfTheModelItself) {
  TemporaryFolder folder;
  Json sweep = sweepJson();
  sweep["seeds"] = {3};
  sweep["variants"] = {{{"name", "plain"}},
                       {{"name", "soft"}, {"overrides", {{"masks.scheme", "sch3"}}}}};
  const auto plan = valueOrThrow(planOf(sweep));
  const auto report = runIt(plan, folder / "out");
  const ModelConfig& model = plan.variants[0].experiment.model;
  EXPECT_EQ(report.rows[0].parameters, modelCost(model).parameters);
  std::int64_t soft = 0;
  for (const auto& [name, tensor] : lastTensors(folder / "out/soft/seed-3"))
    if (name.starts_with("blocks.") && name.ends_with("soft_mask_logit")) soft += tensor.numel();
  EXPECT_GT(soft, 0);
  EXPECT_EQ(report.rows[1].parameters, modelCost(model).parameters + soft);
}

TEST(Sweep, RefusesAFolderWithRunsOfOtherSettings) {
  TemporaryFolder folder;
  Json sweep = sweepJson();
  sweep["seeds"] = {3};
  runIt(valueOrThrow(planOf(sweep)), folder / "out");
  const std::string table = sweepBytes(folder / "out/sweep.csv");
  sweep["variants"][1]["overrides"]["training.learning_rate"] = 0.5;
  const auto other = runSweep(valueOrThrow(planOf(sweep)), folder / "out", {}, {}, {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(other.error().text().find("learning_rate"), std::string::npos) << other.error().text();
  EXPECT_NE(other.error().text().find("masked"), std::string::npos);
  EXPECT_EQ(sweepBytes(folder / "out/sweep.csv"), table);
}

TEST(Sweep, ARunThatDivergesDoesNotEndTheOthers) {
  TemporaryFolder folder;
  Json sweep = sweepJson();
  sweep["seeds"] = {3};
  sweep["variants"][1]["overrides"] = {{"training.learning_rate", 10},
                                       {"training.warmup_epochs", 0},
                                       {"training.weight_decay", 10},
                                       {"training.clip_gradient", 0},
                                       {"training.epochs", 60}};
  const SweepReport report = runIt(valueOrThrow(planOf(sweep)), folder / "out");
  ASSERT_EQ(report.failures.size(), 1u) << "it was expected to diverge";
  EXPECT_EQ(report.failures[0].run, "masked, seed 3");
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[1].name, "narrow");
  EXPECT_EQ(report.finished, 2);
}

TEST(Sweep, KnowsThatDataOrATeacherIsMissingBeforeAnythingIsTrained) {
  TemporaryFolder folder;
  const auto expectNamed = [&](const Json& overrides, const std::string& words) {
    Json sweep = sweepJson();
    sweep["variants"][1]["overrides"] = overrides;
    const auto report = runSweep(valueOrThrow(planOf(sweep)), folder / "out", {}, {}, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().where, "masked");
    EXPECT_NE(report.error().message.find(words), std::string::npos) << report.error().text();
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  };
  expectNamed({{"data.dataset", "image-folder"}, {"data.path", (folder / "nowhere").string()}},
              "nowhere");
  expectNamed({{"training.distillation", "soft"},
               {"training.teacher", (folder / "teacher.safetensors").string()}},
              "training.teacher");
  expectNamed({{"training.distillation", "hard"}, {"training.teacher", "vit_micro"}}, "10 classes");
  expectNamed({{"training.weights", (folder / "start.safetensors").string()}}, "start.safetensors");
}

TEST(Sweep, KnowsWhatAModelRefusesBeforeAnythingIsTrained) {
  TemporaryFolder folder;
  auto plan = valueOrThrow(planOf(sweepJson()));
  plan.variants[2].experiment.model.heads = 3;  // of a width of 8
  const auto report = runSweep(plan, folder / "out", {}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().where, "narrow");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Sweep, TrainsSequenceModelsToATableOfBits) {
  TemporaryFolder folder;
  const auto plan = valueOrThrow(planOf(sequenceSweepJson()));
  std::int64_t validations = 0;
  SweepObserver observer;
  observer.reading = [&](const SweepRun& run, const SequenceReading& reading) {
    EXPECT_TRUE(run.sequence);
    validations += reading.validationBits.has_value();
  };
  const SweepReport report = runIt(plan, folder / "out", observer, {}, true);
  EXPECT_EQ(validations, 6 * 3) << "after 3, 6 and 7 steps";
  EXPECT_EQ(report.finished, 6);
  ASSERT_EQ(report.rows.size(), 3u);
  for (const SweepRow& row : report.rows) {
    EXPECT_EQ(row.runs, 2);
    EXPECT_EQ(row.length, 48);
    EXPECT_GT(row.perSecond, 0);
    EXPECT_LE(row.best.mean, row.last.mean) << "lower is better";
    EXPECT_GT(row.best.mean, 4);
    EXPECT_LT(row.training.mean, 12);
    EXPECT_GT(row.stepsPerSecond, 0);
    EXPECT_GT(row.peakBytes, 1 << 20);
  }
  // By hand, from what the runs themselves wrote.
  std::vector<double> last, training, rates;
  std::int64_t peak = 0;
  for (const char* seed : {"seed-3", "seed-4"}) {
    const auto lines = linesOf(folder / "out/local" / seed / "metrics.csv");
    ASSERT_EQ(lines.size(), 4u);
    std::istringstream cells(lines.back());
    std::string cell;
    for (int i = 0; i < 3; ++i)
      std::getline(cells, cell, ',');
    training.push_back(std::stod(cell));
    std::getline(cells, cell, ',');
    last.push_back(std::stod(cell));
    std::vector<double> ofRun;
    for (std::size_t row = 1; row < lines.size(); ++row) {
      const std::size_t comma = lines[row].rfind(',');
      peak = std::max(peak, std::int64_t{std::stoll(lines[row].substr(comma + 1))});
      const std::string before = lines[row].substr(0, comma);
      ofRun.push_back(std::stod(before.substr(before.rfind(',') + 1)));
    }
    std::sort(ofRun.begin(), ofRun.end());
    rates.push_back(ofRun[1]);  // the median of three
  }
  EXPECT_NEAR(report.rows[0].stepsPerSecond, (rates[0] + rates[1]) / 2,
              1e-9 * report.rows[0].stepsPerSecond);
  EXPECT_EQ(report.rows[0].peakBytes, peak);
  EXPECT_NEAR(report.rows[0].last.mean, (last[0] + last[1]) / 2, 1e-12);
  EXPECT_NEAR(report.rows[0].training.mean, (training[0] + training[1]) / 2, 1e-12);
  for (const std::size_t v : {0u, 1u, 2u}) {
    std::int64_t parameters = 0;
    for (const auto& [name, tensor] : makeSequenceModel(*plan.variants[v].sequence)->trainable())
      parameters += tensor.numel();
    EXPECT_EQ(report.rows[v].parameters, parameters) << report.rows[v].name;
  }
  const auto table = linesOf(folder / "out/sweep.csv");
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0],
            "variant,mechanism,depth,width,heads,length,runs,best_bits_mean,best_bits_deviation,"
            "last_bits_mean,last_bits_deviation,train_bits_mean,train_bits_deviation,parameters,"
            "steps_per_second,peak_bytes,sequences_per_second");
  EXPECT_TRUE(table[3].starts_with("simple,aft_simple,1,8,1,48,2,")) << table[3];
  EXPECT_NE(sweepBytes(folder / "out/sweep.md").find("| simple | 1 | 8 | 1 | 48 | 2 |"),
            std::string::npos);
  EXPECT_NE(sweepBytes(folder / "out/sweep.md").find("| Iterations/s | Memory (GB) |"),
            std::string::npos);
  EXPECT_NE(sweepBytes(folder / "out/sweep.md").find("bits/dim"), std::string::npos);
  EXPECT_TRUE(readImage(folder / "out/sweep.png"));
}

/// Without what the clock and the system said: the last three cells.
std::vector<std::string> unmeasured(std::vector<std::string> table) {
  for (std::string& row : table)
    for (int i = 0; i < 3; ++i)
      row.resize(row.rfind(','));
  return table;
}

/// Runs of before speed and memory were written down stay in the tables, without them.
TEST(Sweep, OfOlderSequencesHasNoSpeedAndMemory) {
  TemporaryFolder folder;
  const auto plan = valueOrThrow(planOf(sequenceSweepJson()));
  runIt(plan, folder / "out");
  for (const char* seed : {"seed-3", "seed-4"}) {
    const auto file = folder / "out/local" / seed / "metrics.csv";
    const auto rows = linesOf(file);
    std::ofstream older(file);
    for (std::string row : rows) {
      for (int i = 0; i < 2; ++i)
        row.resize(row.rfind(','));
      older << row << "\n";
    }
  }
  const SweepReport report = runIt(plan, folder / "out");
  EXPECT_EQ(report.rows[0].stepsPerSecond, 0);
  EXPECT_EQ(report.rows[0].peakBytes, 0);
  EXPECT_GT(report.rows[1].stepsPerSecond, 0);
  EXPECT_TRUE(linesOf(folder / "out/sweep.csv")[1].ends_with(",,,"));
  EXPECT_NE(sweepBytes(folder / "out/sweep.md").find("| – | – | – |"), std::string::npos);
}

/// Each variant learns from the weights of one run.
TEST(Sweep, OfSequencesBeginsWithWeights) {
  TemporaryFolder folder;
  Json sweep = sequenceSweepJson();
  runIt(valueOrThrow(planOf(sweep)), folder / "first");
  sweep["variants"] = {
      {{"name", "fresh"}},
      {{"name", "tuned"},
       {"overrides", {{"training.weights", (folder / "first/local/seed-3").string()}}}}};
  const auto plan = valueOrThrow(planOf(sweep));
  const SweepReport report = runIt(plan, folder / "out");
  EXPECT_LT(report.rows[1].best.mean, report.rows[0].best.mean);
  std::filesystem::remove_all(folder / "first");
  EXPECT_EQ(runIt(plan, folder / "out").finished, 4) << "finished ones need them no more";
  const auto refused = runSweep(plan, folder / "other", {}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "tuned");
}

TEST(Sweep, OfSequencesGoesOnToTheSameTable) {
  TemporaryFolder folder;
  const auto plan = valueOrThrow(planOf(sequenceSweepJson()));
  runIt(plan, folder / "whole");
  std::int64_t resumed = 0;
  for (int round = 0;; ++round) {
    ASSERT_LT(round, 40);
    std::stop_source stop;
    std::int64_t steps = 0;
    SweepObserver observer;
    observer.started = [&](const SweepRun&, SweepObserver::Start start) {
      resumed += start == SweepObserver::Start::Resumed;
    };
    observer.reading = [&](const SweepRun&, const SequenceReading& reading) {
      steps += !reading.validating;
      if (steps >= 5) stop.request_stop();
    };
    const auto report = runSweep(plan, folder / "stopped", {false, 4}, observer, stop.get_token());
    if (report) break;
    ASSERT_EQ(report.error().code, ErrorCode::Canceled) << report.error().text();
  }
  EXPECT_GT(resumed, 0);
  EXPECT_EQ(unmeasured(linesOf(folder / "whole/sweep.csv")),
            unmeasured(linesOf(folder / "stopped/sweep.csv")));
  expectSame(lastTensors(folder / "whole/full/seed-4"),
             lastTensors(folder / "stopped/full/seed-4"));
  Json other = sequenceSweepJson();
  other["base"]["training"]["weight_decay"] = 0.5;
  const auto refused = runSweep(valueOrThrow(planOf(other)), folder / "whole", {}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().text().find("training.weight_decay"), std::string::npos);
}

TEST(Sweep, KnowsWhatASequenceLacksBeforeAnythingIsTrained) {
  TemporaryFolder folder;
  Json sweep = sequenceSweepJson();
  sweep["variants"][1]["overrides"] = {{"data.dataset", "image-folder"},
                                       {"data.path", (folder / "nowhere").string()}};
  const auto report = runSweep(valueOrThrow(planOf(sweep)), folder / "out", {}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().where, "full");
  EXPECT_NE(report.error().text().find("nowhere"), std::string::npos) << report.error().text();
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Sweep, TheTablesOfSequencesTrainAtASmallSize) {
  TemporaryFolder folder;
  std::ofstream(folder / "text") << std::string(200000, 'a');
  for (const char* name : {"aft-table2", "aft-table3", "aft-table4", "aft-table5", "aft-table6"}) {
    SCOPED_TRACE(name);
    auto plan = presetOf(name, [&](Json& base) {
      const auto set = [&](const std::string& path, const std::string& text) {
        valueOrThrow(overrideSequenceParameter(base, path, text));
      };
      set("threads", "1");
      set("device", "cpu");
      set("data.dataset", "texture-shape");
      set("data.path", (folder / "text").string());
      set("data.image_size", "8");
      set("data.train_samples", "18");
      set("data.validation_samples", "9");
      set("model.width", "8");
      set("model.depth", "1");
      set("model.rank", "2");
      set("training.steps", "1");
      set("training.batch_size", "1");
      set("training.evaluate_samples", "1");
    });
    // What a variant says of itself stands over the base's: 12 blocks of 512.
    for (SweepVariant& variant : plan.variants) {
      variant.sequence->model.depth = std::min(variant.sequence->model.depth, 2);
      variant.sequence->model.width = std::min(variant.sequence->model.width, 16);
      variant.sequence->model.length = std::min(variant.sequence->model.length, 64);
    }
    const auto report = runIt(plan, folder / name);
    EXPECT_EQ(report.rows.size(), plan.variants.size());
  }
}

}  // namespace
}  // namespace headlight
