// SPDX-License-Identifier: GPL-3.0-or-later

// Files of timm that say nothing of Headlight: opened by their tensors' names and shapes alone.

#include <fstream>

#include "tests/cli/Tensors.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class InferCliTest : public CliTest {
 protected:
  /// The logits for the images of `io`.
  Tensor logits(const Arguments& model, const std::string& io) const {
    Arguments arguments{"predict",  "--tensor",        kGolden / io, "--device", "cpu",
                        "--output", "out.safetensors", "--threads",  "1"};
    arguments.insert(arguments.end(), model.begin(), model.end());
    const auto outcome = run(arguments);
    expectOk(outcome);
    if (outcome.exitCode != 0) return {};
    EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;  // all fits
    return readTensors(path("out.safetensors")).at("logits");
  }
  static Tensor expected(const std::string& name) {
    return readTensors(kGolden / (name + ".io.safetensors")).at("logits");
  }
  Outcome predict(const Tensors& tensors) const {
    writeTensors(path("file.safetensors"), tensors);
    return run({"predict", "--weights", "file.safetensors", "--tensor",
                kGolden / "vit_micro.io.safetensors", "--output", "out.safetensors"});
  }
  /// The golden weights with other keyword arguments beside them.
  fs::path withArguments(const std::string& name, const json& arguments) const {
    const std::string bytes = readBytes(kGolden / (name + ".safetensors"));
    std::uint64_t size = 0;
    std::copy_n(bytes.data(), 8, reinterpret_cast<char*>(&size));
    json header = json::parse(bytes.substr(8, size));
    header["__metadata__"] = {{"config", arguments.dump()}};
    return write("other.safetensors", fileWithHeader(header.dump(), bytes.substr(8 + size)));
  }
};

Tensor zeros(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const auto size : shape)
    count *= size;
  return floatTensor(shape, std::vector<float>(static_cast<std::size_t>(count)));
}

Tensors goldenTensors(const std::string& name) {
  return readTensors(kGolden / (name + ".safetensors"));
}

TEST_F(InferCliTest, GoldenFilesOpenAloneWithTheLogitsOfTheirModels) {
  for (const std::string name : {"vit_micro", "deit_distilled_micro", "cait_micro", "convit_micro",
                                 "levit_micro", "mvitv2_micro", "swin_micro"}) {
    const fs::path weights = kGolden / (name + ".safetensors");
    const auto alone = logits({"--weights", weights}, name + ".io.safetensors");
    EXPECT_LE(greatestDifference(alone, expected(name)), 1e-4) << name;
    EXPECT_EQ(alone, logits({"--model", name, "--weights", weights}, name + ".io.safetensors"))
        << name;
  }
}

TEST_F(InferCliTest, WithoutKeywordArgumentsNamesAndShapesAreEnough) {
  for (const std::string name : {"cait_micro", "convit_micro", "levit_micro", "mvitv2_micro"}) {
    writeTensors(path("bare.safetensors"), goldenTensors(name));
    EXPECT_LE(greatestDifference(
                  logits({"--weights", path("bare.safetensors")}, name + ".io.safetensors"),
                  expected(name)),
              1e-4)
        << name;
  }
}

TEST_F(InferCliTest, RecognizedAndAssumedPartsAreReported) {
  const auto outcome = run({"predict", "--weights", kGolden / "mvitv2_micro.safetensors",
                            "--tensor", kGolden / "mvitv2_micro.io.safetensors"});
  expectOk(outcome);
  for (const char* words : {"recognized as MViTv2", "backbone mvitv2", "key pooling"})
    EXPECT_NE(outcome.err.find(words), std::string::npos) << words << " in " << outcome.err;
  // No tensor of a Swin depends on the image size.
  writeTensors(path("bare.safetensors"), goldenTensors("swin_micro"));
  const auto swin = run({"evaluate", "--weights", path("bare.safetensors"), "--data.dataset",
                         "texture-shape", "--data.validation_samples", "10", "--match", "index"});
  expectOk(swin);
  EXPECT_NE(swin.err.find("training image size; assuming 32"), std::string::npos) << swin.err;
}

TEST_F(InferCliTest, OtherCommandsOpenThemToo) {
  const fs::path weights = kGolden / "levit_micro.safetensors";
  const auto inspected = run({"inspect", weights, "--model", weights, "--json"});
  expectOk(inspected);
  EXPECT_TRUE(inspected.json()["against"]["complete"].get<bool>());
  expectOk(run({"convert", weights, "own.safetensors", "--model", weights}));
  const auto metadata = readMetadata(path("own.safetensors"));
  EXPECT_EQ(json::parse(metadata.at("experiment"))["model"]["backbone"], "levit");
}

TEST_F(InferCliTest, AFamilyWhoseRestCannotBeReadOffIsNamed) {
  struct Case {
    std::string from, without, with;  ///< a golden file, without a tensor, with another
    std::vector<std::string> words;
  };
  const std::vector<Case> cases{
      {"cait_micro", "blocks.0.attn.proj_l.weight", "", {"CaiT", "blocks.0.attn.proj_l.weight"}},
      {"cait_micro", "pos_embed", "", {"CaiT", "backbone cait", "pos_embed"}},
      {"swin_micro", "", "layers.0.blocks.0.attn.logit_scale", {"Swin V2"}},
      {"swin_micro", "", "layers.0.downsample.norm.weight", {"Swin", "older timm"}},
      {"swin_micro", "layers.0.blocks.0.attn.relative_position_bias_table", "", {"Swin", "heads"}},
      {"convit_micro", "head.weight", "", {"ConViT", "head.weight"}},
      {"levit_micro", "", "stages.0.blocks.0.attn.dconv.weight", {"LeViT", "Castling"}},
      {"levit_micro", "stages.0.blocks.0.attn.qkv.linear.weight", "", {"LeViT", "qkv"}},
      {"mvitv2_micro", "", "cls_token", {"MViTv2", "class token"}},
      {"mvitv2_micro", "stages.0.blocks.0.attn.rel_pos_h", "", {"MViTv2", "rel_pos_h"}},
      {"vit_micro", "", "blocks.0.attn.dconv.weight", {"linear-angular"}},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(wrong.from + " -" + wrong.without + " +" + wrong.with);
    auto tensors = goldenTensors(wrong.from);
    tensors.erase(wrong.without);
    if (!wrong.with.empty()) tensors[wrong.with] = zeros({1});
    auto words = wrong.words;
    words.push_back("--model");
    expectError(predict(tensors), 3, words);
  }
  auto none = goldenTensors("vit_micro");
  none.erase("blocks.0.attn.qkv.weight");
  expectError(predict(none), 3, {"blocks.0.attn.qkv.weight", "not a ViT", "--model"});
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
}

TEST_F(InferCliTest, ShapesThatLieAreRefused) {
  const std::int64_t huge = std::int64_t{1} << 40;
  struct Case {
    std::string from, tensor;
    std::vector<std::int64_t> shape;  ///< of no element: it costs nothing to claim
  };
  const std::vector<Case> cases{
      {"cait_micro", "blocks.0.attn.proj_l.weight", {huge, 0}},
      {"swin_micro", "layers.0.blocks.0.attn.relative_position_bias_table", {huge, 0}},
      {"swin_micro", "patch_embed.proj.weight", {1 << 20, 3, 1 << 20, 0}},
      {"levit_micro", "stages.0.blocks.0.attn.attention_biases", {1 << 20, 1 << 20, 0}},
      {"levit_micro", "stages.0.blocks.0.attn.qkv.linear.weight", {1, 32}},
      {"mvitv2_micro", "stages.0.blocks.0.attn.rel_pos_h", {1 << 20, 24, 0}},
      {"convit_micro", "blocks.0.attn.pos_proj.weight", {7, 3}},
      {"vit_micro", "pos_embed", {1, huge, 0}},
      {"vit_micro", "head.weight", {0, 48}},
      {"vit_micro", "patch_embed.proj.weight", {12288, 3, 4, 0}},  // 5 thousand million numbers
      {"vit_micro", "patch_embed.proj.weight", {3072, 3, 4, 0}},   // 340 million
  };
  for (const Case& lie : cases) {
    SCOPED_TRACE(lie.from + " " + lie.tensor);
    auto tensors = goldenTensors(lie.from);
    tensors[lie.tensor] = zeros(lie.shape);
    expectError(predict(tensors), 3, {"--model"});
  }
}

TEST_F(InferCliTest, KeywordArgumentsThatLieAreRefusedOrLeftOut) {
  const auto wrong = withArguments("swin_micro", {{"img_size", 65}});  // no whole patches
  expectError(
      run({"predict", "--weights", wrong, "--tensor", kGolden / "swin_micro.io.safetensors"}), 3,
      {"Swin", "model.image_size", "--model"});
  for (const json& arguments :
       {json{{"img_size", "many"}, {"num_heads", -3}, {"stride_kv_adaptive", {0, 0, 0}}},
        json{{"img_size", 1e300}, {"depths", "x"}}, json{{"img_size", {4, 7}}}, json(7)}) {
    const auto file = withArguments("cait_micro", arguments);
    EXPECT_LE(greatestDifference(logits({"--weights", file}, "cait_micro.io.safetensors"),
                                 expected("cait_micro")),
              1e-4)
        << arguments;
  }
}

/// A small model of each family of vision transformers beyond DeiT; those without a classifier give
/// their features.
TEST_F(InferCliTest, TheZooOpensByItself) {
  for (const std::string family : {"aimv2",          "beit",       "beit3",      "clip",
                                   "clip_quickgelu", "deit3",      "dino",       "dinov2",
                                   "dinov2_giant",   "dinov2_reg", "dinov3",     "eva02",
                                   "intern",         "pe_core",    "pe_spatial", "pooled_registers",
                                   "post_norm",      "rope_axial", "rope_mixed", "siglip",
                                   "vit_gap"}) {
    const std::string name = "zoo/" + family + "_micro";
    const auto outcome = run({"predict", "--weights", kGolden / (name + ".safetensors"), "--tensor",
                              kGolden / (name + ".io.safetensors"), "--output", "out.safetensors"});
    expectOk(outcome);
    if (outcome.exitCode != 0) continue;
    EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
    const Tensors out = readTensors(path("out.safetensors"));
    const bool classifies = out.count("logits") > 0;
    EXPECT_EQ(outcome.out.find("no classifier") == std::string::npos, classifies) << outcome.out;
    EXPECT_LE(greatestDifference(out.at(classifies ? "logits" : "features"), expected(name)), 1e-4)
        << name;
  }
}

/// Without a classifier there is nothing to be measured, and it is said.
TEST_F(InferCliTest, NothingIsEvaluatedWithoutAClassifier) {
  const auto outcome = run({"evaluate", "--weights", kGolden / "zoo/dino_micro.safetensors",
                            "--data.dataset", "texture-shape", "--data.validation_samples", "10"});
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_NE(outcome.err.find("no classifier"), std::string::npos) << outcome.err;
}

/// Images of another size, by position embeddings that are resampled.
TEST_F(InferCliTest, ImageSizeIsChosen) {
  const fs::path weights = kGolden / "zoo/dinov2_reg_micro.safetensors";
  expectOk(run({"make-dataset", "data", "--train", "9", "--val", "9"}));
  const fs::path images = fs::directory_iterator(path("data") / "val")->path();
  const auto outcome = run({"predict", images, "--weights", weights, "--image-size", "64x48"});
  expectOk(outcome);
  EXPECT_NE(outcome.err.find("pos_embed 8×8 → 16×12"), std::string::npos) << outcome.err;
  const auto refused = run({"predict", images, "--weights", weights, "--image-size", "65"});
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_NE(refused.err.find("64 and 68 are"), std::string::npos) << refused.err;
  for (const std::string text : {"0", "64x", "big", "64x64x3", "5000"})
    EXPECT_EQ(run({"predict", images, "--weights", weights, "--image-size", text}).exitCode, 2)
        << text;
}

TEST_F(InferCliTest, SummaryCountsAtAnotherSize) {
  const auto own = run({"summary", "vit_small_patch14_reg4_dinov2", "--json"});
  const auto small =
      run({"summary", "vit_small_patch14_reg4_dinov2", "--image-size", "224", "--json"});
  expectOk(own);
  expectOk(small);
  const auto macs = [](const Outcome& o) { return json::parse(o.out)[0]["macs"].get<double>(); };
  EXPECT_GT(macs(own), 5 * macs(small));
}

}  // namespace
}  // namespace headlight::testing
