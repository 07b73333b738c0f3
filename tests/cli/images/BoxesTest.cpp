// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate on boxes: average precision of files, and of a detector from its images on.

#include <cmath>
#include <fstream>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const fs::path kYolos = kGolden / "transformers/yolos_detect";

class BoxesCliTest : public CliTest {
 protected:
  /// Two gray images of 48 x 32 and 60 x 40, and annotations of these categories beside them.
  json makeScene(const std::vector<std::string>& categories) const {
    writeGray("a.pgm", 48, 32, 90);
    writeGray("b.pgm", 60, 40, 160);
    json truth{{"images",
                {{{"id", 7}, {"file_name", "a.pgm"}, {"width", 48}, {"height", 32}},
                 {{"id", 3}, {"file_name", "b.pgm"}, {"width", 60}, {"height", 40}}}},
               {"annotations", json::array()},
               {"categories", json::array()}};
    for (std::size_t i = 0; i < categories.size(); ++i)
      truth["categories"].push_back({{"id", 10 + 5 * i}, {"name", categories[i]}});
    return truth;
  }

  void writeGray(const std::string& name, int width, int height, int value) const {
    std::string text = "P2 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
    for (int i = 0; i < width * height; ++i)
      text += std::to_string((value + 7 * i) % 256) + " ";
    write(name, text);
  }

  static json box(const json& found, std::size_t id) {
    json one = found;
    one.erase("score");
    one["id"] = id;
    one["iscrowd"] = 0;
    one["area"] = one["bbox"][2].get<double>() * one["bbox"][3].get<double>();
    return one;
  }
};

const std::vector<std::string> kAllClasses{
    "tench", "goldfish", "great white shark", "hammerhead", "electric ray", "stingray", "cock"};

json goldenCase(const std::string& name) {
  const json cases = json::parse(std::ifstream(kGolden / "ap/cases.json"));
  for (const json& one : cases)
    if (one["name"] == name) return one;
  return {};
}

TEST_F(BoxesCliTest, FilesAloneGivePycocotoolsNumbers) {
  const json golden = goldenCase("random");
  write("truth.json", golden["truth"]);
  write("found.json", golden["found"]);
  const auto outcome = run({"evaluate", "--data", "truth.json", "--boxes", "found.json", "--json"});
  expectOk(outcome);
  const json said = outcome.json();
  const char* keys[] = {"AP",   "AP50",  "AP75",   "AP_small", "AP_medium", "AP_large",
                        "AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large"};
  const auto expectNumbers = [&](const json& numbers, const json& expected) {
    for (std::size_t i = 0; i < 12; ++i)
      if (expected[i] == -1)
        EXPECT_TRUE(numbers[keys[i]].is_null());
      else
        EXPECT_NEAR(numbers[keys[i]].get<double>(), expected[i].get<double>(), 1e-12) << keys[i];
  };
  expectNumbers(said, golden["expected"]["all"]);
  ASSERT_EQ(said["classes"].size(), golden["expected"]["classes"].size());
  for (std::size_t i = 0; i < said["classes"].size(); ++i)
    expectNumbers(said["classes"][i], golden["expected"]["classes"][i]);
  EXPECT_EQ(said["boxes"], golden["truth"]["annotations"].size());
  EXPECT_EQ(said["found"], golden["found"].size());
}

TEST_F(BoxesCliTest, TheTableHasSizesAndClasses) {
  const json golden = goldenCase("duplicates");
  write("truth.json", golden["truth"]);
  write("found.json", golden["found"]);
  const auto outcome =
      run({"evaluate", "--data", "truth.json", "--boxes", "found.json", "--classes"});
  expectOk(outcome);
  for (const char* words : {"1 image  1 true box  4 found", "AP50", "100.00 %", "AR 100", "small",
                            "class 1", "        -"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
}

TEST_F(BoxesCliTest, ADetectorFindsTheBoxesThatItFound) {
  json truth = makeScene(kAllClasses);
  write("truth.json", truth);
  const auto first =
      run({"evaluate", "--model", kYolos, "--data", "truth.json", "-o", "found.json", "--json"});
  expectOk(first);
  EXPECT_TRUE(first.json()["AP"].is_null());  // nothing is true yet
  const json found = json::parse(readBytes(path("found.json")));
  ASSERT_EQ(found.size(), 12u);  // six tokens an image
  for (const json& one : found)
    truth["annotations"].push_back(box(one, truth["annotations"].size() + 1));
  write("truth.json", truth);
  const auto again = run({"evaluate", "--model", kYolos, "--data", "truth.json", "--json"});
  expectOk(again);
  EXPECT_DOUBLE_EQ(again.json()["AP"].get<double>(), 1);
  EXPECT_GT(again.json()["images_per_second"].get<double>(), 0);
  const auto files = run({"evaluate", "--data", "truth.json", "--boxes", "found.json", "--json"});
  expectOk(files);
  EXPECT_EQ(files.json()["AP"], again.json()["AP"]);
  EXPECT_EQ(files.json()["classes"], again.json()["classes"]);
}

TEST_F(BoxesCliTest, BoxesAndScoresAreThoseOfPredict) {
  write("truth.json", makeScene(kAllClasses));
  expectOk(run({"evaluate", "--model", kYolos, "--data", "truth.json", "-o", "found.json"}));
  const json found = json::parse(readBytes(path("found.json")));
  const json predicted =
      run({"predict", "--model", kYolos, "b.pgm", "a.pgm", "--threshold", "0", "--json"})
          .json()["results"];
  for (std::size_t i = 0; i < found.size(); ++i) {  // images by id: b.pgm first
    const json& object = predicted[i / 6]["objects"][i % 6];
    EXPECT_EQ(found[i]["image_id"], i < 6 ? 3 : 7);
    EXPECT_EQ(found[i]["category_id"], 10 + 5 * object["index"].get<int>());
    EXPECT_NEAR(found[i]["score"].get<double>(), object["score"].get<double>(), 1e-6);
    for (std::size_t s = 0; s < 2; ++s) {
      const double low = object["box"][s], high = object["box"][s + 2];
      EXPECT_NEAR(found[i]["bbox"][s].get<double>(), low, 1e-4);
      EXPECT_NEAR(found[i]["bbox"][s + 2].get<double>(), high - low, 1e-4);
    }
  }
}

TEST_F(BoxesCliTest, CategoriesAreMatchedByNameAndNeverSilently) {
  write("some.json", makeScene({"Hammer-Head", "cock", "great white shark"}));
  expectError(run({"evaluate", "--model", kYolos, "--data", "some.json"}), 2,
              {"Hammer-Head", "--match index", "--class-map"});
  write("some.json", makeScene({"cock", "Great White Shark"}));
  const auto some =
      run({"evaluate", "--model", kYolos, "--data", "some.json", "-o", "found.json", "--json"});
  expectOk(some);
  EXPECT_NE(some.json()["class_match"].get<std::string>().find("5 of the model's 7 classes"),
            std::string::npos);
  for (const json& one : json::parse(readBytes(path("found.json"))))
    EXPECT_TRUE(one["category_id"] == 10 || one["category_id"] == 15) << one;
  write("some.json", makeScene({"x", "y"}));
  const auto byIndex =
      run({"evaluate", "--model", kYolos, "--data", "some.json", "--match", "index"});
  expectOk(byIndex);
  EXPECT_NE(byIndex.out.find("by number, as requested"), std::string::npos) << byIndex.out;
  write("map.json", json{{"x", "cock"}, {"y", "cock"}});
  expectError(
      run({"evaluate", "--model", kYolos, "--data", "some.json", "--class-map", "map.json"}), 2,
      {"\"x\" and \"y\"", "same class"});
}

TEST_F(BoxesCliTest, ImagesAreFoundBesideTheAnnotations) {
  json truth = makeScene(kAllClasses);
  fs::create_directories(path("coco/annotations"));
  fs::create_directories(path("coco/val2017"));
  for (const char* name : {"a.pgm", "b.pgm"})
    fs::rename(path(name), path("coco/val2017") / name);
  const auto file = write("coco/annotations/instances_val2017.json", truth);
  expectOk(run({"evaluate", "--model", kYolos, "--data", file}));
  fs::rename(path("coco/val2017"), path("elsewhere"));
  expectError(run({"evaluate", "--model", kYolos, "--data", file}), 3, {"b.pgm", "--image-folder"});
  expectOk(run({"evaluate", "--model", kYolos, "--data", file, "--image-folder", "elsewhere"}));
  fs::remove(path("elsewhere/a.pgm"));
  expectError(run({"evaluate", "--model", kYolos, "--data", file, "--image-folder", "elsewhere"}),
              3, {"1 of 2 images are missing", "a.pgm"});
  expectOk(run({"evaluate", "--model", kYolos, "--data", file, "--image-folder", "elsewhere",
                "--samples", "1"}));
}

TEST_F(BoxesCliTest, ImagesThatAreNotAsListedAreSaid) {
  json truth = makeScene(kAllClasses);
  truth["images"][0]["width"] = 32;
  truth["images"][0]["height"] = 48;
  write("truth.json", truth);
  const auto other = run({"evaluate", "--model", kYolos, "--data", "truth.json"});
  expectOk(other);
  EXPECT_NE(other.err.find("1 image has another size"), std::string::npos) << other.err;
  truth = makeScene(kAllClasses);
  write("a.pgm", std::string("P2 no image"));
  write("truth.json", truth);
  expectError(run({"evaluate", "--model", kYolos, "--data", "truth.json"}), 3, {"a.pgm"});
  truth["images"][0]["file_name"] = "../a.pgm";
  write("truth.json", truth);
  expectError(run({"evaluate", "--model", kYolos, "--data", "truth.json"}), 3,
              {"../a.pgm", "below the image folder"});
  truth["images"][0].erase("file_name");
  write("truth.json", truth);
  expectError(run({"evaluate", "--model", kYolos, "--data", "truth.json"}), 3, {"image 7"});
}

TEST_F(BoxesCliTest, SamplesAreSpreadOverTheImages) {
  json truth = makeScene(kAllClasses);
  truth["annotations"].push_back({{"id", 1},
                                  {"image_id", 7},
                                  {"category_id", 10},
                                  {"bbox", {0, 0, 5, 5}},
                                  {"area", 25},
                                  {"iscrowd", 0}});
  write("truth.json", truth);
  const auto outcome =
      run({"evaluate", "--model", kYolos, "--data", "truth.json", "--samples", "1", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["images"], 1);
  EXPECT_EQ(outcome.json()["boxes"], 0);
  EXPECT_NE(outcome.err.find("1 of 2 images"), std::string::npos) << outcome.err;
}

TEST_F(BoxesCliTest, OptionsThatDoNotFitAreRefused) {
  write("truth.json", makeScene(kAllClasses));
  write("found.json", json::array());
  expectOk(run({"evaluate", "--data", "truth.json", "--boxes", "found.json"}));
  expectError(run({"evaluate", "--boxes", "found.json"}), 2, {"--boxes", "--data"});
  expectError(run({"evaluate", "--data", "truth.json"}), 2, {"--model"});
  expectError(run({"evaluate", "--data", "truth.json", "--boxes", "found.json", "--model", kYolos}),
              2, {"--boxes", "--model"});
  expectError(run({"evaluate", "--data", "truth.json", "--boxes", "found.json", "--samples", "1"}),
              2, {"--boxes", "--samples"});
  expectError(run({"evaluate", "--model", kYolos, "--data", "truth.json", "--check"}), 2,
              {"average precision"});
  expectError(run({"evaluate", "--model", "deit_tiny", "--data", "truth.json"}), 2,
              {"finds no boxes", "YOLOS"});
}

TEST_F(BoxesCliTest, FilesThatAreNotAsTheyShouldBeAreNamed) {
  json truth = makeScene(kAllClasses);
  write("truth.json", truth);
  const json good{{"image_id", 7}, {"category_id", 10}, {"bbox", {0, 0, 5, 5}}, {"score", 0.5}};
  const auto expectRefused = [&](const std::string& key, const json& value,
                                 const std::vector<std::string>& words) {
    json bad = good;
    bad[key] = value;
    write("found.json", json::array({good, bad}));
    expectError(run({"evaluate", "--data", "truth.json", "--boxes", "found.json"}), 3, words);
  };
  expectRefused("image_id", 8, {"found.json", "[1]", "image_id is 8"});
  expectRefused("bbox", {{"counts", "aa"}, {"size", {5, 5}}}, {"[1]", "bbox", "masks"});
  expectRefused("bbox", {1, 2, -3, 4}, {"[1]", "-3 x 4"});
  expectRefused("score", "high", {"[1]", "score is a text"});
  write("found.json", std::string(R"([{"image_id":7,"category_id":10,"bbox":[NaN,0,1,1]}])"));
  expectError(run({"evaluate", "--data", "truth.json", "--boxes", "found.json"}), 3,
              {"found.json", "NaN"});
  expectError(run({"evaluate", "--data", "none.json", "--boxes", "found.json"}), 3, {"none.json"});
  expectError(run({"evaluate", "--data", "found.json", "--boxes", "truth.json"}), 3,
              {"found.json"});
  truth["images"] = json::array();
  write("truth.json", truth);
  expectError(run({"evaluate", "--data", "truth.json", "--boxes", "found.json"}), 3,
              {"lists no images"});
}

TEST_F(BoxesCliTest, ADetectorOnClassFoldersIsToldWhatItNeeds) {
  fs::create_directories(path("photos/x"));
  fs::create_directories(path("photos/y"));
  makeScene({});
  fs::copy_file(path("a.pgm"), path("photos/x/a.pgm"));
  fs::copy_file(path("b.pgm"), path("photos/y/b.pgm"));
  expectError(run({"evaluate", "--model", kYolos, "--data", path("photos")}), 2,
              {"detector", "annotations of boxes"});
}

}  // namespace
}  // namespace headlight::testing
