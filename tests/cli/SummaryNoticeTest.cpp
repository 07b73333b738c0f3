// SPDX-License-Identifier: GPL-3.0-or-later

// summary says what is easily overlooked about a model's windows, and lists every layer once.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class SummaryNoticeCliTest : public CliTest {
 protected:
  Outcome summary(const std::string& name, const Arguments& more = {}) const {
    Arguments arguments{"summary", name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(SummaryNoticeCliTest, WindowsThatDoNotDivideTheGridAreSaidToJoinEdges) {
  const auto swin = summary("swin_tiny", {"--image-size", "256"});
  expectOk(swin);
  EXPECT_NE(swin.out.find("opposite edges"), std::string::npos) << swin.out;
  const auto json = summary("swin_tiny", {"--image-size", "256", "--json"});
  expectOk(json);
  EXPECT_EQ(json.json()[0]["notices"].size(), 1u);
  for (const Arguments& size : {Arguments{}, Arguments{"--image-size", "224"}}) {
    const auto usual = summary("swin_tiny", size);
    expectOk(usual);
    EXPECT_EQ(usual.out.find("opposite edges"), std::string::npos) << usual.out;
  }
}

TEST_F(SummaryNoticeCliTest, OnlyConfigsOfBeforeHaveLslaJoinEdges) {
  const nlohmann::json model{{"name", "vit_lsla"}, {"image_size", 256}};
  const auto old = summary(write("old.json", {{"schema", 2}, {"model", model}}));
  expectOk(old);
  EXPECT_NE(old.out.find("opposite edges"), std::string::npos) << old.out;
  EXPECT_NE(old.out.find("model.attention.padding"), std::string::npos) << old.out;
  const auto now = summary(write("now.json", {{"model", model}}));
  expectOk(now);
  EXPECT_EQ(now.out.find("opposite edges"), std::string::npos) << now.out;
}

TEST_F(SummaryNoticeCliTest, TheConvolutionAlongTheTokensIsListedOnce) {
  const auto outcome = summary("castling_deit_tiny", {"--layers", "--json"});
  expectOk(outcome);
  const auto models = outcome.json();
  int found = 0;
  for (const auto& layer : models[0]["layers"])
    if (layer["name"] == "blocks.0.attn.dconv") {
      ++found;
      EXPECT_GT(layer["parameters"], 0);
      EXPECT_GT(layer["macs"], 0);
    }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace headlight::testing
