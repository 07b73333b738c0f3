// SPDX-License-Identifier: GPL-3.0-or-later

// Mechanisms that came after the papers' tables, as a user runs them: trained, asked for their
// maps, summed up, masked or refused.

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class LaterAttentionCliTest : public CliTest {
 protected:
  fs::path config(const std::string& mechanism, const json& attention = json::object()) const {
    json config = tinyTraining();
    config["model"]["mechanism"] = mechanism;
    config["model"]["attention"] = attention;
    config["masks"] = {{"scheme", "none"}};
    config["data"]["train_samples"] = 18;
    config["data"]["validation_samples"] = 9;
    config["training"]["epochs"] = 1;
    config["telemetry"]["als_steps"] = 0;
    return write(mechanism + ".json", config);
  }
  Outcome predict(const fs::path& model, const Arguments& more = {}) const {
    const fs::path input = path("input.safetensors");
    writeTensors(input, {{"input", floatTensor({1, 3, 16, 16}, std::vector<float>(3 * 16 * 16))}});
    Arguments arguments{"predict", "--model", model, "--tensor", input, "-o", "out.safetensors"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(LaterAttentionCliTest, LinearOnesTrainAndRefuseMasks) {
  for (const std::string mechanism : {"focused_linear", "rank_augmented", "magnitude_aware"}) {
    SCOPED_TRACE(mechanism);
    const fs::path file = config(mechanism, {{"convolution", 3}});
    expectOk(run({"train", file, "--run", mechanism}));
    expectOk(predict(path(mechanism + "/last.safetensors")));
    expectError(predict(file, {"--masks", "sch1"}), 2, {"masks.scheme", "no logits"});
  }
}

TEST_F(LaterAttentionCliTest, OthersTrainAndTakeMasksWhereTheyHaveLogits) {
  expectOk(run({"train", config("agent", {{"agents", 2}}), "--run", "agent"}));
  expectError(predict(config("agent"), {"--masks", "sch1"}), 2, {"masks.scheme", "no logits"});
  for (const std::string mechanism : {"taylor_shift", "differential", "gated_softmax"}) {
    SCOPED_TRACE(mechanism);
    expectOk(run({"train", config(mechanism), "--run", mechanism, "--masks", "sch1"}));
    expectOk(predict(path(mechanism + "/last.safetensors")));
  }
}

TEST_F(LaterAttentionCliTest, TheEfficientFormRefusesMasks) {
  const fs::path file = config("taylor_shift", {{"form", "efficient"}});
  expectOk(predict(file));
  expectError(predict(file, {"--masks", "sch1"}), 2, {"efficient", "model.attention.form"});
}

TEST_F(LaterAttentionCliTest, SummarySaysTheCrossover) {
  const auto outcome = run({"summary", config("taylor_shift")});  // 17 tokens, heads of width 8
  expectOk(outcome);
  for (const char* words : {"17 tokens", "direct form", "from 73 tokens", "from 47"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " in " << outcome.out;
  const auto large = run({"summary", config("taylor_shift"), "--image-size", "64", "--json"});
  expectOk(large);
  const json models = large.json();
  ASSERT_EQ(models[0]["notices"].size(), 1u);
  const std::string notice = models[0]["notices"][0];
  EXPECT_NE(notice.find("efficient form"), std::string::npos) << notice;
}

TEST_F(LaterAttentionCliTest, SummaryListsThemWithTheirOptions) {
  const auto outcome = run({"summary", "--mechanisms"});
  expectOk(outcome);
  for (const char* words :
       {"focused_linear", "focus", "rank_augmented", "augment_buffer", "magnitude_aware", "scaling",
        "agent", "agents", "taylor_shift", "form", "differential", "gated_softmax", "gate"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words;
}

TEST_F(LaterAttentionCliTest, BadOptionsAreRefusedByPath) {
  expectError(run({"summary", config("focused_linear", {{"convolution", 4}})}), 2,
              {"model.attention.convolution", "odd"});
  expectError(run({"summary", config("agent", {{"agents", 0}})}), 2, {"model.attention.agents"});
  json odd = json::parse(readBytes(config("differential")));
  odd["model"]["width"] = 10;
  expectError(run({"summary", write("odd.json", odd)}), 2, {"model.heads", "even width"});
}

}  // namespace
}  // namespace headlight::testing
