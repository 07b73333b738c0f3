// SPDX-License-Identifier: GPL-3.0-or-later

// The command line itself: help, versions, misspellings, summaries, pipes.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <sstream>

#include "core/config/Experiment.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using UsageCliTest = CliTest;

const std::vector<std::string> kCommands{
    "train",   "evaluate",     "predict", "attend", "preprocess", "summary",     "inspect",
    "convert", "make-dataset", "sweep",   "bench",  "sequence",   "heads",       "schemes",
    "compare", "similarity",   "results", "models", "angles",     "reconstruct", "selftest"};

TEST_F(UsageCliTest, VersionAndHelpGoToStandardOutput) {
  const auto version = run({"--version"});
  expectOk(version);
  EXPECT_EQ(version.out.rfind("headlight-cli ", 0), 0u) << version.out;
  const auto help = run({"--help"});
  expectOk(help);
  for (const auto& command : kCommands)
    EXPECT_NE(help.out.find("  " + command), std::string::npos);
  EXPECT_NE(help.out.find("130  Ctrl+C"), std::string::npos);
  EXPECT_EQ(help.err, "");
}

TEST_F(UsageCliTest, EveryCommandHasHelpAndJson) {
  for (const auto& command : kCommands) {
    const auto help = run({command, "--help"});
    expectOk(help);
    EXPECT_NE(help.out.find("--json"), std::string::npos) << command;
  }
}

/// The first words of the lines of a help text from `title` on, to the next empty line.
std::vector<std::string> namesBelow(const std::string& help, const std::string& title) {
  std::vector<std::string> names;
  std::istringstream lines(help.substr(std::min(help.size(), help.find(title + "\n"))));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && !line.empty();)
    if (line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

/// CLI11 2.4 does not start with both.
TEST_F(UsageCliTest, NoArgumentIsNamedLikeAnOption) {
  std::vector<Arguments> commands{{}};
  std::size_t arguments = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Arguments command = commands[i];
    command.push_back("--help");
    const std::string help = run(command).out;
    for (const std::string& name : namesBelow(help, "Positionals:")) {
      ++arguments;
      EXPECT_EQ(help.find("--" + name + " "), std::string::npos) << help;
    }
    for (const std::string& name : namesBelow(help, "Subcommands:")) {
      command.back() = name;
      commands.push_back(command);
    }
  }
  EXPECT_NE(std::ranges::find(commands, Arguments{"sequence", "train"}), commands.end());
  EXPECT_GT(arguments, 10u);
}

TEST_F(UsageCliTest, TrainHasAFlagForEveryParameter) {
  const std::string help = run({"train", "--help"}).out;
  for (const auto& section : experimentSections()) {
    EXPECT_NE(help.find(section.title + ":"), std::string::npos) << section.title;
    for (const auto& parameter : *section.table) {
      const std::string flag =
          "--" + (section.key.empty() ? "" : section.key + ".") + parameter.name;
      EXPECT_NE(help.find(flag + " "), std::string::npos) << flag;
    }
  }
}

TEST_F(UsageCliTest, NoArgumentsShowTheHelpAndFail) {
  const auto outcome = run({});
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("predict"), std::string::npos);
}

TEST_F(UsageCliTest, MisspellingsAreAnsweredWithTheClosestName) {
  expectError(run({"predcit", "x.png"}), 2, {"predcit", "\"predict\""});
  expectError(run({"predict", "x.png", "--wieghts", "w.pth"}), 2, {"--wieghts", "--weights"});
  expectError(run({"train", "c.json", "--training.epoch=5"}), 2,
              {"--training.epoch", "--training.epochs"});
  expectError(run({"summary", "deit_tiny_patch16_22"}), 2, {"deit_tiny_patch16_224"});
  expectError(run({"attend", "--frobnicate"}), 2, {"--frobnicate", "attend --help"});
}

TEST_F(UsageCliTest, WrongValuesNameTheirFlag) {
  expectError(run({"predict", "x.png", "--threads", "many"}), 2, {"--threads"});
  expectError(run({"train", "--training.epochs", "0"}), 2,
              {"training.epochs", "whole number, 1 to"});
  expectError(run({"train", "--data.dataset", "imagenet"}), 2, {"data.dataset", "one of"});
  expectError(run({"train"}), 2, {"CONFIG", "--resume"});
  expectError(run({"train", "c.json", "--resume", "run"}), 2, {"--resume"});
  expectError(run({"predict", "x.png"}), 2, {"--model"});
  expectError(run({"predict", "--model", "deit_tiny"}), 2, {"images or --tensor"});
}

TEST_F(UsageCliTest, ErrorsAreJsonWhereJsonWasAskedFor) {
  const auto outcome = run({"inspect", "nowhere.safetensors", "--json"});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(outcome.out, "");
  const auto error = outcome.errorJson()["error"];
  EXPECT_EQ(error["code"], "not_found");
  EXPECT_NE(error["where"].get<std::string>().find("nowhere.safetensors"), std::string::npos);
  EXPECT_FALSE(error["message"].get<std::string>().empty());
  EXPECT_EQ(run({"predcit", "--json"}).errorJson()["error"]["code"], "invalid_argument");
}

TEST_F(UsageCliTest, SummariesMeetThePublishedSizes) {
  const auto outcome = run({"summary", "--all", "--layers", "--json"});
  expectOk(outcome);
  const auto models = outcome.json();
  ASSERT_GE(models.size(), 2u);
  int compared = 0;
  for (const auto& model : models) {
    std::int64_t parameters = 0, macs = 0;
    for (const auto& layer : model["layers"]) {
      parameters += layer["parameters"].get<std::int64_t>();
      macs += layer["macs"].get<std::int64_t>();
    }
    EXPECT_EQ(parameters, model["parameters"].get<std::int64_t>()) << model["name"];
    EXPECT_EQ(macs, model["macs"].get<std::int64_t>()) << model["name"];
    if (model["published"].is_null()) continue;
    if (const auto& published = model["published"]["parameters_m"]; published.is_number()) {
      // Within 1.5 %, or half a unit of the last digit that is published: of the tenth, or of the
      // million for the two small models (IBiT-T, ConViT-Ti) that are printed as "6 M".
      const double millions = parameters / 1e6, said = published.get<double>();
      const double half = said == 6 ? 0.5 : 0.05;
      EXPECT_LE(std::abs(millions - said), std::max(0.015 * said, half)) << model["name"];
      ++compared;
    }
    if (const auto& published = model["published"]["macs_g"]; published.is_number()) {
      // Of detectors the paper counts normalizations, too: 2 to 7 %.
      const bool detects = model["name"].get<std::string>().find("net_vit_") != std::string::npos;
      EXPECT_NEAR(macs / 1e9, published.get<double>(),
                  (detects ? 0.07 : 0.05) * published.get<double>())
          << model["name"];
    }
  }
  EXPECT_GE(compared, 2);
}

TEST_F(UsageCliTest, SummaryCountsWithTheMasksInForce) {
  nlohmann::json config = nlohmann::json::parse(readBytes(microConfig()));
  const auto macs = [&](const char* name) {
    return run({"summary", write("masked.json", config), "--json"}).json()[0][name].get<int>();
  };
  const int unmasked = macs("macs");
  EXPECT_EQ(macs("macs_unmasked"), unmasked);
  config["masks"] = {{"scheme", "mine"}, {"cells", {{"hard:1", "soft:3", "none"}}}};
  EXPECT_EQ(macs("macs_unmasked"), unmasked);
  // 65 tokens; a patch keeps itself and the class token, the class token all: 16 wide, twice.
  EXPECT_EQ(unmasked - macs("macs"), 2 * 16 * (65 * 65 - (64 + 65 + 64)));
}

TEST_F(UsageCliTest, SummaryCountsWithMasksThatAreNamed) {
  const auto outcome = run({"summary", microConfig(), "--masks", "sch1:1", "--json"});
  expectOk(outcome);
  const auto model = outcome.json()[0];
  EXPECT_EQ(model["masks"], "sch1");
  EXPECT_EQ(model["macs_unmasked"].get<int>() - model["macs"].get<int>(),
            3 * 2 * 16 * (65 * 65 - (64 + 65 + 64)));
  expectError(run({"summary", "--all", "--masks", "sch1"}), 2, {"--masks"});
}

TEST_F(UsageCliTest, SummaryCountsDeitTinyAndAConfig) {
  const auto outcome = run({"summary", "deit_tiny_patch16_224", microConfig(), "--json"});
  expectOk(outcome);
  const auto models = outcome.json();
  EXPECT_EQ(models[0]["parameters"], 5717416);
  EXPECT_EQ(models[1]["name"], "micro");
  // 3·(4·48² + 8·48² + (3+1+4+1+4)·48) + 4·4·3·48 + 48 + 48 + 65·48 + 96 + 490
  EXPECT_EQ(models[1]["parameters"],
            3 * (12 * 48 * 48 + 13 * 48) + 48 * 48 + 48 + 48 + 65 * 48 + 96 + 490);
  EXPECT_TRUE(models[1]["published"].is_null());
  const auto list = run({"summary", "--list"});
  EXPECT_NE(list.out.find("deit_tiny_patch16_224\n"), std::string::npos);
  const auto text = run({"summary", "deit_tiny_patch16_224"});
  EXPECT_NE(text.out.find("5,717,416"), std::string::npos) << text.out;
}

TEST_F(UsageCliTest, SummaryListsFamiliesWithTheirPapers) {
  const auto text = run({"summary", "--families"});
  expectOk(text);
  EXPECT_NE(text.out.find("DeiT (Touvron et al. 2021)\n"), std::string::npos) << text.out;
  const auto listed = run({"summary", "--families", "--json"}).json();
  for (const auto& family : listed)
    for (const auto& model : family["models"])
      if (model["name"] == "deit_tiny_patch16_224") {
        EXPECT_EQ(family["family"], "DeiT");
        EXPECT_EQ(model["parameters"], 5717416);
      }
  EXPECT_EQ(listed[0]["family"], "ViT");
}

TEST_F(UsageCliTest, AClosedPipeEndsItSilently) {
  const auto outcome = shell("\"$CLI\" summary --all --layers | head -n 1", options());
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(UsageCliTest, AResultThatCannotBeWrittenIsAnError) {
  const auto outcome = shell("\"$CLI\" summary --list > /dev/full", options());
  expectError(outcome, 5, {"standard output", "space"});
}

TEST_F(UsageCliTest, NothingIsDrawnForPipesAndABarForTerminals) {
  const Arguments arguments{"make-dataset", "made", "--size", "16", "--train", "40", "--val", "9"};
  const auto plain = run(arguments);
  EXPECT_EQ(plain.err.find('\r'), std::string::npos);
  fs::remove_all(path("made"));
  auto onTerminal = options();
  onTerminal.terminal = true;
  const auto drawn = cli(arguments, onTerminal);
  expectOk(drawn);
  EXPECT_NE(drawn.err.find("\r\033[K"), std::string::npos) << drawn.err;
  EXPECT_NE(drawn.err.find("["), std::string::npos);
  EXPECT_EQ(drawn.out, plain.out);
}

}  // namespace
}  // namespace headlight::testing
