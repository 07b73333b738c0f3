// SPDX-License-Identifier: GPL-3.0-or-later

// COCO's annotations and results: what is read, and what is said of files that are not as they
// should be.

#include "core/data/boxes/BoxTruth.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/files/Files.h"
#include "core/data/boxes/BoxResults.h"
#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

using nlohmann::json;

json smallTruth() {
  return {
      {"images",
       {{{"id", 9}, {"file_name", "b.png"}, {"width", 100}, {"height", 50}},
        {{"id", 4}, {"file_name", "a.png"}, {"width", 60}, {"height", 60}}}},
      {"annotations",
       {{{"id", 1},
         {"image_id", 9},
         {"category_id", 20},
         {"bbox", {1, 2.5, 30, 40}},
         {"area", 700.5},
         {"iscrowd", 0},
         {"segmentation", {{1, 2, 3, 4, 5, 6}}}},
        {{"id", 2},
         {"image_id", 4},
         {"category_id", 3},
         {"bbox", {0, 0, 10, 10}},
         {"area", 100},
         {"iscrowd", 1},
         {"segmentation", {{"counts", {1, 2, 3}}, {"size", {60, 60}}}}}}},
      {"categories",
       {{{"id", 20}, {"name", "dog"}, {"supercategory", "animal"}}, {{"id", 3}, {"name", "cat"}}}},
      {"info", {{"year", 2017}}}};
}

json smallResults() {
  return {{{"image_id", 9}, {"category_id", 20}, {"bbox", {1, 2, 30, 40}}, {"score", 0.75}},
          {{"image_id", 4}, {"category_id", 3}, {"bbox", {0, 0, 9.5, 10}}, {"score", 1}}};
}

BoxTruth read(const json& truth) {
  return valueOrThrow(boxTruthFromText(truth.dump(), "truth.json"));
}

void expectMessage(const Error& error, const std::vector<std::string>& words) {
  EXPECT_EQ(error.code, ErrorCode::InvalidFile) << error.text();
  for (const std::string& word : words)
    EXPECT_NE(error.text().find(word), std::string::npos) << word << " in: " << error.text();
}

void expectRefused(const std::string& text, const std::vector<std::string>& words) {
  const auto truth = boxTruthFromText(text, "truth.json");
  ASSERT_FALSE(truth.ok()) << text;
  expectMessage(truth.error(), words);
  EXPECT_EQ(truth.error().where, "truth.json");
}
void expectRefused(const json& truth, const std::vector<std::string>& words) {
  expectRefused(truth.dump(), words);
}

/// The small truth with a value of its first annotation changed.
json withAnnotation(const std::string& key, const json& value) {
  json truth = smallTruth();
  truth["annotations"][0][key] = value;
  return truth;
}

TEST(BoxTruth, ListsAreInTheOrderOfTheirIds) {
  const BoxTruth truth = read(smallTruth());
  ASSERT_EQ(truth.images.size(), 2u);
  EXPECT_EQ(truth.images[0].file, "a.png");
  EXPECT_EQ(truth.images[1].width, 100);
  EXPECT_EQ(truth.categoryNames(), (std::vector<std::string>{"cat", "dog"}));
  ASSERT_EQ(truth.boxes.size(), 2u);
  EXPECT_EQ(truth.boxes[0].image, 1);
  EXPECT_EQ(truth.boxes[0].category, 1);
  EXPECT_EQ(truth.boxes[0].box, (PixelBox{1, 2.5, 30, 40}));
  EXPECT_EQ(truth.boxes[0].area, 700.5);
  EXPECT_FALSE(truth.boxes[0].crowd);
  EXPECT_TRUE(truth.boxes[1].crowd);
  EXPECT_TRUE(truth.notes.empty());
}

TEST(BoxTruth, ListsMayComeInAnyOrder) {
  json truth = smallTruth();
  const std::string text = "{\"annotations\":" + truth["annotations"].dump() +
                           ",\"categories\":" + truth["categories"].dump() +
                           ",\"licenses\":[[{\"id\":1}],7],\"images\":" + truth["images"].dump() +
                           "}";
  const BoxTruth read = valueOrThrow(boxTruthFromText(text, ""));
  EXPECT_EQ(read.boxes.size(), 2u);
  EXPECT_EQ(read.boxes[0].image, 1);
}

TEST(BoxTruth, WhatIsLeftOutIsSaid) {
  json truth = smallTruth();
  truth["annotations"][0]["image_id"] = 5;
  truth["annotations"][1]["category_id"] = 77;
  const BoxTruth without = read(truth);
  EXPECT_TRUE(without.boxes.empty());
  ASSERT_EQ(without.notes.size(), 2u);
  EXPECT_NE(without.notes[0].find("annotations[0], image 5"), std::string::npos);
  EXPECT_NE(without.notes[1].find("annotations[1], category 77"), std::string::npos);
}

TEST(BoxTruth, WhatDiffersIsSaidAndKept) {
  json truth = withAnnotation("bbox", {90, 0, 30, 40});
  truth["annotations"][0].erase("area");
  truth["annotations"][0]["id"] = 0;
  truth["annotations"][0].erase("iscrowd");
  const BoxTruth kept = read(truth);
  ASSERT_EQ(kept.boxes.size(), 2u);
  EXPECT_EQ(kept.boxes[0].area, 1200);
  ASSERT_EQ(kept.notes.size(), 3u);
  EXPECT_NE(kept.notes[0].find("no area"), std::string::npos);
  EXPECT_NE(kept.notes[1].find("beyond"), std::string::npos);
  EXPECT_NE(kept.notes[2].find("id 0"), std::string::npos);
}

TEST(BoxTruth, IdsThatAreThereTwiceAreRefused) {
  for (const char* list : {"images", "annotations", "categories"}) {
    json truth = smallTruth();
    truth[list][1]["id"] = truth[list][0]["id"];
    expectRefused(truth, {std::string(list) + "[1]", std::string(list) + "[0]", "its own"});
  }
}

TEST(BoxTruth, ValuesOfOtherKindsAreRefused) {
  expectRefused(withAnnotation("bbox", {{"counts", "abc"}, {"size", {5, 5}}}),
                {"annotations[0]", "bbox", "[x, y, width, height]", "masks"});
  expectRefused(withAnnotation("bbox", {{1, 2, 3, 4}}), {"bbox", "nested"});
  expectRefused(withAnnotation("bbox", {1, 2, 3}), {"list of 3 numbers"});
  expectRefused(withAnnotation("bbox", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), {"list of 10 numbers"});
  expectRefused(withAnnotation("bbox", {1, 2, "3", 4}), {"annotations[0]", "bbox"});
  expectRefused(withAnnotation("bbox", {1, 2, 3, nullptr}), {"annotations[0]", "bbox"});
  expectRefused(withAnnotation("bbox", nullptr), {"bbox is null"});
  expectRefused(withAnnotation("bbox", {1, 2, -3, 4}), {"-3 x 4", "0 or more"});
  expectRefused(withAnnotation("area", -1), {"area is -1"});
  expectRefused(withAnnotation("area", "big"), {"area is a text"});
  expectRefused(withAnnotation("iscrowd", 2), {"iscrowd"});
  expectRefused(withAnnotation("id", "seven"), {"id is a text", "whole number"});
  expectRefused(withAnnotation("image_id", 1.5), {"image_id is 1.5"});
  expectRefused(withAnnotation("category_id", nullptr), {"category_id is null"});
  expectRefused(withAnnotation("id", 18446744073709551615u), {"id is 1"});
  json truth = smallTruth();
  truth["annotations"][1].erase("bbox");
  expectRefused(truth, {"annotations[1]", "bbox is missing"});
}

TEST(BoxTruth, OtherFilesAreRefused) {
  expectRefused(smallResults(), {"object with images"});
  expectRefused(json{{"images", json::array()}, {"annotations", json::array()}},
                {"no list \"categories\""});
  expectRefused(std::string("7"), {"object with images"});
  expectRefused(std::string(""), {"not valid JSON"});
  json truth = smallTruth();
  truth["annotations"] = 5;
  expectRefused(truth, {"\"annotations\" is not a list"});
  truth["annotations"] = {{1, 2}, {3, 4}};
  expectRefused(truth, {"annotations[0] is not a record"});
  truth["annotations"] = {{{"id", 1}}, 3};
  expectRefused(truth, {"annotations[0]"});
  expectRefused(std::string(R"({"images":[],"images":[],"annotations":[],"categories":[]})"),
                {"\"images\" twice"});
  expectRefused(std::string(R"({"images":[{"id":1,"id":2}],"annotations":[],"categories":[]})"),
                {"images[0]", "\"id\" twice"});
  expectRefused(std::string("<!doctype html><html></html>"), {"web page"});
}

TEST(BoxTruth, NumbersThatJsonLacksAreNamed) {
  std::string text = withAnnotation("area", 123456).dump();
  for (const std::string word : {"NaN", "Infinity", "-Infinity"}) {
    std::string damaged = text;
    damaged.replace(damaged.find("123456"), 6, word);
    expectRefused(damaged, {"NaN or Infinity"});
  }
  std::string damaged = text;
  damaged.replace(damaged.find("123456"), 6, "1e999");
  expectRefused(damaged, {"not valid JSON"});
  expectRefused(std::string(100, '['), {"object with images"});
  expectRefused("{\"x\":" + std::string(100'000, '['), {"nested"});
}

/// Peak memory of this process so far, in bytes; 0 where the system does not say.
double peakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

/// A few bytes a box besides the text, and time that grows as the text does.
TEST(BoxTruth, AMillionBoxesAreRead) {
  constexpr int kBoxes = 1'000'000;
  constexpr double kMostSeconds = 60, kMostBytesABox = 600;
  std::string text = R"({"images":[{"id":1}],"categories":[{"id":1}],"annotations":[)";
  for (int i = 1; i <= kBoxes; ++i)
    text.append(i == 1 ? "" : ",")
        .append("{\"id\":")
        .append(std::to_string(i))
        .append(R"(,"image_id":1,"category_id":1,"bbox":[1,2,3,4]})");
  text += "]}";
  const double before = peakMemory();
  const auto begin = std::chrono::steady_clock::now();
  const BoxTruth truth = valueOrThrow(boxTruthFromText(text, ""));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(truth.boxes.size(), static_cast<std::size_t>(kBoxes));
  EXPECT_EQ(truth.categories[0].name, "category 1");
  EXPECT_LT(took.count(), kMostSeconds);
  EXPECT_LT(peakMemory() - before, kMostBytesABox * kBoxes);
}

TEST(BoxResults, AreReadWithTheTruthsPlaces) {
  const BoxTruth truth = read(smallTruth());
  json results = smallResults();
  results.push_back(results[0]);
  results[2]["category_id"] = 99;
  const auto read = valueOrThrow(boxResultsFromText(results.dump(), "r.json", truth));
  ASSERT_EQ(read.boxes.size(), 2u);
  EXPECT_EQ(read.boxes[0].image, 1);
  EXPECT_EQ(read.boxes[0].category, 1);
  EXPECT_EQ(read.boxes[1].box, (PixelBox{0, 0, 9.5, 10}));
  EXPECT_EQ(read.boxes[1].score, 1);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_NE(read.notes[0].find("[2], category 99"), std::string::npos) << read.notes[0];
  EXPECT_TRUE(valueOrThrow(boxResultsFromText("[]", "", truth)).boxes.empty());
}

TEST(BoxResults, WhatIsNotAsItShouldBeIsRefused) {
  const BoxTruth truth = read(smallTruth());
  const auto expectRefusedResult = [&](const char* key, const json& value,
                                       const std::vector<std::string>& words) {
    json results = smallResults();
    results[1][key] = value;
    const auto read = boxResultsFromText(results.dump(), "r.json", truth);
    ASSERT_FALSE(read.ok()) << key;
    expectMessage(read.error(), words);
    EXPECT_NE(read.error().text().find("[1]"), std::string::npos) << read.error().text();
  };
  expectRefusedResult("image_id", 5, {"image_id is 5", "annotations"});
  expectRefusedResult("score", nullptr, {"score is null"});
  expectRefusedResult("score", "0.5", {"score is a text"});
  expectRefusedResult("bbox", {0, 0, -1, 1}, {"-1 x 1"});
  expectRefusedResult("bbox", {{"counts", "abc"}}, {"masks"});
  const auto other = boxResultsFromText(smallTruth().dump(), "r.json", truth);
  ASSERT_FALSE(other.ok());
  expectMessage(other.error(), {"list of objects with image_id"});
}

TEST(BoxResults, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const BoxTruth truth = read(smallTruth());
  const std::vector<FoundBox> boxes{{1, 0, {1.0 / 3, 2e-17, 123456.75, 0}, 0.1 + 0.2},
                                    {0, 1, {-5, 4, 3, 2}, 0}};
  for (const auto& some : {boxes, std::vector<FoundBox>()}) {
    ASSERT_TRUE(writeBoxResults(folder / "r.json", some, truth).ok());
    const auto again = valueOrThrow(readBoxResults(folder / "r.json", truth));
    ASSERT_EQ(again.boxes.size(), some.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      EXPECT_EQ(again.boxes[i].box, some[i].box);
      EXPECT_EQ(again.boxes[i].score, some[i].score);
      EXPECT_EQ(again.boxes[i].image, some[i].image);
      EXPECT_EQ(again.boxes[i].category, some[i].category);
    }
  }
  EXPECT_FALSE(readBoxResults(folder / "none.json", truth).ok());
}

}  // namespace
}  // namespace headlight
