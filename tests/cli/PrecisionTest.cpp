// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate --precision: named in what it says, and refused with a reason where the device has no
// such products.

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class PrecisionCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    json config = tinyTraining();
    config["training"]["epochs"] = 1;
    expectOk(run({"train", write("config.json", config), "--run", "a"}));
  }
  Outcome evaluated(const Arguments& more) const {
    Arguments all{"evaluate", "--weights", "a/last.safetensors", "--device", "cpu"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
};

/// What else evaluate can be asked for.
const std::vector<Arguments> kKinds{{}, {"--classes"}, {"--beside", "none"}, {"--check"}};

TEST_F(PrecisionCliTest, EveryResultNamesItsPrecision) {
  for (const Arguments& kind : kKinds) {
    Arguments arguments = kind;
    arguments.push_back("--json");
    EXPECT_EQ(evaluated(arguments).json()["precision"], "float32");
  }
}

TEST_F(PrecisionCliTest, BothPrecisionsCanBeComparedWhereTheDeviceHasThem) {
  const Outcome narrow = evaluated({"--precision", "bfloat16", "--json"});
  if (narrow.exitCode != 0) {
    EXPECT_EQ(narrow.exitCode, 2);
    const json error = narrow.errorJson()["error"];
    EXPECT_EQ(error["where"], "--precision");
    EXPECT_NE(error["message"].get<std::string>().find("bfloat16"), std::string::npos);
    return;
  }
  const json rounded = narrow.json(), exact = evaluated({"--json"}).json();
  EXPECT_EQ(rounded["precision"], "bfloat16");
  EXPECT_NE(rounded["loss"], exact["loss"]);
  EXPECT_NEAR(rounded["loss"], exact["loss"], 0.05);
  const Outcome text = evaluated({"--precision", "bfloat16"});
  EXPECT_NE(text.out.find("products in bfloat16"), std::string::npos) << text.out;
}

TEST_F(PrecisionCliTest, APrecisionThatTheDeviceLacksIsRefused) {
  for (Arguments kind : kKinds) {
    kind.insert(kind.end(), {"--precision", "float16"});
    const Outcome refused = evaluated(kind);
    expectError(refused, 2, {"--precision", "CUDA", "float32"});
    EXPECT_EQ(refused.out, "");
    kind.back() = "half";
    expectError(evaluated(kind), 2, {"--precision", "\"half\"", "bfloat16"});
  }
}

}  // namespace
}  // namespace headlight::testing
