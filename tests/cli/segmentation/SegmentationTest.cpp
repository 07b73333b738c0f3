// SPDX-License-Identifier: GPL-3.0-or-later

// Segmenters at the command line: predict, its files, and evaluate by class.

#include <array>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class SegmentationCliTest : public CliTest {
 protected:
  /// A segmenter of 64 pixels: 2 layers of 2 heads on 4 x 4 patches, 8 queries.
  static json segmenterTraining() {
    return {{"name", "segments"},
            {"seed", 5},
            {"device", "cpu"},
            {"threads", 1},
            {"model",
             {{"backbone", "vit_segmenter"},
              {"image_size", 64},
              {"width", 16},
              {"depth", 2},
              {"heads", 2},
              {"layout",
               {{"queries", 8},
                {"width", 16},
                {"heads", 2},
                {"groups", 4},
                {"encoder_layers", 1},
                {"encoder_hidden", 16},
                {"decoder_layers", 1},
                {"decoder_hidden", 16},
                {"position_grid", 4}}}}},
            {"data",
             {{"dataset", "texture-segments"}, {"train_samples", 8}, {"validation_samples", 4}}},
            {"training", {{"epochs", 1}, {"batch_size", 4}, {"learning_rate", 0.001}}},
            {"telemetry", {{"als_steps", 0}}}};
  }

  /// Trains, and returns the last weights.
  std::string trainedWeights() const {
    expectOk(run({"train", write("segmenter.json", segmenterTraining()), "--run", "run"}));
    return path("run/last.safetensors").string();
  }

  /// Width, height, bits and kind of color, as the header of a PNG says.
  static std::array<int, 4> pngHeader(const fs::path& file) {
    const std::string bytes = readBytes(file);
    const auto number = [&](std::size_t at) {
      int value = 0;
      for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
      return value;
    };
    EXPECT_EQ(bytes.substr(1, 3), "PNG") << file;
    return {number(16), number(20), bytes.at(24), bytes.at(25)};
  }
};

TEST_F(SegmentationCliTest, PredictListsClassesAndWritesPixels) {
  const std::string weights = trainedWeights();
  const auto images = smallImages();
  const auto outcome =
      run({"predict", images / "val", "--weights", weights, "--segments", "found", "--json"});
  expectOk(outcome);
  const json results = outcome.json()["results"];
  ASSERT_FALSE(results.empty());
  for (const json& result : results) {
    double shares = 0;
    for (const json& segment : result["segments"]) {
      EXPECT_GT(segment["share"].get<double>(), 0);
      EXPECT_LE(segment["probability"].get<double>(), 1);
      shares += segment["share"].get<double>();
    }
    EXPECT_NEAR(shares, 1, 1e-9);
    ASSERT_EQ(result["files"].size(), 3u);
    constexpr int kPalette = 3, kRgb = 2;
    const auto classes = pngHeader(path(result["files"][0].get<std::string>()));
    EXPECT_EQ(classes, (std::array<int, 4>{40, 40, 8, kPalette}));
    const auto colors = pngHeader(path(result["files"][1].get<std::string>()));
    EXPECT_GT(colors[0], 40);  // the legend
    EXPECT_EQ(colors[1], 40);
    EXPECT_EQ(colors[3], kRgb);
    const json file = json::parse(readBytes(path(result["files"][2].get<std::string>())));
    EXPECT_EQ(file["queries"].size(), 8u);
    EXPECT_EQ(file["classes"], result["segments"]);
  }
  const auto text = run({"predict", images / "val", "--weights", weights});
  expectOk(text);
  EXPECT_NE(text.out.find("share   score  class"), std::string::npos) << text.out;
}

/// The truth is that of the dataset, by the image's name or by the sample's address.
TEST_F(SegmentationCliTest, PredictDrawsTheTruthOfADataset) {
  const std::string weights = trainedWeights();
  expectOk(run({"make-dataset", "scenes", "--kind", "texture-segments", "--train", "2", "--val",
                "2", "--size", "64"}));
  const auto outcome = run({"predict", path("scenes/images/val"), "--weights", weights,
                            "--segments", "found", "--data", "scenes", "--json"});
  expectOk(outcome);
  const json said = outcome.json(), result = said["results"][0];
  ASSERT_FALSE(result["truth"].empty());
  double shares = 0;
  for (const json& one : result["truth"])
    shares += one["share"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_GE(result["agreement"], 0.0);
  EXPECT_LE(result["agreement"], 1.0);
  const json file = json::parse(readBytes(path(result["files"][2].get<std::string>())));
  EXPECT_EQ(file["truth"], result["truth"]);
  const auto plain = run({"predict", path("scenes/images/val"), "--weights", weights, "--segments",
                          "plain", "--json"});
  expectOk(plain);
  EXPECT_FALSE(plain.json()["results"][0].contains("truth"));
  EXPECT_NE(readBytes(path(result["files"][1].get<std::string>())),
            readBytes(path(plain.json()["results"][0]["files"][1].get<std::string>())))
      << "borders";
  const auto address = run({"predict", "dataset:texture-segments:2:drawn", "--weights", weights});
  expectOk(address);
  EXPECT_NE(address.out.find("of the pixels with a true class"), std::string::npos) << address.out;
  expectError(run({"predict", path("scenes/images/val"), "--weights", weights, "--segments", "x",
                   "--data", path("found")}),
              3, {"true segments"});
}

TEST_F(SegmentationCliTest, InspectSaysWhatIsInASetOfSegments) {
  expectOk(run({"make-dataset", "scenes", "--kind", "texture-segments", "--train", "3", "--val",
                "2", "--size", "64"}));
  const auto outcome = run({"inspect", "scenes", "--json"});
  expectOk(outcome);
  const json contents = outcome.json()["contents"]["train"];
  EXPECT_EQ(contents["images"], 3);
  EXPECT_EQ(contents["pixels"]["all"], 3 * 64 * 64);
  std::int64_t pixels = 0;
  for (const json& one : contents["classes"])
    pixels += one["pixels"].get<std::int64_t>();
  EXPECT_EQ(pixels + contents["pixels"]["unknown"].get<std::int64_t>(), 3 * 64 * 64);
  EXPECT_EQ(contents["sizes"]["largest"], json({64, 64}));
  const auto text = run({"inspect", "scenes"});
  expectOk(text);
  EXPECT_NE(text.out.find("by class: background"), std::string::npos) << text.out;
}

TEST_F(SegmentationCliTest, EvaluateByClassGivesTheMeasuresOfTheWhole) {
  const std::string weights = trainedWeights();
  const auto whole = run({"evaluate", "--weights", weights, "--json"});
  expectOk(whole);
  const auto classes = run(
      {"evaluate", "--weights", weights, "--classes", "--classes-csv", "classes.csv", "--json"});
  expectOk(classes);
  for (const char* measure : {"miou", "macc", "pacc"})
    EXPECT_NEAR(classes.json()[measure].get<double>(), whole.json()[measure].get<double>(), 1e-6)
        << measure;
  std::int64_t truth = 0;
  const json table = classes.json();
  for (const json& one : table["classes"])
    truth += one["truth"].get<std::int64_t>();
  EXPECT_EQ(truth, table["pixels"].get<std::int64_t>());
  EXPECT_EQ(readBytes(path("classes.csv")).rfind("class,name,truth,predicted,iou,accuracy\n", 0),
            0u);
  expectError(run({"evaluate", "--weights", weights, "--beside", "none"}), 2, {"segmenter"});
}

TEST_F(SegmentationCliTest, AttendShowsWhereAQueryOfTheDecoderLooks) {
  const std::string weights = trainedWeights();
  const fs::path image = kGolden / "transformers/picture.png";
  const auto attend = [&](Arguments more) {
    Arguments arguments{"attend", image, "--weights", weights, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const auto refused = [&](Arguments more) {
    Arguments arguments{"attend", image, "--weights", weights};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const auto outcome = attend(
      {"--query", "3", "--decoder-layer", "0", "--images", "maps", "-o", "maps.safetensors"});
  expectOk(outcome);
  const json result = outcome.json()["results"][0], map = result["decoder"];
  EXPECT_EQ(map["query"], 3);
  EXPECT_EQ(map["layer"], 0);
  ASSERT_EQ(map["values"].size(), 6u);  // stride 32 of 96 x 64 pixels: 75 x 50 in proportion
  double sum = 0;
  for (const json& value : map["values"])
    sum += value.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_EQ(map["title"], "query 3 in decoder layer 0 · mean of heads · level of stride 32");
  EXPECT_TRUE(fs::exists(path("maps/picture-decoder.png")));
  EXPECT_NE(readBytes(path("maps.safetensors")).find("\"decoder\""), std::string::npos);
  const auto last = attend({"--show", "decoder", "--query", "3", "-o", "last.safetensors"});
  expectOk(last);
  EXPECT_EQ(last.json()["results"][0]["decoder"]["values"], map["values"]);
  expectError(refused({"--query", "8", "--decoder-layer", "0"}), 2, {"--query", "0 to 7"});
  expectError(refused({"--query", "0", "--decoder-layer", "1"}), 2, {"--decoder-layer", "0 to 0"});
  expectError(refused({"--query", "sky", "--decoder-layer", "0"}), 2, {"--query", "from 0"});
  expectError(refused({"--show", "decoder"}), 2, {"--query"});
  expectError(refused({"--show", "rollout-of-nothing", "--decoder-layer", "0"}), 2,
              {"--decoder-layer"});
  expectError(refused({"--show", "decoder", "--query", "0", "--layer", "1"}), 2,
              {"--layer", "--decoder-layer"});
  expectError(run({"attend", image, "--model", microConfig(), "--weights",
                   kGolden / "vit_micro.safetensors", "--show", "decoder", "--query", "0"}),
              2, {"--show", "segmenter"});
}

TEST_F(SegmentationCliTest, APageShowsSegmentsWithAKey) {
  const std::string weights = trainedWeights();
  const fs::path image = kGolden / "transformers/picture.png";
  const auto page = run({"figure", image, "--weights", weights, "--columns", "image, segments",
                         "-o", "page.svg", "--json"});
  expectOk(page);
  const json tile = page.json()["results"][0]["tiles"][1];
  const json segments =
      run({"predict", image, "--weights", weights, "--json"}).json()["results"][0]["segments"];
  ASSERT_EQ(tile["segments"].size(), segments.size());
  EXPECT_EQ(tile["segments"][0]["label"], segments[0]["label"]);
  EXPECT_NE(readBytes(path("page.svg")).find(segments[0]["label"].get<std::string>()),
            std::string::npos);
  expectError(run({"figure", image, "--weights", weights, "--columns", "boxes", "-o", "a.svg"}), 2,
              {"columns[0], boxes", "detector"});
}

TEST_F(SegmentationCliTest, WhatGivesPixelsNoClassIsRefused) {
  expectError(run({"predict", kGolden / "transformers/picture.png", "--model", microConfig(),
                   "--weights", kGolden / "vit_micro.safetensors", "--segments", "out"}),
              2, {"--segments", "micro", "gives pixels no classes"});
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace headlight::testing
