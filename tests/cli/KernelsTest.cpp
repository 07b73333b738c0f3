// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate --check and summary --kernels: what computes a model's attention, and how near it is to
// the plain forms.

#include <algorithm>
#include <fstream>
#include <vector>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class KernelsCliTest : public CliTest {
 protected:
  /// The tiny model, head 0 of both layers masked and in linear time.
  fs::path linearConfig() const {
    json config = tinyTraining();
    config["model"]["attention"] = {{"kernel", "linear"}};
    config["masks"] = {{"scheme", "sch1"}};
    return write("linear.json", config);
  }
};

TEST_F(KernelsCliTest, ACheckTellsTheLargestDifference) {
  const auto outcome = run({"evaluate", "--model", linearConfig(), "--check", "--json"});
  expectOk(outcome);
  const json check = outcome.json();
  EXPECT_EQ(check["images"], 18);
  EXPECT_EQ(check["skipped"], 0);
  EXPECT_GT(check["largest_difference"].get<double>(), 0.0);  // they are two ways
  EXPECT_LT(check["largest_difference"].get<double>(), 1e-4);
  EXPECT_GE(check["image"].get<int>(), 0);
  EXPECT_LT(check["image"].get<int>(), 18);
  EXPECT_GE(check["class"].get<int>(), 0);
  EXPECT_LT(check["class"].get<int>(), 9);
  EXPECT_FALSE(check["image_name"].get<std::string>().empty());
  EXPECT_EQ(check["top1_agrees"], true);
  EXPECT_EQ(check["top1_differs"], 0);
  const auto fast = check["fast"]["kernels"].get<std::string>();
  EXPECT_NE(fast.find("head 0 "), std::string::npos) << fast;
  EXPECT_NE(fast.find("linear-time"), std::string::npos) << fast;
  EXPECT_EQ(check["plain"]["kernels"], "matrix products");
  for (const char* method : {"fast", "plain"})
    EXPECT_GT(check[method]["images_per_second"].get<double>(), 0.0) << method;
}

TEST_F(KernelsCliTest, ACheckOfAFewImagesInWords) {
  const auto outcome = run({"evaluate", "--model", linearConfig(), "--check", "--images", "5"});
  expectOk(outcome);
  for (const char* words :
       {"5 images  largest difference of a logit ", "top-1 agrees on all", "largest  image ",
        "), class ", "fast     ", "plain    ", " images/s  matrix products"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " in " << outcome.out;
}

TEST_F(KernelsCliTest, ACheckPassesOverADamagedImage) {
  const fs::path images = smallImages();
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(images / "val"))
    if (entry.is_regular_file()) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 9u);
  std::sort(files.begin(), files.end());
  std::ofstream(files[4], std::ios::binary) << "no image";
  json config = json::parse(readBytes(linearConfig()));
  config["data"] = {{"dataset", "image-folder"}, {"path", images.string()}};
  const auto outcome =
      run({"evaluate", "--model", write("folder.json", config), "--check", "--json"});
  expectOk(outcome);
  const json check = outcome.json();
  EXPECT_EQ(check["images"], 8);
  EXPECT_EQ(check["skipped"], 1);
  EXPECT_LT(check["largest_difference"].get<double>(), 1e-4);
  EXPECT_NE(check["image"], 4);  // counted among all of the split
  EXPECT_NE(check["image_name"].get<std::string>().find(
                files[check["image"].get<std::size_t>()].filename().string()),
            std::string::npos);
  EXPECT_NE(outcome.err.find("1 damaged"), std::string::npos) << outcome.err;
}

TEST_F(KernelsCliTest, ACheckIsAMeasurementOfItsOwn) {
  expectError(run({"evaluate", "--model", linearConfig(), "--check", "--drop-branch"}), 2,
              {"--check", "--drop-branch"});
  expectError(run({"evaluate", "--model", linearConfig(), "--images", "5"}), 2,
              {"--images", "--check"});
  expectError(run({"evaluate", "--model", linearConfig(), "--check", "--images", "-1"}), 2,
              {"--images"});
}

TEST_F(KernelsCliTest, ASummaryNamesTheKernelsWhereTheyAreWanted) {
  const auto outcome = run({"summary", linearConfig(), "--kernels", "--json"});
  expectOk(outcome);
  const json kernels = outcome.json()[0]["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  for (const json& layer : kernels) {
    const auto text = layer.get<std::string>();
    EXPECT_TRUE(text.starts_with("head 0 ")) << text;
    EXPECT_NE(text.find("linear-time"), std::string::npos) << text;
    EXPECT_NE(text.find(", head 1 "), std::string::npos) << text;
  }
  const auto text = run({"summary", linearConfig(), "--kernels"});
  EXPECT_NE(text.out.find("  kernels     head 0 "), std::string::npos) << text.out;
  EXPECT_FALSE(run({"summary", linearConfig(), "--json"}).json()[0].contains("kernels"));
}

TEST_F(KernelsCliTest, LayersThatDifferAreToldApart) {
  json config = tinyTraining();
  config["model"]["attention"] = {{"kernel", "linear"}};
  config["masks"] =
      json::parse(R"({"scheme": "last", "cells": [["none", "none"], ["hard:3", "hard:3"]]})");
  const auto outcome = run({"summary", write("edited.json", config), "--kernels"});
  expectOk(outcome);
  EXPECT_NE(outcome.out.find("layer 0: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("; layer 1: "), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace headlight::testing
