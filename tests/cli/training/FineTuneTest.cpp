// SPDX-License-Identifier: GPL-3.0-or-later

// Fine-tuning by command: LoRA and bottlenecks kept apart, merged and opened; what is refused.

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class FineTuneCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    auto config = tinyTraining();
    config["masks"] = {{"scheme", "none"}};
    config["training"]["epochs"] = 1;
    config["data"]["train_samples"] = 18;
    m_config = write("config.json", config);
  }
  Outcome train(const Arguments& more) const {
    Arguments arguments{"train", m_config.string(), "--run", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  json measured(const std::string& weights) const {
    return run({"evaluate", "--weights", weights, "--device", "cpu", "--threads", "1", "--json"})
        .json();
  }

  fs::path m_config;
};

bool hasPart(const Tensors& tensors, const std::string& part) {
  for (const auto& item : tensors)
    if (item.first.find(part) != std::string::npos) return true;
  return false;
}

TEST_F(FineTuneCliTest, LoraIsApartInTheRunAndMergedOnExport) {
  expectOk(train({"--recipe", "lora", "--training.epochs", "1", "--training.batch_size", "8",
                  "--training.adapter_layers", "q,v,proj,mlp"}));
  EXPECT_TRUE(hasPart(readTensors(path("run/best.safetensors")), ".lora_q."));
  const Tensors last = readTensors(path("run/last.safetensors"));
  EXPECT_TRUE(last.contains("optimizer.first.blocks.0.attn.qkv.lora_v.up"));
  EXPECT_FALSE(last.contains("optimizer.first.blocks.0.attn.qkv.weight"));
  expectOk(run({"convert", "run/best.safetensors", "merged.safetensors"}));
  const Tensors merged = readTensors(path("merged.safetensors"));
  EXPECT_FALSE(hasPart(merged, "lora_"));
  EXPECT_NE(merged.at("blocks.0.attn.qkv.weight"), last.at("blocks.0.attn.qkv.weight"));
  EXPECT_EQ(merged.at("blocks.0.norm1.weight"), last.at("blocks.0.norm1.weight"));
  EXPECT_EQ(measured("merged.safetensors")["loss"], measured("run/best.safetensors")["loss"]);
}

TEST_F(FineTuneCliTest, BottlenecksStayAndItIsSaid) {
  expectOk(train({"--training.adapter", "bottleneck", "--training.adapter_rank", "4"}));
  const Outcome converted =
      run({"convert", "run/best.safetensors", "kept.safetensors", "--weights-only"});
  expectOk(converted);
  EXPECT_NE((converted.out + converted.err).find("bottlenecks"), std::string::npos);
  EXPECT_TRUE(hasPart(readTensors(path("kept.safetensors")), ".bottleneck.up.weight"));
  EXPECT_EQ(measured("kept.safetensors")["loss"], measured("run/best.safetensors")["loss"]);
}

TEST_F(FineTuneCliTest, AReplayIsBitIdentical) {
  expectOk(train({"--training.adapter", "lora", "--training.adapter_dropout", "0.1",
                  "--training.head_epochs", "0.5", "--training.layer_decay", "0.8"}));
  const Outcome replayed = run({"replay", "run"});
  expectOk(replayed);
  EXPECT_NE(replayed.out.find("bit-identical"), std::string::npos) << replayed.out;
}

TEST_F(FineTuneCliTest, RefusesWhatDoesNotFit) {
  const auto refused = [&](const Arguments& arguments, const std::vector<std::string>& words) {
    const Outcome outcome = train(arguments);
    EXPECT_NE(outcome.exitCode, 0);
    for (const std::string& word : words)
      EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(path("run")));
  };
  refused({"--training.freeze", "everything"}, {"training.freeze", "all but the head"});
  refused({"--training.freeze", "*"}, {"training.freeze", "no parameter to train"});
  refused({"--training.freeze", "first 9 blocks"}, {"training.freeze", "the model has 2"});
  refused({"--training.adapter", "lora", "--training.adapter_layers", "qkv"},
          {"training.adapter_layers", "q, k, v, proj, mlp"});
  refused({"--training.adapter", "lora", "--model.mechanism", "synthesizer"},
          {"training.adapter_layers", "synthesizer"});
  refused({"--data.teacher_logits", "nowhere.safetensors", "--training.distillation", "soft"},
          {"data.teacher_logits", "nowhere.safetensors"});
}

}  // namespace
}  // namespace headlight::testing
