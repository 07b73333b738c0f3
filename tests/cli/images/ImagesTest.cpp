// SPDX-License-Identifier: GPL-3.0-or-later

// Commands that take images: predict, attend, preprocess, make-dataset.

#include <array>
#include <cmath>

#include "core/imaging/codecs/Image.h"
#include "core/models/Registry.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"
#include "tests/models/Shrunk.h"

namespace headlight::testing {
namespace {

Image decoded(const fs::path& file) {
  auto image = readImage(file);
  EXPECT_TRUE(image.ok()) << file;
  return image ? *image : Image{};
}

/// An image of one color says nothing.
bool hasContent(const Image& image) {
  for (std::size_t i = 3; i < image.pixels->size(); ++i)
    if ((*image.pixels)[i] != (*image.pixels)[i % 3]) return true;
  return false;
}

TEST_F(ImagesCliTest, MakeDatasetWritesTheSameImagesForTheSameSeed) {
  EXPECT_EQ(decoded(m_files[0]).width, 40);
  const auto again =
      run({"make-dataset", "again", "--size", "40", "--train", "18", "--val", "9", "--json"});
  expectOk(again);
  EXPECT_EQ(again.json()["written"], 27);
  const auto relative = fs::relative(m_files[0], m_images);
  EXPECT_EQ(readBytes(path("again") / relative), readBytes(m_files[0]));
  expectOk(
      run({"make-dataset", "other", "--size", "40", "--train", "18", "--val", "9", "--seed", "1"}));
  EXPECT_NE(readBytes(path("other") / relative), readBytes(m_files[0]));
}

TEST_F(ImagesCliTest, MakeDatasetReadsAnotherDatasetAndLimitsIt) {
  const auto outcome =
      run({"make-dataset", "copy", "--path", m_images, "--max-samples", "9", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["written"], 18);
}

TEST_F(ImagesCliTest, MakeDatasetDoesNotWriteIntoAFullFolder) {
  EXPECT_NE(run({"make-dataset", "images"}).exitCode, 0);
  expectError(run({"make-dataset", "fresh", "--kind", "cifar1O"}), 2, {"cifar10"});
}

TEST_F(ImagesCliTest, PredictOfAnImageIsPredictOfItsTensor) {
  expectOk(run({"preprocess", m_files[0], m_files[1], "--model", microConfig(), "--output",
                "input.safetensors"}));
  const auto input = readTensors(path("input.safetensors"));
  EXPECT_EQ(input.at("input").shape, (std::vector<std::int64_t>{2, 3, 32, 32}));
  expectOk(runWithModel({"predict", "--tensor", "input.safetensors", "--output", "a.safetensors"}));
  expectOk(runWithModel({"predict", m_files[0], m_files[1], "--output", "b.safetensors"}));
  EXPECT_EQ(readTensors(path("a.safetensors")), readTensors(path("b.safetensors")));
}

TEST_F(ImagesCliTest, PreprocessNormalizesAsTheModelExpects) {
  // A plain image: every value is (v/255 − mean) / deviation, whatever resizing does.
  const Image red{50, 40, std::make_shared<const std::vector<std::uint8_t>>([] {
                    std::vector<std::uint8_t> pixels;
                    for (int i = 0; i < 50 * 40; ++i)
                      pixels.insert(pixels.end(), {200, 100, 0});
                    return pixels;
                  }())};
  write("red.png", *encodePng(red));
  const auto outcome =
      run({"preprocess", "red.png", "--model", microConfig(), "-o", "red.safetensors", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["input"], (nlohmann::json{1, 3, 32, 32}));
  const auto values = readTensors(path("red.safetensors")).at("input").floats();
  const double expected[] = {(200 / 255.0 - 0.485) / 0.229, (100 / 255.0 - 0.456) / 0.224,
                             -0.406 / 0.225};
  for (int channel = 0; channel < 3; ++channel)
    for (int i = 0; i < 32 * 32; ++i)
      ASSERT_NEAR(values[channel * 32 * 32 + i], expected[channel], 1e-5);
}

TEST_F(ImagesCliTest, PredictShowsTheMostProbableClasses) {
  const auto outcome = runWithModel({"predict", m_files[0], "--top", "3", "--json"});
  expectOk(outcome);
  const auto result = outcome.json()["results"][0];
  ASSERT_EQ(result["top"].size(), 3u);
  EXPECT_EQ(result["image"], m_files[0].string());
  EXPECT_GE(result["top"][0]["probability"], result["top"][1]["probability"]);
  EXPECT_GE(result["top"][1]["probability"], result["top"][2]["probability"]);
  const auto all = runWithModel({"predict", m_files[0], "--top", "10", "--json"}).json();
  double sum = 0;
  for (const auto& score : all["results"][0]["top"])
    sum += score["probability"].get<double>();
  EXPECT_NEAR(sum, 1.0, 1e-5);
  const auto text = runWithModel({"predict", m_files[0]});
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 6) << text.out;
}

TEST_F(ImagesCliTest, PredictTakesAFolderAndPassesOverDamagedImages) {
  const fs::path folder = m_files[0].parent_path();
  write((folder / "broken.png").string(), std::string("\x89PNG\r\n\x1a\n", 8));
  const auto outcome = runWithModel({"predict", folder, "--json"});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(outcome.json()["results"].size(), 1u);
  const auto error = outcome.errorJson()["error"];
  EXPECT_EQ(error["code"], "invalid_file");
  EXPECT_NE(error["where"].get<std::string>().find("broken.png"), std::string::npos);
  // Rows of arrays must stay with their images: nothing is written then.
  EXPECT_EQ(runWithModel({"predict", folder, "--output", "out.safetensors"}).exitCode, 3);
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
}

TEST_F(ImagesCliTest, AttendDrawsTheGridTheRolloutAndSingleHeads) {
  const auto outcome =
      runWithModel({"attend", m_files[0], "--images", "maps", "--layer", "1", "--query", "2,3",
                    "--smooth", "--colormap", "inferno", "--json"});
  expectOk(outcome);
  const auto json = outcome.json();
  EXPECT_EQ(json["query"], "patch (2, 3)");
  const auto files = json["results"][0]["files"].get<std::vector<std::string>>();
  ASSERT_EQ(files.size(), 5u);  // grid, rollout, three heads of layer 1
  for (const auto& file : files)
    EXPECT_TRUE(hasContent(decoded(path(file)))) << file;
  const Image grid = decoded(path(files[0]));
  EXPECT_GE(grid.width, 3 * 112);
  EXPECT_GE(grid.height, 3 * 112);
  ASSERT_EQ(json["results"][0]["locality"].size(), 3u);
  for (const auto& layer : json["results"][0]["locality"])
    for (const auto& score : layer) {
      EXPECT_GE(score.get<double>(), 0);
      EXPECT_LE(score.get<double>(), 1);
    }
}

TEST_F(ImagesCliTest, AttendOptionsChangeTheImages) {
  const auto gridOf = [&](const std::string& folder, Arguments more) {
    Arguments arguments{"attend", m_files[0], "--images", folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expectOk(runWithModel(arguments));
    const std::string stem = (path(folder) / m_files[0].stem()).string();
    return std::pair{readBytes(stem + "-grid.png"), readBytes(stem + "-rollout.png")};
  };
  const auto plain = gridOf("plain", {});
  EXPECT_EQ(gridOf("same", {}), plain);
  EXPECT_NE(gridOf("token", {"--query", "0"}).first, plain.first);
  EXPECT_NE(gridOf("colors", {"--colormap", "turbo"}).first, plain.first);
  EXPECT_NE(gridOf("scale", {"--shared-scale"}).first, plain.first);
  EXPECT_NE(gridOf("masks", {"--masks", "sch1"}).first, plain.first);
  const auto fused = gridOf("fusion", {"--fusion", "max", "--discard", "0.5"});
  EXPECT_EQ(fused.first, plain.first);
  EXPECT_NE(fused.second, plain.second);
}

TEST_F(ImagesCliTest, AttendOutlinesMasks) {
  write("masks.json",
        nlohmann::json{{"scheme", "mine"}, {"cells", {{"strict:3", "none", "none"}}}});
  const auto filesOf = [&](const std::string& folder, Arguments more) {
    Arguments arguments{"attend", m_files[0], "--images", folder,    "--query",
                        "2,3",    "--head",   "0",        "--masks", "masks.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expectOk(runWithModel(arguments));
    const std::string stem = (path(folder) / m_files[0].stem()).string();
    return std::array{readBytes(stem + "-grid.png"), readBytes(stem + "-layer0-head0.png"),
                      readBytes(stem + "-rollout.png")};
  };
  const auto plain = filesOf("plain", {}), outlined = filesOf("outlined", {"--mask-outline"});
  EXPECT_NE(outlined[0], plain[0]);
  EXPECT_NE(outlined[1], plain[1]);
  EXPECT_EQ(outlined[2], plain[2]);  // a rollout has no mask of its own
  expectError(runWithModel({"attend", m_files[0], "--mask-outline", "--show", "grad-cam"}), 2,
              {"--mask-outline", "--show attention"});
}

TEST_F(ImagesCliTest, AttendArraysOfAnImageAreThoseOfItsTensor) {
  expectOk(run({"preprocess", m_files[2], "--model", microConfig(), "-o", "input.safetensors"}));
  const Arguments masks{"--masks", "sch3", "--fusion", "max", "--discard", "0.3"};
  Arguments tensor{"attend", "--tensor", "input.safetensors", "-o", "a.safetensors"};
  Arguments image{"attend", m_files[2], "-o", "b.safetensors"};
  tensor.insert(tensor.end(), masks.begin(), masks.end());
  image.insert(image.end(), masks.begin(), masks.end());
  expectOk(runWithModel(tensor));
  expectOk(runWithModel(image));
  EXPECT_FALSE(fs::exists(path("attention")));  // arrays were asked for, no images
  const auto a = readTensors(path("a.safetensors")), b = readTensors(path("b.safetensors"));
  ASSERT_EQ(a.size(), 5u);
  ASSERT_EQ(b.size(), 5u);
  for (const auto& [name, values] : a)
    EXPECT_LE(greatestDifference(values, b.at(name)), 1e-6);
}

TEST_F(ImagesCliTest, AttendRefusesWhatTheModelDoesNotHave) {
  const auto refused = [&](Arguments more, const std::vector<std::string>& words) {
    Arguments arguments{"attend", m_files[0].string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expectError(runWithModel(arguments), 2, words);
  };
  refused({"--query", "8,0"}, {"--query", "8 rows and 8 columns"});
  refused({"--query", "64"}, {"0 to 63"});
  refused({"--query", "distillation"}, {"no distillation token"});
  refused({"--layer", "3"}, {"--layer", "0 to 2"});
  refused({"--head", "-1"}, {"--head", "0 to 2"});
  refused({"--discard", "1"}, {"--discard", "below 1"});
  refused({"--fusion", "median"}, {"mean, max or min"});
  refused({"--colormap", "rainbow"}, {"--colormap"});
  refused({"--show", "outer_bias"}, {"--show", "it has attention"});
  EXPECT_FALSE(fs::exists(path("attention")));
}

TEST_F(ImagesCliTest, AttendShowsWhatTheMechanismHasLearned) {
  // 8 × 8 patches in windows of 4 × 4, three heads in the first stage.
  Experiment experiment;
  experiment.model = shrunk(findPublishedModel("vit_lsla")->config);
  experiment.device = "cpu";
  const auto session = valueOrThrow(InferenceSession::create(experiment));
  valueOrThrow(
      session->save(path("lsla.safetensors"), MaskScheme(makeMaskShape(experiment.model))));
  const Arguments common{"attend", m_files[0], "--model", "lsla.safetensors", "--query", "5,3"};
  const auto shown = [&](Arguments more) {
    more.insert(more.begin(), common.begin(), common.end());
    return run(more);
  };
  const auto outcome = shown({"--show", "inner_bias", "--head", "1", "--images", "maps", "-o",
                              "out.safetensors", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["show"], "inner_bias");
  EXPECT_NE(outcome.json()["map"].get<std::string>().find("before the softmax"), std::string::npos);
  const auto files = outcome.json()["results"][0]["files"].get<std::vector<std::string>>();
  ASSERT_EQ(files.size(), 1 + session->info().heads.size());  // the grid, head 1 of every layer
  EXPECT_NE(files[0].find("-inner_bias-grid.png"), std::string::npos);
  for (const auto& file : files)
    EXPECT_TRUE(hasContent(decoded(path(file)))) << file;

  const auto table =
      readTensors(path("lsla.safetensors")).at("layers.0.blocks.0.attn.inner_bias_table").floats();
  const auto written = readTensors(path("out.safetensors"));
  ASSERT_EQ(written.at("inner_bias.0").shape, (std::vector<std::int64_t>{3, 8, 8}));
  EXPECT_TRUE(written.contains("attention.0"));
  const auto values = written.at("inner_bias.0").floats();
  for (int head = 0; head < 3; ++head)
    for (int row = 0; row < 8; ++row)
      for (int col = 0; col < 8; ++col) {
        const float value = values[(head * 8 + row) * 8 + col];
        if (row < 4 || col >= 4)
          EXPECT_TRUE(std::isnan(value));
        else
          EXPECT_EQ(value, table[((5 - row + 3) * 7 + 3 - col + 3) * 3 + head]);
      }
  expectError(shown({"--show", "learned_mask"}), 2,
              {"--show", "attention, dynamic_scale, inner_bias, outer_bias"});
  EXPECT_EQ(shown({"--show", "attention", "--images", "a"}).exitCode, 0);
  EXPECT_EQ(shown({"--images", "b"}).exitCode, 0);
  const std::string grid = m_files[0].stem().string() + "-grid.png";
  EXPECT_EQ(readBytes(path("a") / grid), readBytes(path("b") / grid));
}

TEST_F(ImagesCliTest, RandomWeightsAreSaid) {
  const auto outcome =
      run({"predict", m_files[0], "--model", microConfig(), "--seed", "5", "--json"});
  expectOk(outcome);
  EXPECT_TRUE(outcome.json()["model"]["random_weights"].get<bool>());
  EXPECT_NE(outcome.err.find("random"), std::string::npos);
}

}  // namespace
}  // namespace headlight::testing
