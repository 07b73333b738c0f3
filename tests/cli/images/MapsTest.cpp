// SPDX-License-Identifier: GPL-3.0-or-later

// Maps without a model on the command line: the numbers that a model's own maps give, and what says
// why it cannot be had.

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class MapsCliTest : public ImagesCliTest {
 protected:
  void SetUp() override {
    ImagesCliTest::SetUp();
    expectOk(runWithModel({"attend", m_files[0], m_files[1], "-o", "maps.safetensors"}));
  }
};

const fs::path kTimm = kGolden / "vit_micro.io.safetensors";

TEST_F(MapsCliTest, AttendGivesTheMapsAndRolloutOfTheModel) {
  const auto outcome = run({"attend", "maps.safetensors", "-o", "again.safetensors", "--json"});
  expectOk(outcome);
  const Tensors first = readTensors(path("maps.safetensors"));
  const Tensors again = readTensors(path("again.safetensors"));
  EXPECT_EQ(first, again);  // logits, attention.L, rollout
  const auto results = outcome.json()["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1]["image"], "maps.safetensors[1]");
  const auto models = runWithModel({"attend", m_files[1], "-o", "one.safetensors", "--json"});
  expectOk(models);
  EXPECT_EQ(results[1]["locality"], models.json()["results"][0]["locality"]);
  EXPECT_EQ(results[1]["top"][0]["index"], models.json()["results"][0]["top"][0]["index"]);
}

TEST_F(MapsCliTest, AttendDrawsEachImage) {
  const auto outcome =
      run({"attend", "maps.safetensors", "-p", "drawn", "--layer", "1", "--head", "2"});
  expectOk(outcome);
  for (const char* name : {"maps-0-grid.png", "maps-1-rollout.png", "maps-1-layer1-head2.png"})
    EXPECT_TRUE(fs::exists(path("drawn") / name)) << name;
  EXPECT_NE(outcome.err.find("plain gray"), std::string::npos) << outcome.err;
  expectOk(run({"attend", "maps.safetensors[1]", "-p", "single"}));
  EXPECT_FALSE(fs::exists(path("single/maps-0-grid.png")));
  EXPECT_TRUE(fs::exists(path("single/maps-1-grid.png")));
}

TEST_F(MapsCliTest, ClassNamesNestedDeepAreAnError) {
  setMetadata(path("maps.safetensors"), "class_names",
              std::string(60'000, '[') + std::string(60'000, ']'));
  for (const char* command : {"attend", "predict"})
    expectError(run({command, "maps.safetensors", "-o", "out.safetensors"}), 3,
                {"maps.safetensors", "class_names", "64 levels"});
}

TEST_F(MapsCliTest, AFileOfTimmOpensByItself) {
  const auto outcome = run({"attend", kTimm, "-o", "out.safetensors", "--json"});
  expectOk(outcome);
  const Tensors io = readTensors(kTimm), out = readTensors(path("out.safetensors"));
  for (const auto& [name, tensor] : io)
    if (name.starts_with("attention.") || name == "logits") {
      EXPECT_EQ(out.at(name), tensor) << name;
    }
  // Grid 4 x 6, as its metadata says.
  const auto hooked =
      run({"attend", kGolden / "maps_from_hook.safetensors", "-o", "h.safetensors"});
  expectOk(hooked);
  EXPECT_EQ(readTensors(path("h.safetensors")).at("rollout").shape,
            (std::vector<std::int64_t>{2, 24}));
}

TEST_F(MapsCliTest, HeadsAndSimilarityAreThoseOfTheModel) {
  for (const char* command : {"heads", "similarity"}) {
    const auto maps = run({command, "--image", "maps.safetensors[1]", "--json"});
    const auto model = runWithModel({command, "--image", m_files[1], "--json"});
    expectOk(maps);
    expectOk(model);
    auto a = maps.json()["results"][0], b = model.json()["results"][0];
    if (std::string(command) == "similarity") {
      EXPECT_EQ(a["mean"], b["mean"]);
      EXPECT_EQ(a["heads"], b["heads"]);
      continue;
    }
    ASSERT_EQ(a["measures"].size(), 3u);
    for (int i = 0; i < 2; ++i)  // als and entropy; distances are in pixels of the image
      EXPECT_EQ(a["measures"][i]["values"], b["measures"][i]["values"]);
  }
  expectError(run({"heads", "--image", "maps.safetensors[0]", "--measure", "importance"}), 2,
              {"maps without a model"});
}

TEST_F(MapsCliTest, PredictTellsTheLogitsClasses) {
  const auto maps = run({"predict", "maps.safetensors", "--json"});
  expectOk(maps);
  const auto model = runWithModel({"predict", m_files[0], "--json"});
  expectOk(model);
  EXPECT_EQ(maps.json()["results"][0]["top"][0]["index"],
            model.json()["results"][0]["top"][0]["index"]);
  EXPECT_NEAR(maps.json()["results"][0]["top"][0]["probability"].get<double>(),
              model.json()["results"][0]["top"][0]["probability"].get<double>(), 1e-5);
  Tensors tensors = readTensors(path("maps.safetensors"));
  tensors.erase("logits");
  writeTensors(path("silent.safetensors"), tensors);
  expectError(run({"predict", "silent.safetensors"}), 2, {"no logits"});
  expectOk(run({"attend", "silent.safetensors", "-o", "none.safetensors"}));
  EXPECT_FALSE(readTensors(path("none.safetensors")).contains("logits"));
}

TEST_F(MapsCliTest, ComparesMapsWithMapsAndWithAModel) {
  const auto two = run({"compare", "maps.safetensors[0]", "--other-image", "maps.safetensors[1]",
                        "--layer", "1", "--head", "0", "-p", "two", "--json"});
  expectOk(two);
  EXPECT_TRUE(fs::exists(path("two/compare.png")));
  const auto models = runWithModel({"compare", m_files[0], "--other-image", m_files[1], "--layer",
                                    "1", "--head", "0", "--json"});
  expectOk(models);
  EXPECT_EQ(two.json()["difference"]["values"], models.json()["difference"]["values"]);
  // The image within the file is the one that the model looks at.
  const auto beside = run({"compare", kTimm.string() + "[0]", "--other-weights",
                           kGolden / "vit_micro.safetensors", "--json"});
  expectOk(beside);
  EXPECT_TRUE(beside.json()["difference"].is_object());
}

TEST_F(MapsCliTest, WhatNeedsAModelSaysSo) {
  for (const Arguments& arguments :
       {Arguments{"attend", m_files[0], "--weights", "maps.safetensors"},
        Arguments{"attend", m_files[0], "--model", "maps.safetensors"},
        Arguments{"predict", m_files[0], "--model", "maps.safetensors"},
        Arguments{"evaluate", "--model", "maps.safetensors", "--data", m_images},
        Arguments{"heads", "--weights", "maps.safetensors", "--data", m_images}})
    expectError(run(arguments), 2, {"maps without a model", "headlight-cli attend"});
  for (const char* method : {"relevance", "grad-cam", "features", "depth", "faithfulness"})
    expectError(run({"attend", "maps.safetensors", "--show", method}), 2, {"maps without a model"});
  expectError(run({"attend", "maps.safetensors", "--show", "inner_bias"}), 2, {"attention"});
  expectError(run({"attend", "maps.safetensors", "--masks", "sch1"}), 2, {"--masks"});
  expectError(run({"attend", "maps.safetensors", m_files[0]}), 2, {"one map file"});
  expectError(run({"attend", "maps.safetensors[2]", "-o", "o.safetensors"}), 2, {"2 images"});
  expectError(runWithModel({"attend", "maps.safetensors"}), 2, {"need no model"});
  expectError(run({"heads", "--image", "maps.safetensors", "--select", "als<0.5"}), 2,
              {"one image"});
  expectError(run({"compare", "maps.safetensors", "--other-head", "1"}), 2,
              {"maps.safetensors[0]"});
}

TEST_F(MapsCliTest, BadMapsAreNamed) {
  Tensors tensors = readTensors(path("maps.safetensors"));
  auto values = tensors.at("attention.1").floats();
  const auto& shape = tensors.at("attention.1").shape;
  const auto tokens = static_cast<std::size_t>(shape[3]);
  values[tokens * tokens + 3 * tokens + 1] = NAN;  // image 0, head 1, row 3
  tensors["attention.1"] = floatTensor(shape, values);
  writeTensors(path("nan.safetensors"), tensors);
  expectError(run({"attend", "nan.safetensors", "-o", "o.safetensors"}), 3,
              {"attention.1", "head 1", "row 3", "NaN"});
  writeTensors(path("odd.safetensors"),
               {{"attention.0", floatTensor({1, 1, 7, 7}, std::vector<float>(49, 1 / 7.0f))}});
  expectError(run({"attend", "odd.safetensors", "-o", "o.safetensors"}), 3,
              {"7 tokens", "give `grid`"});
  setMetadata(path("odd.safetensors"), "grid", "2, 3");
  expectOk(run({"attend", "odd.safetensors", "-o", "o.safetensors"}));
}

/// The code blocks of the help page.
std::vector<std::string> codeOfPage() {
  std::ifstream page(fs::path(HEADLIGHT_SOURCE_DIR) / "resources/help/maps.md");
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line == "```python";
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

TEST_F(MapsCliTest, TheLinesOfTheHelpPageRun) {
  const auto code = codeOfPage();
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(std::count(code[0].begin(), code[0].end(), '\n'), 8);
  std::string python;
  for (const char* program : {"python3", "/usr/bin/python3"})
    if (python.empty() &&
        shell(std::string(program) + " -c 'import torch, numpy'", options()).exitCode == 0)
      python = program;
  if (python.empty()) GTEST_SKIP() << "Python has no torch here";
  // What the hook needs of a model of timm.
  const std::string model = R"(
import sys, types, torch
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attn_drop = torch.nn.Identity()
    def forward(self, x):
        q = x.reshape(x.shape[0], 10, 2, 4).transpose(1, 2)
        maps = self.attn_drop((q @ q.transpose(2, 3)).softmax(-1))
        return (maps @ q).transpose(1, 2).reshape(x.shape)
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
    def forward(self, x): return x + self.attn(x)
class Model(torch.nn.Module):
    num_prefix_tokens = 1
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block(), Block())
    def forward(self, images):
        return self.blocks(images.reshape(images.shape[0], -1)[:, :80].reshape(-1, 10, 8))[:, 0, :5]
torch.manual_seed(0)
model, images = Model().eval(), torch.randn(3, 3, 12, 12)
)";
  write("stand_in.py", code[1]);
  write("hook.py", model +
                       "import stand_in\n"
                       "package = types.ModuleType('safetensors.torch')\n"
                       "package.save_file = stand_in.save_file\n"
                       "sys.modules['safetensors'] = types.ModuleType('safetensors')\n"
                       "sys.modules['safetensors.torch'] = package\n" +
                       code[0]);
  const auto ran = shell(python + " hook.py", options());
  ASSERT_EQ(ran.exitCode, 0) << ran.err;
  fs::rename(path("maps.safetensors"), path("from_python.safetensors"));
  const auto outcome = run({"attend", "from_python.safetensors", "-o", "o.safetensors", "--json"});
  expectOk(outcome);
  EXPECT_EQ(outcome.json()["results"].size(), 3u);
  EXPECT_EQ(readTensors(path("o.safetensors")).at("attention.1").shape,
            (std::vector<std::int64_t>{3, 2, 10, 10}));
}

}  // namespace
}  // namespace headlight::testing
