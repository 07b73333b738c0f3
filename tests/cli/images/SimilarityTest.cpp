// SPDX-License-Identifier: GPL-3.0-or-later

// similarity: how alike layers look, of images and over a dataset; results: what is kept.

#include <cstdlib>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class SimilarityCliTest : public ImagesCliTest {
 protected:
  Outcome withModel(Arguments arguments) const {
    arguments.insert(arguments.end(), m_model.begin(), m_model.end());
    return runAtHome(arguments);
  }
};

TEST_F(SimilarityCliTest, OfADataSetIsTheMeanOfItsImages) {
  const auto outcome = withModel({"similarity", "--data", m_images, "--samples", "0", "--json"});
  expectOk(outcome);
  const auto result = outcome.json()["results"][0];
  const std::size_t layers = result["mean"].size();
  ASSERT_GT(layers, 1u);
  std::vector<std::string> images{"similarity", "--json", "--image"};
  for (const auto& file : m_files)
    images.push_back(file);
  const auto alone = withModel(images);
  expectOk(alone);
  const auto results = alone.json()["results"];
  ASSERT_EQ(results.size(), m_files.size());
  EXPECT_EQ(result["pictures"], m_files.size());
  EXPECT_EQ(results[0]["pictures"], 1);
  for (std::size_t i = 0; i < layers; ++i)
    for (std::size_t j = 0; j < layers; ++j) {
      double mean = 0, head = 0;
      for (const auto& one : results) {
        mean += one["mean"][i][j].get<double>() / static_cast<double>(results.size());
        head += one["heads"][1][i][j].get<double>() / static_cast<double>(results.size());
      }
      EXPECT_NEAR(result["mean"][i][j].get<double>(), mean, 1e-5);
      EXPECT_NEAR(result["heads"][1][i][j].get<double>(), head, 1e-5);
    }
  EXPECT_NEAR(result["mean"][0][0].get<double>(), 1, 1e-6);
}

TEST_F(SimilarityCliTest, TablesAndImagesAreOfTheSameNumbers) {
  const Arguments base{"similarity", "--data", m_images, "--samples", "6"};
  const auto with = [&](const Arguments& more) {
    Arguments all = base;
    all.insert(all.end(), more.begin(), more.end());
    return withModel(all);
  };
  const auto numbers = with({"--json"});
  expectOk(numbers);
  const double value = numbers.json()["results"][0]["heads"][1][0][1];
  const auto text = with({"--head", "1", "--csv", "s.csv", "-o", "s.png"});
  expectOk(text);
  char cell[32];
  std::snprintf(cell, sizeof cell, "%7.3f", value);
  EXPECT_NE(text.out.find("similarity of layers, head 1; 6 images"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(cell), std::string::npos) << text.out;
  const std::string csv = readBytes(path("s.csv"));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "head,layer,other,similarity");
  const auto at = csv.find("\n1,0,1,");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(std::stod(csv.substr(at + 7)), value);
  EXPECT_EQ(readBytes(path("s.png")).substr(1, 3), "PNG");
  const auto image = withModel({"similarity", "--image", m_files[0], "-o", "-", "--json"});
  EXPECT_EQ(image.exitCode, 0) << image.err;
  EXPECT_EQ(image.out.substr(1, 3), "PNG");
}

TEST_F(SimilarityCliTest, WrongRequestsAreExplained) {
  expectError(withModel({"similarity", "--image", m_files[0], "--data", m_images}), 2, {"--image"});
  expectError(withModel({"similarity", "--image", m_files[0], "--head", "99"}), 2, {"--head"});
  expectError(withModel({"similarity", "--image", m_files[0], m_files[1], "-o", "s.png"}), 2,
              {"--output"});
  expectError(withModel({"similarity", "--image", m_files[0], "--keep"}), 2, {"--keep"});
  expectError(withModel({"similarity", "--data", m_images, "--anew"}), 2, {"--anew", "--keep"});
  expectError(withModel({"similarity", "--data", m_images, "--colormap", "mauve"}), 2, {"mauve"});
  expectError(withModel({"similarity", "--data", path("nowhere")}), 3, {"nowhere"});
  expectError(runAtHome({"similarity", "--image", m_files[0]}), 2, {"--model"});
  EXPECT_FALSE(fs::exists(path("s.png")));
}

TEST_F(SimilarityCliTest, SavedResultsAreShownWithTheirDate) {
  const Arguments similarity{"similarity", "--data", m_images, "--samples", "6", "--keep"};
  auto json = similarity;
  json.push_back("--json");
  const auto first = withModel(json);
  expectOk(first);
  const auto measured = first.json()["results"][0]["measured"];
  ASSERT_TRUE(measured.is_string());
  const auto again = withModel(json);
  expectOk(again);
  EXPECT_EQ(again.json(), first.json());
  const auto text = withModel(similarity);
  EXPECT_NE(text.out.find("measured on "), std::string::npos) << text.out;

  const Arguments heads{"heads", "--data", m_images, "--samples", "6", "--keep", "--json"};
  const auto values = withModel(heads);
  expectOk(values);
  EXPECT_EQ(withModel(heads).json(), values.json());
  auto unkept = heads;
  unkept.erase(unkept.end() - 2);
  auto direct = withModel(unkept).json();
  for (auto& measure : direct["results"][0]["measures"])
    EXPECT_TRUE(measure["measured"].is_null());
  EXPECT_EQ(direct["results"][0]["measures"][0]["values"],
            values.json()["results"][0]["measures"][0]["values"]);

  const auto list = runAtHome({"results", "--json"});
  expectOk(list);
  const auto results = list.json()["results"];
  ASSERT_EQ(results.size(), 4u);  // three measures of heads, one similarity
  int similarities = 0;
  for (const auto& result : results) {
    similarities += result["kind"] == "similarity";
    EXPECT_EQ(result["samples"], 6);
    EXPECT_EQ(result["path"], fs::weakly_canonical(m_images).string());
  }
  EXPECT_EQ(similarities, 1);
  const auto lines = runAtHome({"results"});
  EXPECT_NE(lines.out.find("heads entropy"), std::string::npos) << lines.out;
  EXPECT_NE(lines.out.find("at most 6 images"), std::string::npos) << lines.out;
  // Without --keep nothing is looked up; with --anew it is measured, and kept in its place.
  auto anew = json;
  anew.push_back("--anew");
  expectOk(withModel(anew));
  EXPECT_EQ(runAtHome({"results", "--json"}).json()["results"].size(), 4u);
  // A damaged file is measured anew.
  for (const auto& entry : fs::directory_iterator(m_folder / "home/headlight/results"))
    write(fs::relative(entry.path(), m_folder).string(), std::string("{\"schema\":"));
  const auto mended = withModel(json);
  expectOk(mended);
  EXPECT_EQ(mended.json()["results"][0]["mean"], first.json()["results"][0]["mean"]);
  const auto cleared = runAtHome({"results", "--clear"});
  expectOk(cleared);
  EXPECT_NE(cleared.out.find("4 results removed"), std::string::npos) << cleared.out;
  EXPECT_TRUE(runAtHome({"results", "--json"}).json()["results"].empty());
}

}  // namespace
}  // namespace headlight::testing
