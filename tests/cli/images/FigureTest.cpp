// SPDX-License-Identifier: GPL-3.0-or-later

// figure: a page from flags is the page from its description, drawn as attend draws.

#include <algorithm>

#include "core/imaging/codecs/Image.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using FigureCliTest = ImagesCliTest;

TEST_F(FigureCliTest, ADescriptionMakesTheSamePageAgain) {
  const auto made = runWithModel({"figure", m_files[0], m_files[1], "--columns",
                                  "image, head 1.0, layer 2 (label all), rollout, relevance",
                                  "--scale", "column", "--labels", "one, two", "--dpi", "100", "-o",
                                  "page.png", "--save-page", "page.json", "--json"});
  expectOk(made);
  const auto result = made.json();
  ASSERT_EQ(result["results"].size(), 2u);
  EXPECT_EQ(result["results"][1]["label"], "two");
  EXPECT_EQ(result["headings"][2], "all");
  EXPECT_EQ(result["results"][0]["tiles"][1]["range"], result["results"][1]["tiles"][1]["range"]);
  EXPECT_FALSE(result["results"][0]["tiles"][0].contains("range"));
  expectOk(run({"figure", "page.json", "-o", "again.png"}));
  EXPECT_EQ(readBytes(path("page.png")), readBytes(path("again.png")));
  expectOk(run({"figure", "page.json", m_files[2], "--scale", "own", "-o", "other.pdf"}));
  EXPECT_TRUE(readBytes(path("other.pdf")).starts_with("%PDF-1.4\n"));
}

/// Looked at by the model, and as maps of a file. 44.8 mm at 254 dpi are attend's 448 pixels; its
/// tile begins at (14, 66), the page's at 21.
TEST_F(FigureCliTest, TilesAreThoseOfAttend) {
  expectOk(runWithModel({"attend", m_files[0], "--layer", "1", "--head", "0", "-p", "maps", "-o",
                         "maps.safetensors"}));
  expectOk(runWithModel({"figure", m_files[0], "--columns", "head 1.0", "--tile", "44.8", "--dpi",
                         "254", "--caption", "no", "--bars", "no", "--headings", "no", "--names",
                         "none", "-o", "page.png"}));
  const auto stem = m_files[0].stem().string();
  const Image attend = *readImage(path("maps") / (stem + "-layer1-head0.png"));
  const Image page = *readImage(path("page.png"));
  ASSERT_GE(page.width, 448 + 42);
  for (int y = 0; y < 448; ++y)
    ASSERT_TRUE(std::equal(attend.row(66 + y) + 14 * 3, attend.row(66 + y) + 462 * 3,
                           page.row(21 + y) + 21 * 3))
        << y;
  const auto made = run({"figure", "maps.safetensors[0]", "--columns", "head 1.0, rollout", "-o",
                         "maps.svg", "--json"});
  expectOk(made);
  EXPECT_EQ(made.json()["results"][0]["image"], "maps.safetensors[0]");
  expectError(run({"figure", "maps.safetensors", "--columns", "relevance", "-o", "a.svg"}), 2,
              {"needs a model"});
}

TEST_F(FigureCliTest, WhatCannotBeIsRefused) {
  const auto refused = [&](Arguments arguments, const std::vector<std::string>& words, int code) {
    arguments.insert(arguments.begin(), {"figure", m_files[0].string()});
    expectError(runWithModel(arguments), code, words);
  };
  refused({"--columns", "rolout", "-o", "a.pdf"}, {"--columns", "did you mean", "rollout"}, 2);
  refused({"--columns", "head 9.0", "-o", "a.pdf"}, {"columns[0]", "no layer 9"}, 2);
  refused({"--tile", "300", "--dpi", "1200", "-o", "a.png"}, {"megapixels"}, 2);
  write("bad.json", std::string(R"({"kind": "headlight-figure-page", "columns": ["rolout"]})"));
  expectError(run({"figure", "bad.json", "-o", "a.pdf"}), 2, {"bad.json", "columns[0]"});
}

}  // namespace
}  // namespace headlight::testing
