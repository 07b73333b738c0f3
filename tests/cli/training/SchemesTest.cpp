// SPDX-License-Identifier: GPL-3.0-or-later

// schemes: mask schemes kept by name, and --masks that finds them.

#include <cstdlib>

#include "core/imaging/codecs/Image.h"
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

/// A PNG of gray values, row by row.
std::string pngOf(int width, int height, const std::vector<std::uint8_t>& grays) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (const std::uint8_t gray : grays)
    pixels->insert(pixels->end(), 3, gray);
  return valueOrThrow(encodePng(Image{width, height, std::move(pixels)}));
}

TEST_F(SchemesCliTest, MasksAreDrawnFromPngAndWrittenAsPng) {
  write("cross.png", pngOf(3, 3, {0, 255, 0, 130, 255, 255, 120, 200, 0}));
  expectOk(schemes({"draw", "crossed", "--png", "cross.png", "--at", "3.0,4.2", "--kind", "strict",
                    "--model", "deit_tiny"}));
  const auto shown = schemes({"show", "crossed", "--json"});
  expectOk(shown);
  const auto cells = shown.json()["masks"]["cells"];
  EXPECT_EQ(cells[3][0], "strict:drawnoffsets3x3=XQ");
  EXPECT_EQ(cells[4][2], "strict:drawnoffsets3x3=XQ");
  EXPECT_EQ(cells[0][0], "none");
  expectOk(
      schemes({"image", "crossed", "--png", "again.png", "--at", "3.0", "--model", "deit_tiny"}));
  const auto again = readImage(path("again.png"));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->width, 3);
  EXPECT_EQ((*again->pixels)[0], 0);
  EXPECT_EQ((*again->pixels)[3], 255);
  // What is not drawn is written as pairs, and read back as those.
  expectOk(schemes(
      {"image", "strict:natten7d2", "--png", "pairs.png", "--at", "0.1", "--model", "deit_tiny"}));
  const auto pairs = readImage(path("pairs.png"));
  ASSERT_TRUE(pairs.ok());
  EXPECT_EQ(pairs->width, 196);
  EXPECT_EQ(pairs->height, 196);
  expectOk(schemes({"draw", "paired", "--from", "crossed", "--png", "pairs.png", "--at", "0.1",
                    "--model", "deit_tiny"}));
  EXPECT_TRUE(schemes({"show", "paired", "--json"})
                  .json()["masks"]["cells"][0][1]
                  .get<std::string>()
                  .starts_with("hard:drawnpairs196x196="));
  // Of a natten kind a drawing takes no dilation, which it could not be read back with.
  expectOk(schemes({"draw", "dilated", "--png", "cross.png", "--at", "0.0", "--kind",
                    "hard:natten3d2", "--model", "deit_tiny"}));
  EXPECT_EQ(schemes({"show", "dilated", "--json"}).json()["masks"]["cells"][0][0],
            "hard:drawnoffsets3x3=XQ");
}

TEST_F(SchemesCliTest, BadDrawingsAreExplained) {
  const auto draw = [&](const std::string& file) {
    return schemes({"draw", "x", "--png", file, "--at", "0.0", "--model", "deit_tiny"});
  };
  write("even.png", pngOf(2, 2, {255, 255, 255, 255}));
  expectError(draw("even.png"), 3, {"even.png", "2 × 2", "196 × 196", "14 × 14"});
  write("black.png", pngOf(3, 3, std::vector<std::uint8_t>(9, 0)));
  expectError(draw("black.png"), 3, {"black.png", "empty"});
  write("none.png", std::string());
  expectError(draw("none.png"), 3, {"none.png", "is empty"});
  write("text.png", std::string("no image at all, however long"));
  expectError(draw("text.png"), 3, {"text.png", "not a PNG"});
  std::string deep = pngOf(3, 3, std::vector<std::uint8_t>(9, 255));
  deep[24] = 16;  // IHDR's bits a channel
  write("deep.png", deep);
  expectError(draw("deep.png"), 3, {"deep.png", "16 bits"});
  expectError(draw("missing.png"), 3, {"missing.png"});
  expectError(schemes({"draw", "x", "--at", "0.0", "--model", "deit_tiny"}), 2, {"--png"});
  expectError(schemes({"draw", "x", "--png", "even.png", "--at", "0", "--model", "deit_tiny"}), 2,
              {"--at 0", "LAYER.HEAD"});
  expectError(schemes({"draw", "x", "--png", "even.png", "--at", "0.0"}), 2, {"--model"});
  expectError(schemes({"list", "--png", "even.png"}), 2, {"--png"});
}

TEST_F(SchemesCliTest, OneMaskForAllHeadsIsAValueOfMasks) {
  const auto macs = [&](const std::string& masks) {
    const auto outcome = run({"summary", "deit_tiny", "--masks", masks, "--json"});
    expectOk(outcome);
    return outcome.exitCode == 0 ? outcome.json()[0]["macs_masked"].get<std::int64_t>() : 0;
  };
  EXPECT_EQ(macs("decay:0.9"), macs("none"));  // every pair has a weight of its own
  EXPECT_LT(macs("strict:natten7d2"), macs("none"));
  EXPECT_LT(macs("hard:48px"), macs("strict:natten7d2"));
  EXPECT_GT(macs("hard:3+0.0"), macs("hard:3"));
  expectError(run({"summary", "deit_tiny", "--masks", "decay:1.5"}), 2, {"γ"});
  expectError(run({"summary", "deit_tiny", "--masks", "strict:natten7d3"}), 2,
              {"21 patches", "14 × 14"});
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
