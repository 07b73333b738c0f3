// SPDX-License-Identifier: GPL-3.0-or-later

// Weights that some of a model's are not among: a model that is partly random answers at random.

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class MisfitTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    m_tensors = readTensors(kGolden / "vit_micro.safetensors");
  }
  static Tensor zeros(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const auto size : shape)
      count *= size;
    return floatTensor(shape, std::vector<float>(static_cast<std::size_t>(count)));
  }
  /// Every command that answers with the model, with these weights.
  std::vector<Arguments> commands(const Arguments& more) {
    writeTensors(path("w.safetensors"), m_tensors);
    const fs::path io = kGolden / "vit_micro.io.safetensors";
    std::vector<Arguments> all{{"predict", "--tensor", io},
                               {"attend", "--tensor", io, "--output", "o.safetensors"},
                               {"evaluate", "--data.dataset", "texture-shape",
                                "--data.validation_samples", "9", "--match", "index"}};
    for (Arguments& arguments : all) {
      arguments.insert(arguments.end(), {"--weights", path("w.safetensors"), "--device", "cpu"});
      arguments.insert(arguments.end(), more.begin(), more.end());
    }
    return all;
  }

  Tensors m_tensors;
};

TEST_F(MisfitTest, IsAnErrorUnlessItIsWanted) {
  m_tensors["blocks.1.attn.qkv.weight"] = zeros({60, 48});
  m_tensors.erase("blocks.2.mlp.fc2.bias");
  for (const Arguments& arguments : commands({"--model", microConfig()})) {
    SCOPED_TRACE(arguments.front());
    expectError(run(arguments), 3,
                {"w.safetensors", "2 of its tensors", "blocks.1.attn.qkv.weight",
                 "blocks.2.mlp.fc2.bias", "--partial"});
  }
  for (const Arguments& arguments : commands({"--model", microConfig(), "--partial"})) {
    SCOPED_TRACE(arguments.front());
    const auto outcome = run(arguments);
    expectOk(outcome);
    EXPECT_NE(outcome.err.find("blocks.1.attn.qkv.weight"), std::string::npos) << outcome.err;
  }
}

TEST_F(MisfitTest, OfAFileThatCarriesItsExperimentToo) {
  writeTensors(path("w.safetensors"), m_tensors);
  expectOk(run({"convert", path("w.safetensors"), "own.safetensors", "--model", microConfig()}));
  const std::string name = "\"norm.bias\"", other = "\"norm.bins\"";
  std::string bytes = readBytes(path("own.safetensors"));
  bytes.replace(bytes.find(name), name.size(), other);
  const auto file = write("renamed.safetensors", bytes);
  const Arguments predict{"predict", "--weights", file, "--tensor",
                          kGolden / "vit_micro.io.safetensors"};
  expectError(run(predict), 3, {"1 of its tensors", "norm.bias", "--partial"});
}

TEST_F(MisfitTest, PositionsOfAnotherGridAndParametersOfMasksFit) {
  nlohmann::json config = nlohmann::json::parse(readBytes(microConfig()));
  config["model"]["image_size"] = 48;
  const std::vector<std::string> plain(3, "none"), masked{"soft:3@0.3", "random:3#7", "none"};
  config["masks"]["scheme"] = "mine";
  config["masks"]["cells"] = std::vector{masked, plain, plain};
  const auto larger = write("larger.json", config);
  writeTensors(path("w.safetensors"), m_tensors);
  expectOk(run({"evaluate", "--model", larger, "--weights", path("w.safetensors"), "--data.dataset",
                "texture-shape", "--data.validation_samples", "9", "--match", "index"}));
}

TEST_F(MisfitTest, ABareFileWithTensorsThatNothingExplainsIsNotTakenForSoftmax) {
  struct Case {
    std::string without, with;
    std::vector<std::int64_t> shape;
  };
  const std::vector<Case> cases{{"", "blocks.0.attn.temperature", {3, 1, 1}},
                                {"", "blocks.2.attn.q_norm.weight", {16}},
                                {"", "norm_odd.weight", {48}},
                                {"blocks.1.attn.proj.bias", "", {}},
                                {"norm.weight", "odd_norm.weight", {48}},
                                {"", "blocks.1.mlp.fc1.bias", {191}}};
  const Tensors whole = m_tensors;
  for (const Case& odd : cases) {
    m_tensors = whole;
    m_tensors.erase(odd.without);
    if (!odd.with.empty()) m_tensors[odd.with] = zeros(odd.shape);
    std::vector<std::string> words{"softmax", "--model"};
    for (const auto& name : {odd.without, odd.with})
      if (!name.empty()) words.push_back(name);
    for (const Arguments& more : {Arguments{}, Arguments{"--partial"}})
      expectError(run(commands(more).front()), 3, words);
    expectError(
        run({"convert", path("w.safetensors"), "o.safetensors", "--model", path("w.safetensors")}),
        3, words);
  }
}

TEST_F(MisfitTest, BuffersThatFollowFromSizesAreExplained) {
  Tensors swin = readTensors(kGolden / "swin_micro.safetensors");
  swin["layers.0.blocks.0.attn.relative_position_index"] = zeros({16, 16});
  swin["layers.0.blocks.1.attn_mask"] = zeros({4, 16, 16});
  writeTensors(path("swin.safetensors"), swin);
  const auto outcome = run({"evaluate", "--weights", path("swin.safetensors"), "--data.dataset",
                            "texture-shape", "--data.validation_samples", "9", "--match", "index"});
  expectOk(outcome);
}

}  // namespace
}  // namespace headlight::testing
