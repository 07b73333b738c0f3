// SPDX-License-Identifier: GPL-3.0-or-later

// Configs that ask a mechanism or a backbone for what it does not have, and weights of another
// mechanism: refused by JSON path before anything is written, or loaded in part and said so.

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const json kSwin{{"backbone", "swin"},
                 {"mechanism", "window"},
                 {"depths", {1, 1}},
                 {"class_token", false},
                 {"positions", "none"}};
const json kLevit{{"backbone", "levit"},   {"patch_size", 16},
                  {"class_token", false},  {"positions", "none"},
                  {"depths", {1, 1}},      {"stage_widths", {16, 24}},
                  {"stage_heads", {2, 2}}, {"layout", {{"key_widths", {8}}}}};
const json kMvit{
    {"backbone", "mvitv2"}, {"class_token", false}, {"positions", "none"}, {"depths", {1, 1}}};

class BadMechanismCliTest : public CliTest {
 protected:
  /// One epoch of the tiny training, its model with these changes.
  json training(const json& model = json::object(), const std::string& scheme = "none") const {
    json config = tinyTraining();
    config["model"].update(model);
    config["masks"] = {{"scheme", scheme}};
    config["training"]["epochs"] = 1;
    config["telemetry"]["als_steps"] = 0;
    return config;
  }
  Outcome train(const json& config, const Arguments& more = {}) const {
    Arguments arguments{"train", write("config.json", config), "--run", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  /// Training, summary and predict all refuse it, in these words, and write nothing.
  void expectRefused(const json& model, const std::vector<std::string>& words) const {
    SCOPED_TRACE(model.dump());
    const json config = training(model);
    expectError(train(config), 2, words);
    expectError(predict(write("config.json", config)), 2, words);
    EXPECT_FALSE(fs::exists(path("run")));
    EXPECT_FALSE(fs::exists(path("out.safetensors")));
  }
  Outcome predict(const fs::path& model, const Arguments& more = {}) const {
    const fs::path input = path("input.safetensors");
    writeTensors(input, {{"input", floatTensor({1, 3, 16, 16}, std::vector<float>(3 * 16 * 16))}});
    Arguments arguments{"predict", "--model", model, "--tensor", input, "-o", "out.safetensors"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  /// Weights of the tiny model with softmax attention.
  fs::path softmaxWeights() const {
    expectOk(run({"train", write("softmax.json", training()), "--run", "softmax"}));
    expectOk(run({"convert", "softmax/last.safetensors", "softmax.safetensors", "--weights-only"}));
    return path("softmax.safetensors");
  }
};

bool reportSays(const Outcome& outcome, const std::string& words) {
  return outcome.err.find(words) != std::string::npos;
}

TEST_F(BadMechanismCliTest, OptionsOfAnotherMechanismAreRefused) {
  expectRefused({{"mechanism", "linear_angular"}, {"attention", {{"epsilonn", 0.1}}}},
                {"model.attention.epsilonn", "epsilon"});
  expectRefused({{"attention", {{"without_branch", true}}}}, {"model.attention.without_branch"});
  expectRefused({{"layout", {{"local_layers", 1}}}}, {"model.layout.local_layers"});
  expectRefused({{"mechanism", "linear_angula"}}, {"model.mechanism", "linear_angular"});
  expectRefused({{"backbone", "swim"}}, {"model.backbone", "swin"});
}

TEST_F(BadMechanismCliTest, OptionsOfAWrongTypeOrRangeAreRefused) {
  const auto angular = [](const json& attention) {
    return json{{"mechanism", "linear_angular"}, {"attention", attention}};
  };
  expectRefused(angular({{"epsilon", "small"}}), {"model.attention.epsilon", "small"});
  expectRefused(angular({{"epsilon", 2}}), {"model.attention.epsilon"});
  expectRefused(angular({{"auxiliary", 1}}), {"model.attention.auxiliary"});
  expectRefused(angular({{"kernel", "gauss"}}), {"model.attention.kernel", "linear_angular"});
  expectRefused(angular({{"residual_kernel", 4}}), {"model.attention.residual_kernel", "odd"});
  expectRefused(angular({1, 2}), {"model.attention"});
  expectRefused({{"mechanism", 3}}, {"model.mechanism"});
}

TEST_F(BadMechanismCliTest, ABackboneTakesOnlyItsMechanisms) {
  json levit = kLevit;
  levit["mechanism"] = "aft_full";
  expectRefused(levit, {"model.mechanism", "levit", "aft_full", "softmax, linear_angular"});
  expectRefused({{"mechanism", "gated_positional"}},
                {"model.mechanism", "vit", "gated_positional"});
}

TEST_F(BadMechanismCliTest, WindowsThatDoNotDivideTheGridArePadded) {
  json model = kSwin;
  model["attention"] = {{"window", 3}};  // of 4 x 4 patches, then 2 x 2
  expectOk(train(training(model)));
  expectOk(predict("run/last.safetensors"));
  fs::remove_all(path("run"));
  fs::remove(path("out.safetensors"));
  for (const int window : {0, -1, 257}) {
    model["attention"] = {{"window", window}};
    expectRefused(model, {"model.attention.window", "1 to 256"});
  }
}

TEST_F(BadMechanismCliTest, ImageSizesThatABackboneCannotTakeAreRefused) {
  const auto with = [](json model, const json& changes) {
    model.update(changes);
    return model;
  };
  expectRefused({{"image_size", 18}}, {"model.image_size", "18 pixels", "4-pixel patches"});
  expectRefused({{"image_width", 18}}, {"model.image_width", "18 pixels"});
  expectRefused(with(kLevit, {{"image_size", 40}}), {"model.image_size", "16-pixel patches"});
  expectRefused(with(kLevit, {{"patch_size", 8}}), {"model.patch_size", "16 pixels"});
  expectRefused(with(kMvit, {{"image_size", 30}}), {"model.image_size", "4-pixel patches"});
  expectRefused(with(kSwin, {{"patch_size", 3}}), {"model.image_size", "3-pixel patches"});
  // Grids that do not halve evenly are rounded up.
  for (const json& model : {with(kLevit, {{"image_size", 48}}), with(kMvit, {{"image_size", 20}}),
                            with(kSwin, {{"image_size", 20}})}) {
    expectOk(train(training(model)));
    fs::remove_all(path("run"));
  }
}

TEST_F(BadMechanismCliTest, ATeacherOfOtherClassesIsRefused) {
  json config = training();
  config["training"]["distillation"] = "soft";
  config["training"]["teacher"] = "vit_micro";
  expectError(train(config), 2, {"training.teacher", "10 classes", "9"});
  config["training"]["teacher"] = "vit_mikro";
  const auto unknown = train(config);
  expectError(unknown, unknown.exitCode, {"training.teacher", "vit_micro"});
  EXPECT_NE(unknown.exitCode, 0);
  config["training"].erase("teacher");
  expectError(train(config), 2, {"training.teacher", "missing"});
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(BadMechanismCliTest, WeightsOfAnotherMechanismAreReportedNeverSilent) {
  const fs::path weights = softmaxWeights();
  const auto config = write("angular.json", training({{"mechanism", "linear_angular"}}));
  const std::string missing = "blocks.0.attn.dconv.weight";
  const std::vector<std::string> refusal{"2 missing: " + missing, "--partial"};
  expectError(predict(config, {"--weights", weights}), 3, refusal);
  expectError(run({"evaluate", "--model", config, "--weights", weights}), 3, refusal);
  for (const Outcome& outcome :
       {predict(config, {"--weights", weights, "--partial"}),
        predict(config, {"--weights", weights, "--partial", "--json"}),
        run({"evaluate", "--model", config, "--weights", weights, "--partial"}),
        run({"train", config, "--weights", weights, "--run", "run"})}) {
    expectOk(outcome);
    EXPECT_TRUE(reportSays(outcome, "2 missing: " + missing)) << outcome.err;
  }
  const auto inspected = run({"inspect", weights, "--model", config});
  expectOk(inspected);
  EXPECT_NE(inspected.out.find("missing     " + missing), std::string::npos) << inspected.out;
  const auto report = run({"inspect", weights, "--model", config, "--json"}).json()["against"];
  EXPECT_FALSE(report["complete"].get<bool>());
  EXPECT_EQ(report["missing"], (std::vector<std::string>{missing, "blocks.1.attn.dconv.weight"}));
  // A file that carries its model says so, whatever weights it is to open.
  expectError(run({"convert", weights, "wrong.safetensors", "--model", config}), 2,
              {"do not fit", missing});
  EXPECT_FALSE(fs::exists(path("wrong.safetensors")));
}

TEST_F(BadMechanismCliTest, WeightsOfWhichOnlyTheHeadFitsStartNoTraining) {
  const auto config = write("config.json", training());
  const auto all = readTensors(softmaxWeights());
  Tensors tensors{{"head.weight", all.at("head.weight")},
                  {"head.bias", all.at("head.bias")},
                  {"norm.weight", floatTensor({2}, {1, 1})},
                  {"stem.weight", floatTensor({2}, {1, 1})}};
  writeTensors(path("head.safetensors"), tensors);
  const auto trained =
      run({"train", config, "--weights", path("head.safetensors"), "--run", "run"});
  expectError(trained, 3, {"head.safetensors", "only 0 of the model's", "at least half must fit"});
  const auto predicted = predict(config, {"--weights", path("head.safetensors"), "--partial"});
  expectOk(predicted);
  for (const Outcome& outcome : {trained, predicted})
    for (const char* words : {"2 matched", "missing: cls_token", "1 unexpected: stem.weight",
                              "1 of another shape: norm.weight ([2] in the file, [16] in"})
      EXPECT_TRUE(reportSays(outcome, words)) << words << " in " << outcome.err;
  fs::remove(path("out.safetensors"));
  tensors.erase("head.weight");
  tensors.erase("head.bias");
  writeTensors(path("nothing.safetensors"), tensors);
  const Arguments more{"--weights", path("nothing.safetensors")};
  const std::vector<std::string> words{"nothing.safetensors", "no tensor in it fits", "0 matched"};
  expectError(predict(config, more), 3, words);
  expectError(train(training(), more), 3, words);
  EXPECT_FALSE(fs::exists(path("run")));
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
}

TEST_F(BadMechanismCliTest, MasksOfTheWeightsAreNotAskedOfAnotherModel) {
  expectOk(run({"train", write("masked.json", training(json::object(), "sch1")), "--run", "run"}));
  const auto config = write("angular.json", training({{"mechanism", "linear_angular"}}));
  const fs::path weights = path("run/last.safetensors");
  const auto outcome =
      run({"evaluate", "--model", config, "--weights", weights, "--partial", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["images"], 18);
  expectOk(predict(config, {"--weights", weights, "--partial"}));
  // Masks that are asked for by name still have to fit it.
  expectError(run({"evaluate", "--model", config, "--weights", weights, "--masks", "sch1"}), 2,
              {"masks.scheme", "no logits"});
}

TEST_F(BadMechanismCliTest, MasksWhereThereAreNoLogitsAreRefused) {
  const std::vector<std::string> words{"masks.scheme", "no logits"};
  for (const std::string mechanism : {"aft_full", "aft_local", "aft_simple", "aft_conv",
                                      "linear_angular", "performer", "lambda"}) {
    SCOPED_TRACE(mechanism);
    const json config = training({{"mechanism", mechanism}});
    expectError(train(config, {"--masks.scheme", "sch1"}), 2, words);
    expectError(predict(write("config.json", config), {"--masks", "sch1"}), 2, words);
  }
  const json angular = training({{"mechanism", "linear_angular"}}, "sch1");
  expectError(train(angular), 2, words);
  expectError(train(angular, {"--masks", "sch1"}), 2, words);
  json cells = angular;
  cells["masks"] = {{"scheme", "mine"}, {"cells", json::array({json::array({"none", "hard:3"})})}};
  expectError(train(cells), 2, {"masks.cells[0][1]", "no logits"});
  // Class attention comes last and has none either: presets pass it by, cells may not name it.
  const json cait{{"backbone", "cait"}, {"class_depth", 1}};
  cells = training(cait);
  cells["masks"] = {{"scheme", "mine"}, {"cells", {{"none"}, {"none"}, {"hard:3"}}}};
  expectError(train(cells), 2, {"masks.cells[2][0]", "no logits"});
  const auto masks = write("masks.json", cells["masks"]);
  const auto config = write("config.json", training(cait));
  expectError(predict(config, {"--masks", masks}), 2, {"masks.cells[2][0]"});
  EXPECT_FALSE(fs::exists(path("run")));
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
  expectOk(predict(config, {"--masks", "sch1"}));
}

}  // namespace
}  // namespace headlight::testing
