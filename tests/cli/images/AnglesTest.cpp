// SPDX-License-Identifier: GPL-3.0-or-later

// angles: the numbers of the angular kernel and of an image, the fit, and what is refused.

#include <cmath>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class AnglesCliTest : public ImagesCliTest {};

TEST_F(AnglesCliTest, AnImageHasItsAnglesInNumbersAndFigures) {
  const auto outcome =
      runWithModel({"angles", m_files[0].string(), "--layer", "1", "--head", "0", "--query", "2,1",
                    "--bins", "30", "-o", "angles.csv", "--json"});
  expectOk(outcome);
  const auto image = outcome.json()["picture"];
  EXPECT_EQ(image["of"], "layer 1, head 0");
  EXPECT_EQ(image["share"].size(), 30u);
  double sum = 0;
  for (const double share : image["share"])
    sum += share;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(image["pairs"], 65 * 65);  // 8 × 8 patches and a class token
  EXPECT_EQ(image["token"], "patch (2, 1)");
  EXPECT_EQ(image["token_angles"].size(), 65u);
  EXPECT_EQ(outcome.json()["kernels"].size(), 7u);
  const std::string csv = readBytes(path("angles.csv"));
  EXPECT_EQ(csv.substr(0, 41), "panel,line,degrees,value,deviation,scale\n");
  EXPECT_NE(csv.find("kernels,\"ReLU-E\","), std::string::npos);
}

TEST_F(AnglesCliTest, WithoutAnImageThereAreTheCurves) {
  const auto outcome = run({"angles", "--terms", "1", "-o", "curves.svg"});
  expectOk(outcome);
  EXPECT_NE(outcome.out.find("      180    0.0000    0.1817"), std::string::npos) << outcome.out;
  EXPECT_NE(readBytes(path("curves.svg")).find("linear terms"), std::string::npos);
}

TEST_F(AnglesCliTest, QueriesAndKeysAreOnTheSphere) {
  const auto outcome = runWithModel({"angles", m_files[0].string(), "--sphere", "3", "--layer", "1",
                                     "--query", "2,1", "-o", "sphere.csv", "--json"});
  expectOk(outcome);
  const auto json = outcome.json();
  EXPECT_EQ(json["dimensions"], 3);
  EXPECT_EQ(json["token_text"], "patch (2, 1)");
  ASSERT_FALSE(json["heads"].empty());
  for (const auto& head : json["heads"]) {
    EXPECT_EQ(head["axis_shares"].size(), 3u);
    const auto& images = head["queries"]["images"];
    ASSERT_EQ(images.size(), 3u * 65);
    for (std::size_t i = 0; i < images.size(); i += 3) {
      const double x = images[i], y = images[i + 1], z = images[i + 2];
      EXPECT_NEAR(x * x + y * y + z * z, 1, 1e-9);
    }
  }
  const std::string csv = readBytes(path("sphere.csv"));
  EXPECT_EQ(csv.substr(0, 22), "layer,head,kind,token,");
  const auto figure = runWithModel({"angles", m_files[0].string(), "--sphere", "2", "--layer", "0",
                                    "--head", "1", "-o", "sphere.svg"});
  expectOk(figure);
  EXPECT_NE(figure.out.find("layer 0, head 1: axes show "), std::string::npos) << figure.out;
  EXPECT_NE(readBytes(path("sphere.svg")).find("image on the circle"), std::string::npos);
}

TEST_F(AnglesCliTest, ANetworkFitsTheKernel) {
  const auto outcome = run({"angles", "--fit", "--steps", "200", "--target", "residual", "--seed",
                            "3", "-o", "fit.pdf", "--json"});
  expectOk(outcome);
  const auto fit = outcome.json();
  EXPECT_EQ(fit["target"], "residual");
  EXPECT_EQ(fit["errors"].size(), fit["frequencies"].size() * fit["steps"].size());
  EXPECT_LT(fit["losses"].back(), fit["losses"].front());
  EXPECT_EQ(readBytes(path("fit.pdf")).substr(0, 5), "%PDF-");
}

TEST_F(AnglesCliTest, WhatCannotBeIsRefused) {
  const std::string image = m_files[0].string();
  expectError(run({"angles", image}), 2, {"--model"});
  expectError(run({"angles", "--fit", "--target", "all"}), 2, {"kernel or residual"});
  expectError(run({"angles", "-o", "angles.txt"}), 2, {".csv"});
  expectError(runWithModel({"angles", image, "--layer", "3"}), 2, {"layer", "has 3"});
  expectError(run({"angles", "--sphere", "2"}), 2, {"--sphere", "image"});
  expectError(runWithModel({"angles", image, "--sphere", "4", "--layer", "0"}), 2, {"2 or 3"});
  expectError(runWithModel({"angles", image, "--sphere", "2"}), 2, {"layer", "0 to 2"});
}

}  // namespace
}  // namespace headlight::testing
