// SPDX-License-Identifier: GPL-3.0-or-later

// transformers' config.json and preprocessor_config.json: defaults, refusals by name, lies.

#include "core/workbench/foreign/TransformersConfig.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/imaging/Preprocess.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/models/Registry.h"
#include "core/workbench/foreign/OpenClipConfig.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/Images.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Golden.h"

namespace headlight {
namespace {

const std::string kConfigFolder = HEADLIGHT_GOLDEN_DIR "/transformers/";

class TransformersConfig : public ::testing::Test {
 protected:
  ForeignModel read(const Json& config) const {
    return readTransformersConfig(config, m_folder.path());
  }
  ForeignModel readWith(const Json& config, const std::string& processor) const {
    std::ofstream(m_folder.path() / "preprocessor_config.json") << processor;
    return read(config);
  }
  /// The error's code and text; fails where there is none.
  std::string refusal(const Json& config, ErrorCode code) const {
    try {
      checkedAndCompleted(read(config).model);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.error().code, code) << failure.error().text();
      return failure.error().text();
    }
    ADD_FAILURE() << config.dump();
    return {};
  }

  TemporaryFolder m_folder;
};

TEST_F(TransformersConfig, MissingKeysAreTheClassesDefaults) {
  const ModelConfig vit = read({{"model_type", "vit"}}).model;
  EXPECT_EQ(vit.width, 768);
  EXPECT_EQ(vit.depth, 12);
  EXPECT_EQ(vit.heads, 12);
  EXPECT_EQ(vit.patchSize, 16);
  EXPECT_EQ(vit.imageSize, 224);
  EXPECT_EQ(vit.classes, 0);
  EXPECT_DOUBLE_EQ(vit.normEpsilon, 1e-12);
  EXPECT_DOUBLE_EQ(vit.mlpRatio, 4);
  EXPECT_EQ(vit.mean, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_DOUBLE_EQ(read({{"model_type", "vit_msn"}}).model.normEpsilon, 1e-6);
  EXPECT_EQ(read({{"model_type", "clip_vision_model"}}).model.patchSize, 32);
  EXPECT_EQ(read({{"model_type", "dinov2_with_registers"}}).model.registers, 4);
  EXPECT_EQ(read({{"model_type", "dinov3_vit"}}).model.width, 384);
  EXPECT_EQ(read({{"model_type", "siglip2"}}).model.imageSize, 256);
  EXPECT_EQ(read({{"model_type", "swin"}, {"architectures", {"SwinForImageClassification"}}})
                .model.classes,
            2);
}

TEST_F(TransformersConfig, OthersAreRefusedByName) {
  for (const char* type : {"pvt", "segformer", "convnext", "levit", "bert", ""})
    EXPECT_NE(refusal({{"model_type", type}}, ErrorCode::UnsupportedFile).find("transformers"),
              std::string::npos)
        << type;
  EXPECT_NE(refusal({{"model_type", "pvt"}}, ErrorCode::UnsupportedFile).find("pvt"),
            std::string::npos);
}

TEST_F(TransformersConfig, WhatHasNoCounterpartIsRefused) {
  const std::vector<std::pair<const char*, Json>> values{
      {"hidden_act", "mish"}, {"num_channels", 4}, {"patch_size", {16, 8}}};
  for (const auto& [key, value] : values)
    EXPECT_NE(refusal({{"model_type", "vit"}, {key, value}}, ErrorCode::UnsupportedFile).find(key),
              std::string::npos);
}

TEST_F(TransformersConfig, GrayModelsHaveOneMean) {
  const ModelConfig gray = readWith({{"model_type", "vit"}, {"num_channels", 1}},
                                    R"({"image_mean": [0.25], "image_std": 0.5})")
                               .model;
  EXPECT_EQ(gray.mean, (std::vector<double>{0.25, 0.25, 0.25}));
  EXPECT_EQ(gray.deviation, (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST_F(TransformersConfig, SwinV2KeepsTheWindowsOfTheTrainingBefore) {
  const auto windowsOf = [&](const Json& sizes) {
    return read({{"model_type", "swinv2"}, {"pretrained_window_sizes", sizes}})
        .model.attention.value("pretrained_windows", Json::array());
  };
  EXPECT_EQ(windowsOf({12, 12, 12, 6}), Json({12, 12, 12, 6}));
  EXPECT_EQ(windowsOf({0, 0, 0, 0}), Json::array());
  refusal({{"model_type", "swinv2"}, {"pretrained_window_sizes", {6, 6}}},
          ErrorCode::UnsupportedFile);
  refusal({{"model_type", "swinv2"}, {"pretrained_window_sizes", {-1, 6, 6, 6}}},
          ErrorCode::InvalidConfig);
}

TEST_F(TransformersConfig, LiesAreErrors) {
  const std::vector<std::pair<const char*, Json>> values{
      {"num_attention_heads", 7},      {"num_attention_heads", "twelve"},
      {"num_attention_heads", -1},     {"hidden_size", 1e30},
      {"hidden_size", Json::object()}, {"num_hidden_layers", 100000},
      {"image_size", {1, 2, 3}},       {"image_size", 100000},
      {"layer_norm_eps", "small"},     {"layer_norm_eps", -1},
      {"intermediate_size", 0},        {"qkv_bias", 1}};
  for (const auto& [key, value] : values)
    refusal({{"model_type", "vit"}, {key, value}}, ErrorCode::InvalidConfig);
}

TEST_F(TransformersConfig, ClassNamesNeedOneEach) {
  const Json config{{"model_type", "vit"}, {"architectures", {"ViTForImageClassification"}}};
  Json named = config;
  named["id2label"] = {{"0", "cat"}, {"1", "dog"}, {"2", "fox"}};
  EXPECT_EQ(read(named).classNames, (std::vector<std::string>{"cat", "dog", "fox"}));
  EXPECT_EQ(read(named).model.classes, 3);
  Json unnamed = config;
  unnamed["id2label"] = {{"0", "LABEL_0"}, {"1", "LABEL_1"}};
  EXPECT_TRUE(read(unnamed).classNames.empty());
  Json holes = config;
  holes["id2label"] = {{"0", "cat"}, {"5", "dog"}};
  EXPECT_TRUE(read(holes).classNames.empty());
  EXPECT_FALSE(read(holes).notes.empty());
}

TEST_F(TransformersConfig, ImageProcessorsOfEveryForm) {
  const Json vit{{"model_type", "vit"}}, clip{{"model_type", "clip_vision_model"}};
  const ModelConfig square = readWith(vit, R"({"size": 224, "resample": 3})").model;
  EXPECT_EQ(square.cropMode, "squash");
  EXPECT_EQ(square.interpolation, "bicubic");
  EXPECT_DOUBLE_EQ(square.cropFraction, 1);
  const ModelConfig side = readWith(clip, R"({"size": 256, "crop_size": 224})").model;
  EXPECT_EQ(side.cropMode, "center");
  EXPECT_DOUBLE_EQ(side.cropFraction, 0.875);
  const ModelConfig deit = readWith({{"model_type", "deit"}},
                                    R"({"size": {"height": 256, "width": 256},
                                        "crop_size": {"height": 224, "width": 224}})")
                               .model;
  EXPECT_EQ(deit.cropMode, "squash");
  EXPECT_DOUBLE_EQ(deit.cropFraction, 0.875);
  const ForeignModel dino = readWith({{"model_type", "dinov2"}, {"image_size", 518}},
                                     R"({"size": {"shortest_edge": 256}, "crop_size": 224})");
  EXPECT_EQ(dino.model.imageSize, 224);
  for (const char* odd : {"[]", "{\"size\": \"big\"}", "{\"image_mean\": [1, 2]}", "{"})
    EXPECT_THROW(readWith(vit, odd), Failure) << odd;
}

TEST_F(TransformersConfig, OpenClipsTowersAreRefusedByName) {
  const auto refused = [](const Json& vision) {
    EXPECT_THROW(readOpenClipConfig({{"model_cfg", {{"vision_cfg", vision}}}}, "x"), Failure)
        << vision.dump();
  };
  refused({{"layers", {3, 4, 6, 3}}});
  refused({{"timm_model_name", "resnet50"}});
  refused({{"width", 100}});
  refused({{"attentional_pool", true}});
}

/// The library's own pixels of one image: Pillow's, within one step of 255.
TEST(TransformersImages, ArePreparedAsThere) {
  const Image image = valueOrThrow(readImage(kConfigFolder + "picture.png"));
  for (const char* name : {"vit_nobias_relu", "deit_classify", "clip_classify", "dinov2_classify",
                           "beit_classify", "siglip_classify", "dinov3"}) {
    ModelSource source;
    source.model = kConfigFolder + name;
    const ModelConfig model = loadModel(source).info.experiment.model;
    const std::vector<float> ours = preprocess(image, makePreprocessing(model));
    const at::Tensor theirs =
        goldenTensors("transformers/" + std::string(name) + "/expected.io.safetensors")
            .at("picture.pixels")
            .contiguous();
    ASSERT_EQ(static_cast<std::int64_t>(ours.size()), theirs.numel()) << name;
    float most = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
      most = std::max(most, std::abs(ours[i] - theirs.data_ptr<float>()[i]));
    EXPECT_LT(most, 1.01 / 255 / 0.224) << name;
  }
}

}  // namespace
}  // namespace headlight
