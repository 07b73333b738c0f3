// SPDX-License-Identifier: GPL-3.0-or-later

// schemes: mask schemes kept by name, and --masks that finds them.

#include <cstdlib>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class SchemesCliTest : public CliTest {
 protected:
  Outcome schemes(Arguments arguments) const {
    arguments.insert(arguments.begin(), "schemes");
    arguments.insert(arguments.end(), {"--folder", "kept"});
    return run(arguments);
  }
  fs::path twoLayers() const {
    return write("scheme.json", std::string(R"({"masks": {"scheme": "mine", "cells":
        [["hard:3", "none"], ["none", "soft:5@0.25"]]}})"));
  }
};

TEST_F(SchemesCliTest, AreSavedShownRenamedComparedAndRemoved) {
  const auto empty = schemes({"list", "--json"});
  expectOk(empty);
  EXPECT_TRUE(empty.json()["schemes"].empty());
  expectOk(schemes({"save", "first", "--from", twoLayers()}));
  expectOk(schemes({"save", "preset", "--from", "sch1", "--model", "deit_tiny"}));
  expectError(schemes({"save", "first", "--from", twoLayers()}), 2, {"first", "already exists"});
  expectOk(schemes({"save", "first", "--from", twoLayers(), "--replace"}));
  expectOk(schemes({"rename", "first", "second one"}));
  const auto list = schemes({"list"});
  expectOk(list);
  EXPECT_EQ(list.out,
            "preset  sch1, windows of 3, for any model\n"
            "second one  2 of 4 heads in 2 layers masked\n");
  const auto shown = schemes({"show", "second one", "--json"});
  expectOk(shown);
  EXPECT_EQ(shown.json()["masks"]["cells"][1][1], "soft:5@0.25");
  const auto differ = schemes({"diff", "preset", "second one", "--json"});
  expectOk(differ);
  EXPECT_EQ(
      differ.json()["cells"],
      (nlohmann::json{{{"layer", 1}, {"head", 0}, {"before", "hard:3"}, {"after", "none"}},
                      {{"layer", 1}, {"head", 1}, {"before", "none"}, {"after", "soft:5@0.25"}}}));
  expectOk(schemes({"remove", "second one", "preset"}));
  EXPECT_EQ(schemes({"list"}).out, "");
}

TEST_F(SchemesCliTest, ARunsMasksAreThoseItEndedWith) {
  auto training = tinyTraining();
  training["masks"] = {{"scheme", "sch1"}};
  expectOk(run({"train", write("train.json", training), "--run", "run"}));
  expectOk(schemes({"save", "of a run", "--from", "run"}));
  expectOk(schemes({"save", "of a checkpoint", "--from", "run/last.safetensors"}));
  expectOk(schemes({"save", "of a config", "--from", "run/config.json"}));
  for (const char* name : {"of a run", "of a checkpoint", "of a config"})
    EXPECT_EQ(schemes({"show", name, "--json"}).json()["masks"]["scheme"], "sch1") << name;
}

TEST_F(SchemesCliTest, MasksFindsThemAndPresetsWin) {
  expectOk(runAtHome({"schemes", "save", "kept", "--from", twoLayers()}));
  EXPECT_TRUE(fs::exists(path("home") / "headlight" / "schemes" / "kept.json"));
  const Arguments evaluate{
      "evaluate", "--model",     microConfig(), "--weights", kGolden / "vit_micro.safetensors",
      "--data",   smallImages(), "--match",     "index",     "--json"};
  const auto losses = [&](const std::string& masks) {
    Arguments all = evaluate;
    all.insert(all.end(), {"--masks", masks});
    const auto outcome = runAtHome(all);
    expectOk(outcome);
    return outcome.exitCode == 0 ? outcome.json()["loss"].get<double>() : -1;
  };
  EXPECT_EQ(losses("kept"), losses("scheme.json"));
  EXPECT_NE(losses("kept"), losses("none"));
  EXPECT_EQ(losses("random-like:kept@4"), losses("random-like:scheme.json@4"));
}

TEST_F(SchemesCliTest, WrongRequestsAreExplained) {
  expectError(schemes({"save", "../above", "--from", twoLayers()}), 2, {"../above"});
  expectError(schemes({"save", "a"}), 2, {"--from"});
  expectError(schemes({"list", "--from", "x"}), 2, {"--from"});
  expectError(schemes({"show", "missing"}), 2, {"missing"});
  expectError(schemes({"remove", "missing"}), 3, {"missing", "schemes list"});
  expectError(schemes({"diff", "sch1", "sch2"}), 2, {"--model"});
  expectOk(schemes({"diff", "sch1", "sch2", "--model", "deit_tiny"}));
  expectError(schemes({"sort"}), 2, {"list, save"});
}

}  // namespace
}  // namespace headlight::testing
