// SPDX-License-Identifier: GPL-3.0-or-later

// query-key-map: points as JSON, table and figure; what is drawn by a seed; what is refused.

#include <algorithm>
#include <cmath>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class QueryKeyMapCliTest : public ImagesCliTest {
 protected:
  Outcome map(Arguments more) const {
    Arguments arguments{"query-key-map", "--device", "cpu", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runWithModel(arguments);
  }
};

TEST_F(QueryKeyMapCliTest, PointsAreTheSameEverywhere) {
  const Outcome outcome =
      map({"--image", m_files[0].string(), m_files[1].string(), "--layer", "1", "--head", "2",
           "--tokens", "5", "-o", "map.png", "--csv", "map.csv", "--color", "row", "--json"});
  expectOk(outcome);
  const json result = outcome.json();
  EXPECT_EQ(result["layer"], 1);
  EXPECT_EQ(result["head"], 2);
  EXPECT_EQ(result["images"][0]["file"], m_files[0].string());
  ASSERT_EQ(result["points"].size(), 20u);
  EXPECT_EQ(result["points"][0]["role"], "query");
  EXPECT_TRUE(result["points"][0]["row"].is_null());  // the class token
  EXPECT_EQ(result["points"][19]["role"], "key");
  EXPECT_TRUE(result["points"][19]["row"].is_number());
  EXPECT_EQ(result["pairs"], 50);
  EXPECT_GT(result["alignment"]["scale"].get<double>(), 0);
  EXPECT_EQ(result["alignment"]["translation"].size(), result["width"].get<std::size_t>());
  EXPECT_LE(std::abs(result["spearman"]["map"]["product"].get<double>()), 1);
  EXPECT_TRUE(result["spearman"]["space"]["attention"].is_number());
  EXPECT_EQ(readBytes(path("map.png")).substr(1, 3), "PNG");
  const std::string csv = readBytes(path("map.csv"));
  EXPECT_TRUE(csv.starts_with("image,role,token,row,column,x,y,norm,class\n0,query,0,,,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 21);
}

TEST_F(QueryKeyMapCliTest, ADatasetIsDrawnByTheSeed) {
  const auto indices = [&](const char* seed) {
    const Outcome outcome = map({"--data", m_images.string(), "--images", "3", "--tokens", "4",
                                 "--seed", seed, "--scale", "correlation", "--json"});
    expectOk(outcome);
    const json result = outcome.json();
    EXPECT_EQ(result["notes"].size(), 1u);
    json tokens = json::array();
    for (const json& point : result["points"])
      tokens.push_back({point["image"], point["token"]});
    return tokens;
  };
  EXPECT_EQ(indices("1"), indices("1"));
  EXPECT_NE(indices("1"), indices("2"));
  const Outcome text = map({"--image", m_files[0].string()});
  expectOk(text);
  EXPECT_NE(text.out.find("of the variance"), std::string::npos) << text.out;
}

TEST_F(QueryKeyMapCliTest, RefusesWhatDoesNotFit) {
  expectError(run({"query-key-map", "--image", m_files[0].string()}), 2, {"--model"});
  expectError(map({"--image", m_files[0].string(), "--color", "taste"}), 2, {"role"});
  expectError(map({"--image", m_files[0].string(), "-o", "map.csv"}), 2, {"--output"});
  expectError(map({"--image", m_files[0].string(), "--tokens", "0"}), 2, {"tokens"});
  expectError(map({"--image", m_files[0].string(), "--head", "9"}), 2, {"head"});
  expectError(map({"--image", m_files[0].string(), "--layer", "9"}), 2, {"layer"});
}

}  // namespace
}  // namespace headlight::testing
