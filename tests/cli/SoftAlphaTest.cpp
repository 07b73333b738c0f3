// SPDX-License-Identifier: GPL-3.0-or-later

// What soft masks have learned, from every command that opens a checkpoint to look at it.

#include <cmath>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class SoftAlphaTest : public CliTest {
 protected:
  /// vit_micro whose layer 1 has a soft head 2 that began at 0.5 and has learned σ(1) = 0.731.
  fs::path learned() const {
    Tensors tensors = readTensors(kGolden / "vit_micro.safetensors");
    tensors["blocks.1.attn.soft_mask_logit"] = floatTensor({3}, {0, 0, 1});
    writeTensors(path("bare.safetensors"), tensors);
    json config = json::parse(readBytes(microConfig()));
    config["masks"] = {{"scheme", "mine"}, {"cells", {json::array(), {"none", "none", "soft:3"}}}};
    expectOk(run({"convert", path("bare.safetensors"), "soft.safetensors", "--model",
                  write("soft.json", config)}));
    return path("soft.safetensors");
  }
  static void expectLearned(const json& alpha) {
    ASSERT_EQ(alpha.size(), 3u) << alpha;
    EXPECT_TRUE(alpha[0][0].is_null() && alpha[1][0].is_null() && alpha[2][2].is_null()) << alpha;
    EXPECT_NEAR(alpha[1][2].get<double>(), 0.7310586, 1e-6);
  }
};

TEST_F(SoftAlphaTest, ShownForACheckpoint) {
  const fs::path file = learned();
  const std::string line = "learned alpha  layer 1: head 2 0.731";
  const Arguments attend{
      "attend",   "--weights",    file, "--tensor", kGolden / "vit_micro.io.safetensors",
      "--output", "o.safetensors"};
  for (const Arguments& arguments :
       {Arguments{"inspect", file}, Arguments{"summary", file}, attend}) {
    SCOPED_TRACE(arguments.front());
    const auto text = run(arguments);
    expectOk(text);
    EXPECT_NE(text.out.find(line), std::string::npos) << text.out;
    Arguments asJson = arguments;
    asJson.push_back("--json");
    const auto outcome = run(asJson);
    expectOk(outcome);
    const json object = outcome.json();
    expectLearned(object.is_array() ? object[0]["alpha"] : object["alpha"]);
  }
}

TEST_F(SoftAlphaTest, IsNothingWhereNoHeadIsSoft) {
  const auto inspected = run({"inspect", kGolden / "vit_micro.safetensors", "--json"});
  expectOk(inspected);
  EXPECT_TRUE(inspected.json()["alpha"].is_null());
  EXPECT_EQ(run({"summary", "vit_micro"}).out.find("alpha"), std::string::npos);
}

}  // namespace
}  // namespace headlight::testing
