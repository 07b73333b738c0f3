// SPDX-License-Identifier: GPL-3.0-or-later

// predict of detectors: the boxes that it lists, and images with them.

#include "tests/cli/detection/DetectionRuns.h"

namespace headlight::testing {
namespace {

const fs::path kYolosModel = kGolden / "transformers/yolos_detect",
               kYolosImage = kGolden / "transformers/picture.png";

/// Width and height, as the header of a PNG says.
std::pair<int, int> pngSize(const fs::path& file) {
  const std::string bytes = readBytes(file);
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
    return value;
  };
  EXPECT_EQ(bytes.substr(1, 3), "PNG") << file;
  return {number(16), number(20)};
}

TEST_F(DetectorCliTest, PredictListsBoxesInPixels) {
  const auto images = smallImages();
  const auto outcome =
      run({"predict", images / "val", "--weights", sureWeights(), "--threshold", "0", "--json"});
  expectOk(outcome);
  std::size_t found = 0;
  const json said = outcome.json();
  for (const json& result : said["results"]) {
    const json& objects = result["objects"];
    found += objects.size();
    EXPECT_LE(objects.size(), 100u);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      EXPECT_LT(objects[i]["index"], 9);
      EXPECT_GT(objects[i]["score"], 0.025);
      for (const json& side : objects[i]["box"]) {
        EXPECT_GE(side.get<double>(), -1e-3);
        EXPECT_LE(side.get<double>(), 40 + 1e-3);
      }
      EXPECT_GE(objects[i > 0 ? i - 1 : 0]["score"], objects[i]["score"]);
    }
  }
  EXPECT_GT(found, 0u);
  const auto none = run({"predict", images / "val", "--weights", m_weights, "--threshold", "1"});
  expectOk(none);
  EXPECT_NE(none.out.find("boxes score below 1 (--threshold)"), std::string::npos) << none.out;
}

TEST_F(DetectorCliTest, APageDrawsBoxesDownToTheChosenScore) {
  const auto tile = [&](const std::string& threshold) {
    const auto outcome = run({"figure", kYolosImage, "--weights", sureWeights(), "--columns",
                              "boxes", "--threshold", threshold, "-o", "page.svg", "--json"});
    expectOk(outcome);
    return outcome.json()["results"][0]["tiles"][0];
  };
  const json all = tile("0"), none = tile("1");
  EXPECT_GT(all["objects"].size(), 0u);
  EXPECT_EQ(all["what"], "boxes that score at least 0 %");
  EXPECT_FALSE(none.contains("objects")) << none.dump();
}

TEST_F(DetectorCliTest, PredictDrawsBoxesOnTheOriginals) {
  const auto images = smallImages();
  const auto draw = [&](const std::string& threshold, const std::string& folder) {
    const auto outcome = run({"predict", images / "val", "--weights", m_weights, "--threshold",
                              threshold, "--boxes", folder, "--json"});
    expectOk(outcome);
    return outcome.json()["results"];
  };
  const json shown = draw("0", "shown"), none = draw("1", "none"), again = draw("0", "again");
  ASSERT_FALSE(shown.empty());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const fs::path file = path(shown[i]["file"].get<std::string>());
    EXPECT_EQ(pngSize(file), std::pair(40, 40));
    const std::string plain = readBytes(path(none[i]["file"].get<std::string>()));
    EXPECT_EQ(readBytes(file) == plain, shown[i]["objects"].empty()) << file;
    EXPECT_EQ(readBytes(file), readBytes(path(again[i]["file"].get<std::string>())));
  }
}

TEST_F(DetectorCliTest, AttendExplainsOneBox) {
  const std::string weights = sureWeights();
  const auto explain = [&](Arguments more) {
    Arguments arguments{"attend",    kYolosImage, "--weights", weights, "--show",
                        "relevance", "--images",  "out",       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const json objects =
      run({"predict", kYolosImage, "--weights", weights, "--threshold", "0", "--json"})
          .json()["results"][0]["objects"];
  ASSERT_GT(objects.size(), 1u);
  const auto last = std::to_string(objects.size() - 1);
  json heats;
  for (const std::string& box : {std::string("0"), last}) {
    const auto outcome = explain({"--box", box});
    expectOk(outcome);
    const json heat = outcome.json()["results"][0]["heat"];
    const json& listed = objects[std::stoul(box)];
    EXPECT_EQ(heat["box"]["label"], listed["label"]);
    EXPECT_NEAR(heat["box"]["score"].get<double>(), listed["score"].get<double>(), 1e-5);
    EXPECT_NE(heat["title"].get<std::string>().find("box of cell " +
                                                    std::to_string(heat["box"]["cell"].get<int>())),
              std::string::npos);
    heats.push_back(heat);
  }
  EXPECT_NE(heats[0]["box"]["cell"], heats[1]["box"]["cell"]);
  EXPECT_NE(heats[0]["values"], heats[1]["values"]);
  expectError(
      run({"attend", kYolosImage, "--weights", weights, "--show", "relevance", "--box", "100000"}),
      2, {"--box", "0 to " + last});
  expectError(run({"attend", kYolosImage, "--weights", weights, "--box", "0"}), 2,
              {"--box", "relevance"});
  expectError(
      run({"attend", kYolosImage, "--model", kYolosModel, "--show", "relevance", "--box", "0"}), 2,
      {"--box", "LCNet-ViT"});
}

TEST_F(DetectorCliTest, APageShowsBoxes) {
  const auto page = run({"figure", kYolosImage, "--weights", sureWeights(), "--columns",
                         "image, boxes", "-o", "page.png", "--json"});
  expectOk(page);
  const json tile = page.json()["results"][0]["tiles"][1];
  const json objects = run({"predict", kYolosImage, "--weights", sureWeights(), "--json"})
                           .json()["results"][0]["objects"];
  ASSERT_EQ(tile.contains("objects") ? tile["objects"].size() : 0, objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i)
    EXPECT_EQ(tile["objects"][i]["label"], objects[i]["label"]);
  expectError(run({"figure", kYolosImage, "--weights", sureWeights(), "--columns", "segments", "-o",
                   "a.svg"}),
              2, {"columns[0], segments", "segmenter"});
}

TEST_F(DetectorCliTest, TrueBoxesOfADatasetAreDrawnToo) {
  const std::string scene = "dataset:texture-scenes:2:drawn";
  const auto known = run(
      {"predict", scene, "--weights", m_weights, "--threshold", "1", "--boxes", "out", "--json"});
  expectOk(known);
  const json result = known.json()["results"][0];
  EXPECT_EQ(result["file"], "out/texture-scenes-2-boxes.png");
  EXPECT_FALSE(result["truth"].empty());
  expectError(run({"predict", "dataset:texture-scenes:24:drawn", "--weights", m_weights}), 3,
              {"no such sample"});
  expectError(run({"predict", kYolosImage, "--weights", m_weights, "--data", "truth.json"}), 2,
              {"--data", "--boxes"});
}

TEST_F(DetectorCliTest, TrueBoxesOfAFileAreDrawnToo) {
  fs::copy_file(kYolosImage, path("picture.png"));
  const auto [width, height] = pngSize(kYolosImage);
  const json image{{"id", 1}, {"file_name", "picture.png"}, {"width", width}, {"height", height}};
  const json box{{"id", 1},     {"image_id", 1}, {"category_id", 3}, {"bbox", {2, 3, 10, 12}},
                 {"area", 120}, {"iscrowd", 0}};
  const json category{{"id", 3}, {"name", "striped disc"}};
  write("truth.json", json{{"images", json::array({image})},
                           {"annotations", json::array({box})},
                           {"categories", json::array({category})}});
  const auto draw = [&](const std::string& folder, Arguments more) {
    Arguments arguments{"predict", "picture.png", "--weights", m_weights, "--threshold",
                        "1",       "--boxes",     folder,      "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run(arguments);
    expectOk(outcome);
    return outcome.json()["results"][0];
  };
  const json known = draw("known", {"--data", "truth.json"}), plain = draw("plain", {});
  ASSERT_EQ(known["truth"].size(), 1u);
  EXPECT_EQ(known["truth"][0]["label"], "striped disc");
  EXPECT_EQ(known["truth"][0]["box"], json({2.0, 3.0, 12.0, 15.0}));
  EXPECT_FALSE(plain.contains("truth"));
  EXPECT_NE(readBytes(path("known/picture-boxes.png")), readBytes(path("plain/picture-boxes.png")));
}

TEST_F(DetectionCliTest, YolosIsDrawnToo) {
  const auto outcome =
      run({"predict", "--model", kYolosModel, kYolosImage, "--threshold", "0", "--boxes", "out"});
  expectOk(outcome);
  EXPECT_NE(outcome.out.find("out/picture-boxes.png"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("images go to "), std::string::npos) << outcome.err;
  EXPECT_EQ(pngSize(path("out/picture-boxes.png")), pngSize(kYolosImage));
}

TEST_F(DetectionCliTest, ImagesOfOneNameGetFilesOfTheirOwn) {
  for (const char* folder : {"a", "b"}) {
    fs::create_directories(path(folder));
    fs::copy_file(kYolosImage, path(folder) / "same.png");
  }
  expectOk(run({"predict", "--model", kYolosModel, "a/same.png", "b/same.png", "--boxes", "out"}));
  for (const char* file : {"same-boxes.png", "same-2-boxes.png"})
    EXPECT_TRUE(fs::exists(path("out") / file)) << file;
}

TEST_F(DetectionCliTest, ADamagedImageDoesNotEndTheOthers) {
  write("bad.png", std::string("no image"));
  const auto outcome =
      run({"predict", "--model", kYolosModel, "bad.png", kYolosImage, "--boxes", "out"});
  EXPECT_EQ(outcome.exitCode, 3) << outcome.err;
  EXPECT_TRUE(fs::exists(path("out/picture-boxes.png")));
  EXPECT_FALSE(fs::exists(path("out/bad-boxes.png")));
}

TEST_F(DetectionCliTest, WhatFindsNoBoxesIsRefused) {
  const Arguments vit{"--model", microConfig(), "--weights", kGolden / "vit_micro.safetensors"};
  const auto predict = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), "predict");
    arguments.insert(arguments.end(), {"--boxes", "out"});
    return run(arguments);
  };
  Arguments withImage = vit;
  withImage.push_back(kYolosImage);
  expectError(predict(withImage), 2, {"--boxes", "micro", "finds no boxes"});
  expectError(
      predict({"--model", kYolosModel, "--tensor", kYolosModel / "expected.io.safetensors"}), 2,
      {"--boxes", "tensor"});
  Arguments attend = withImage;
  attend.insert(attend.begin(), "attend");
  attend.insert(attend.end(), {"-o", "maps.safetensors"});
  expectOk(run(attend));
  expectError(predict({"maps.safetensors"}), 2, {"--boxes", "maps"});
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace headlight::testing
