// SPDX-License-Identifier: GPL-3.0-or-later

// What predict says of a detector's objects: the library's numbers, and boxes in the image's pixels.

#include <algorithm>
#include <cmath>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const fs::path kYolos = kGolden / "transformers/yolos_detect";
const fs::path kIo = kYolos / "expected.io.safetensors";

using ObjectsCliTest = CliTest;

/// softmax of `count` logits.
std::vector<double> shares(const float* logits, std::size_t count) {
  double sum = 0;
  std::vector<double> values;
  for (std::size_t c = 0; c < count; ++c)
    sum += values.emplace_back(std::exp(double{logits[c]}));
  for (double& value : values)
    value /= sum;
  return values;
}

TEST_F(ObjectsCliTest, ScoresAndBoxesAreTransformers) {
  const auto outcome =
      run({"predict", "--model", kYolos, "--tensor", kIo, "--threshold", "0", "--json"});
  expectOk(outcome);
  const auto expected = readTensors(kIo);
  const auto logits = expected.at("logits").floats(), boxes = expected.at("pred_boxes").floats();
  const json results = outcome.json()["results"];
  ASSERT_EQ(results.size(), 2u);
  for (std::size_t image = 0; image < 2; ++image) {
    const json& objects = results[image]["objects"];
    ASSERT_EQ(objects.size(), 6u);
    std::vector<double> best;  // of each token, as post_process_object_detection has it
    for (std::size_t token = 0; token < 6; ++token) {
      const auto row = shares(logits.data() + (image * 6 + token) * 8, 8);
      best.push_back(*std::max_element(row.begin(), row.end() - 1));
      const float* box = boxes.data() + (image * 6 + token) * 4;
      const bool found = std::any_of(objects.begin(), objects.end(), [&](const json& object) {
        // A tensor is its own image, of 32 x 48 pixels.
        return std::abs(object["score"].get<double>() - best.back()) < 1e-5 &&
               std::abs(object["box"][0].get<double>() - 48 * (box[0] - box[2] / 2)) < 1e-2 &&
               std::abs(object["box"][3].get<double>() - 32 * (box[1] + box[3] / 2)) < 1e-2;
      });
      EXPECT_TRUE(found) << objects;
    }
    EXPECT_NEAR(objects[0]["score"].get<double>(), *std::max_element(best.begin(), best.end()),
                1e-5);
    for (std::size_t i = 1; i < objects.size(); ++i)
      EXPECT_GE(objects[i - 1]["score"], objects[i]["score"]);
  }
}

TEST_F(ObjectsCliTest, AreListedAboveTheThresholdWithTheirNames) {
  const fs::path image = kGolden / "transformers/picture.png";
  const auto all = run({"predict", "--model", kYolos, image, "--threshold", "0"});
  expectOk(all);
  for (const char* words : {"left, top, right, bottom", " %  "})
    EXPECT_NE(all.out.find(words), std::string::npos) << all.out;
  const auto none = run({"predict", "--model", kYolos, image, "--threshold", "1"});
  expectOk(none);
  EXPECT_NE(none.out.find("6 detection tokens score below 1 (--threshold)"), std::string::npos)
      << none.out;
  const json said = run({"predict", "--model", kYolos, image, "--json"}).json()["results"][0];
  EXPECT_EQ(said["threshold"], 0.5);
  const json names{"tench",    "goldfish", "great white shark", "hammerhead", "electric ray",
                   "stingray", "cock"};
  const json every =
      run({"predict", "--model", kYolos, image, "--threshold", "0", "--json"}).json();
  for (const json& object : every["results"][0]["objects"])
    EXPECT_EQ(object["label"], names[object["index"].get<std::size_t>()]);
  expectError(run({"predict", "--model", kYolos, image, "--threshold", "2"}), 2, {"--threshold"});
}

/// A gray image; of 48 x 48 pixels the model sees the middle 48 x 32.
std::string grayImage(int side) {
  std::string text = "P2 " + std::to_string(side) + " " + std::to_string(side) + " 255\n";
  for (int i = 0; i < side * side; ++i)
    text += "128 ";
  return text;
}

TEST_F(ObjectsCliTest, BoxesAreInPixelsOfTheOriginal) {
  const auto boxesOf = [&](int side) {
    const auto outcome = run({"predict", "--model", kYolos, write("gray.pgm", grayImage(side)),
                              "--threshold", "0", "-o", "out.safetensors", "--json"});
    expectOk(outcome);
    return outcome.json()["results"][0]["objects"];
  };
  const json large = boxesOf(96), small = boxesOf(48);
  const auto raw = readTensors(path("out.safetensors")).at("object_boxes").floats();
  ASSERT_EQ(small.size(), 6u);
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto side = [&](const json& objects, std::size_t s) {
      return objects[i]["box"][s].get<double>();
    };
    for (std::size_t s = 0; s < 4; ++s)
      EXPECT_NEAR(side(large, s), 2 * side(small, s), 1e-3);
    bool placed = false;
    for (std::size_t token = 0; token < 6; ++token) {
      const float* box = raw.data() + 4 * token;
      placed = placed || (std::abs(side(small, 0) - 48 * (box[0] - box[2] / 2)) < 1e-2 &&
                          std::abs(side(small, 1) - (8 + 32 * (box[1] - box[3] / 2))) < 1e-2);
    }
    EXPECT_TRUE(placed) << small[i];
  }
}

TEST_F(ObjectsCliTest, OutputHoldsTheRawNumbers) {
  expectOk(run({"predict", "--model", kYolos, "--tensor", kIo, "-o", "out.safetensors"}));
  const auto out = readTensors(path("out.safetensors")), expected = readTensors(kIo);
  EXPECT_LT(greatestDifference(out.at("object_logits"), expected.at("logits")), 1e-4);
  EXPECT_LT(greatestDifference(out.at("object_boxes"), expected.at("pred_boxes")), 1e-4);
  EXPECT_TRUE(out.contains("features"));
}

/// Names and shapes alone say what finds objects; heads and a grid that is no square are asked for.
TEST_F(ObjectsCliTest, AFileWithoutItsConfigFindsTheSame) {
  const fs::path plain = kGolden / "transformers/yolos_detect_plain";
  fs::copy_file(plain / "model.safetensors", path("alone.safetensors"));
  expectOk(run({"predict", "--weights", "alone.safetensors", "--heads", "4", "--tensor",
                plain / "expected.io.safetensors", "-o", "out.safetensors"}));
  EXPECT_LT(greatestDifference(readTensors(path("out.safetensors")).at("object_boxes"),
                               readTensors(plain / "expected.io.safetensors").at("pred_boxes")),
            1e-4);
}

}  // namespace
}  // namespace headlight::testing
