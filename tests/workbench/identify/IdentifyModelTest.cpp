// SPDX-License-Identifier: GPL-3.0-or-later

// Published models of every family from the names and shapes of their tensors alone: as large as
// they are, and with every tensor in its place.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "core/models/Registry.h"
#include "core/workbench/identify/IdentifyModel.h"
#include "core/workbench/loading/LoadedModel.h"
#include "tests/models/Pairings.h"

namespace headlight {
namespace {

Checkpoint weightsOnly(const Model& model) {
  Checkpoint checkpoint;
  checkpoint.tensors = model.state();
  return checkpoint;
}

TEST(IdentifyModel, PublishedModelsAreReadOffTheirTensors) {
  for (const std::string name : {"deit_tiny_distilled_patch16_224", "cait_xxs24_224", "convit_tiny",
                                 "levit_128s", "mvitv2_tiny", "swin_tiny_patch4_window7_224"}) {
    SCOPED_TRACE(name);
    const ModelConfig published = findPublishedModel(name)->config;
    const Checkpoint checkpoint = weightsOnly(*makeModel(published, 0));
    std::vector<std::string> notes;
    const ModelConfig inferred = identifyModel(checkpoint, notes);
    EXPECT_EQ(inferred.backbone, published.backbone);
    EXPECT_EQ(inferred.mechanism, published.mechanism);
    EXPECT_EQ(inferred.heads, published.heads);
    EXPECT_EQ(inferred.imageSize, published.imageSize);
    EXPECT_EQ(inferred.cropFraction, published.cropFraction);
    EXPECT_EQ(inferred.normEpsilon, published.normEpsilon);
    const ModelCost cost = modelCost(inferred), wanted = modelCost(published);
    EXPECT_EQ(cost.parameters, wanted.parameters);
    EXPECT_EQ(cost.macs, wanted.macs);
    const auto model = makeModel(inferred, 1);
    EXPECT_TRUE(planFor(*model, checkpoint).report.complete())
        << planFor(*model, checkpoint).report.summary();
  }
}

/// They take images of any size, so their files say none.
TEST(IdentifyModel, DetectorsAreReadOffTheirTensors) {
  for (const std::string name :
       {"lcnet_vit_s_320", "esnet_vit_s_320", "esnet_vit_m_416", "lcnet_s_320", "esnet_m_416"}) {
    SCOPED_TRACE(name);
    ModelConfig published = findPublishedModel(name)->config;
    published.imageSize = 320;
    const Checkpoint checkpoint = weightsOnly(*makeModel(published, 0));
    std::vector<std::string> notes;
    ModelConfig inferred = identifyModel(checkpoint, notes);
    EXPECT_TRUE(sameModel(inferred, published));
    EXPECT_TRUE(planFor(*makeModel(inferred, 1), checkpoint).report.complete());
  }
}

TEST(IdentifyModel, ClassifiersOfTheirNetworksAreReadOffTheirTensors) {
  for (const std::string name : {"lcnet_classifier_s_224", "esnet_classifier_m_224",
                                 "lcnet_vit_classifier_s_224", "esnet_vit_classifier_s_224"}) {
    SCOPED_TRACE(name);
    const ModelConfig published = findPublishedModel(name)->config;
    const Checkpoint checkpoint = weightsOnly(*makeModel(published, 0));
    std::vector<std::string> notes;
    const ModelConfig inferred = identifyModel(checkpoint, notes);
    EXPECT_EQ(inferred.backbone, published.backbone);
    EXPECT_TRUE(sameArchitecture(inferred, published)) << modelToJson(inferred).dump();
    EXPECT_EQ(inferred.classes, 1000);
    EXPECT_TRUE(planFor(*makeModel(inferred, 1), checkpoint).report.complete());
  }
}

TEST(IdentifyModel, SegmentersAreReadOffTheirTensors) {
  ModelConfig config = findPublishedModel("vit_segmenter_base_512")->config;
  config.width = 128;
  config.depth = 2;
  config.heads = 2;
  config.layout = {{"queries", 6},        {"width", 64},          {"heads", 4},
                   {"groups", 32},        {"encoder_layers", 1},  {"encoder_hidden", 24},
                   {"decoder_layers", 2}, {"decoder_hidden", 20}, {"position_grid", 3}};
  const Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  std::vector<std::string> notes;
  ModelConfig inferred = identifyModel(checkpoint, notes);
  EXPECT_TRUE(sameModel(inferred, config)) << modelToJson(inferred).dump();
  EXPECT_TRUE(planFor(*makeModel(inferred, 1), checkpoint).report.complete());
}

/// Options that add tensors: a convolution in the MLP, and pooled tokens.
TEST(IdentifyModel, OptionsThatBringTensorsAreReadOffThem) {
  for (const auto& [name, option, value] :
       {std::tuple<std::string, std::string, Json>{"vit_micro", "mlp_convolution", 5},
        {"levit_micro", "token_pooling", true}}) {
    SCOPED_TRACE(name);
    ModelConfig config = findPublishedModel(name)->config;
    config.layout[option] = value;
    const Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
    std::vector<std::string> notes;
    const ModelConfig inferred = identifyModel(checkpoint, notes);
    EXPECT_EQ(inferred.layout[option], value);
    EXPECT_TRUE(planFor(*makeModel(inferred, 1), checkpoint).report.complete());
  }
}

TEST(IdentifyModel, NoMechanismIsTakenForAnother) {
  for (const auto& [name, config] : pairings()) {
    SCOPED_TRACE(name);
    const Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
    std::vector<std::string> notes;
    const auto read = guarded("weights", [&] {
      const ModelConfig inferred = identifyModel(checkpoint, notes);
      requireExplained(*makeModel(inferred, 1), checkpoint, "weights");
      return inferred;
    });
    if (!read) continue;  // refused, and the person is told to say which
    EXPECT_EQ(read->backbone, config.backbone);
    EXPECT_EQ(read->mechanism, config.mechanism)
        << "name its tensors otherwise, or recognize or refuse them in core/workbench/identify";
  }
}

bool isNoted(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

/// Of a file that says nothing of them.
ModelConfig withHeadsAssumed(ModelConfig config, std::vector<std::string>& notes, int said = 0) {
  config.depth = 1;
  const Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  return identifyModel(checkpoint, notes, "file", said);
}

TEST(IdentifyModel, HeadsAreThoseOfPublishedModelsOrAskedFor) {
  ModelConfig config = findPublishedModel("vit_micro")->config;
  config.heads = 4;
  for (const int width : {40, 80, 100}) {
    config.width = width;
    std::vector<std::string> notes;
    try {
      withHeadsAssumed(config, notes);
      FAIL() << width;
    } catch (const Failure& failure) {
      const std::string text = failure.error().text();
      EXPECT_NE(text.find("token width " + std::to_string(width)), std::string::npos) << text;
      EXPECT_NE(text.find("--heads"), std::string::npos) << text;
    }
    EXPECT_EQ(withHeadsAssumed(config, notes, 4).heads, 4);
  }
  std::vector<std::string> notes;
  config.width = 48;
  EXPECT_EQ(withHeadsAssumed(config, notes).heads, 3);
  EXPECT_TRUE(isNoted(notes, "assuming 3, as ViT-Tiny has"));
  config.width = 128;
  EXPECT_EQ(withHeadsAssumed(config, notes).heads, 2);
  EXPECT_TRUE(isNoted(notes, "assuming 2, 64 wide each"));
}

/// The names and shapes of ViT-H/14; no numbers.
Checkpoint hugeShapes() {
  Checkpoint file;
  const auto add = [&](const std::string& name, at::IntArrayRef shape) {
    file.tensors.emplace_back(name, at::zeros({1}).expand(shape));
  };
  add("cls_token", {1, 1, 1280});
  add("pos_embed", {1, 257, 1280});
  add("patch_embed.proj.weight", {1280, 3, 14, 14});
  for (int block = 0; block < 32; ++block) {
    const std::string prefix = "blocks." + std::to_string(block) + ".";
    for (const char* vector : {"norm1.weight", "norm1.bias", "attn.proj.bias"})
      add(prefix + vector, {1280});
    add(prefix + "attn.qkv.weight", {3840, 1280});
    add(prefix + "attn.qkv.bias", {3840});
    add(prefix + "attn.proj.weight", {1280, 1280});
    add(prefix + "mlp.fc1.weight", {5120, 1280});
    add(prefix + "mlp.fc2.weight", {1280, 5120});
  }
  add("norm.weight", {1280});
  return file;
}

/// 16 heads of 80, where 64 each would make 20.
TEST(IdentifyModel, HeadsOfAnotherWidthAreThoseOfThePublishedModel) {
  std::vector<std::string> notes;
  EXPECT_EQ(identifyModel(hugeShapes(), notes).heads, 16);
  EXPECT_TRUE(isNoted(notes, "assuming 16, as "));
}

TEST(IdentifyModel, ImagesThatAreNotSquareNeedToBeTold) {
  ModelConfig config = findPublishedModel("cait_micro")->config;
  config.imageWidth = 48;
  Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  std::vector<std::string> notes;
  EXPECT_THROW(identifyModel(checkpoint, notes), Failure);  // 96 positions
  checkpoint.metadata["config"] = R"({"img_size": [32, 48]})";
  const ModelConfig reported = identifyModel(checkpoint, notes);
  EXPECT_EQ(reported.imageHeightPixels(), 32);
  EXPECT_EQ(reported.imageWidthPixels(), 48);
  // MViTv2 has a table for rows and one for columns.
  config = findPublishedModel("mvitv2_micro")->config;
  config.imageWidth = 96;
  const ModelConfig seen = identifyModel(weightsOnly(*makeModel(config, 0)), notes);
  EXPECT_EQ(seen.imageHeightPixels(), 64);
  EXPECT_EQ(seen.imageWidthPixels(), 96);
}

/// What identifyModel says of these tensors, which it has to refuse.
std::string identifyRefusal(const Checkpoint& checkpoint) {
  std::vector<std::string> notes;
  try {
    identifyModel(checkpoint, notes);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::UnsupportedFile);
    return failure.error().text();
  }
  ADD_FAILURE() << "was not refused";
  return "";
}

/// The tensors of a published model, every one with `part` in its name of another shape.
Checkpoint reshaped(const ModelConfig& config, const std::string& part,
                    const std::function<std::vector<std::int64_t>(const at::Tensor&)>& shape) {
  Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  for (auto& [name, tensor] : checkpoint.tensors)
    if (name.find(part) != std::string::npos) tensor = at::zeros(shape(tensor));
  return checkpoint;
}

void expectTooManyPairs(const Checkpoint& checkpoint) {
  const std::string message = identifyRefusal(checkpoint);
  EXPECT_NE(message.find("token pairs"), std::string::npos) << message;
}

TEST(IdentifyModel, FewNumbersDoNotClaimIndexesOfAllPairs) {
  const auto published = [](const char* name) { return findPublishedModel(name)->config; };
  // 256 × 256 patches by a table of a number each: their pairs would take 34 GB in every block.
  expectTooManyPairs(reshaped(published("levit_micro"), "attention_biases",
                              [](const at::Tensor& table) -> std::vector<std::int64_t> {
                                return {table.size(0), 65536};
                              }));
  Checkpoint swin = reshaped(published("swin_micro"), "relative_position_bias_table",
                             [](const at::Tensor& table) -> std::vector<std::int64_t> {
                               return {511 * 511, table.size(1)};
                             });
  swin.metadata["config"] = R"({"img_size": 1024})";  // one window of 256 × 256 patches
  expectTooManyPairs(swin);
  ModelConfig convit = published("convit_micro");
  convit.positions = "none";
  Checkpoint checkpoint = weightsOnly(*makeModel(convit, 0));
  std::vector<std::string> notes;
  EXPECT_EQ(identifyModel(checkpoint, notes).backbone, "convit");
  checkpoint.metadata["config"] = R"({"img_size": 1024})";
  expectTooManyPairs(checkpoint);
}

TEST(IdentifyModel, TensorsOfNoNumberClaimNoExtent) {
  const auto refuses = [](const char* name, const std::string& tensor,
                          const std::vector<std::int64_t>& shape) {
    const std::string message = identifyRefusal(reshaped(findPublishedModel(name)->config, tensor,
                                                         [&](const at::Tensor&) { return shape; }));
    EXPECT_NE(message.find(tensor), std::string::npos) << message;
    EXPECT_NE(message.find("unusual shape"), std::string::npos) << message;
  };
  refuses("levit_micro", "stages.0.blocks.0.attn.attention_biases", {2, 16, 0});
  refuses("cait_micro", "pos_embed", {1, 64, 0});
  refuses("vit_micro", "pos_embed", {1, 65, 0});
}

TEST(IdentifyModel, HierarchicalMaitNeedsItsHeads) {
  ModelConfig config = findPublishedModel("swin_micro")->config;
  config.mechanism = "softmax";
  config.attention = Json::object();
  config.positions = "learned";
  Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  std::vector<std::string> notes;
  EXPECT_THROW(identifyModel(checkpoint, notes), Failure);
  checkpoint.metadata["config"] = R"({"num_heads": [2, 4]})";
  const ModelConfig reported = identifyModel(checkpoint, notes);
  EXPECT_EQ(reported.mechanism, "softmax");
  EXPECT_EQ(reported.imageSize, 64);
  EXPECT_TRUE(planFor(*makeModel(reported, 0), checkpoint).report.complete());
}

TEST(IdentifyModel, OtherLibrariesAreNamed) {
  Checkpoint file;
  file.tensors = {{"to_patch_embedding.2.weight", at::zeros({4, 12})},
                  {"transformer.layers.0.0.to_qkv.weight", at::zeros({12, 4})}};
  std::vector<std::string> notes;
  try {
    identifyModel(file, notes);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().message.find("vit-pytorch"), std::string::npos);
  }
}

}  // namespace
}  // namespace headlight
