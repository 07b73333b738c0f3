// SPDX-License-Identifier: GPL-3.0-or-later

// Parameters and products of the detectors, those of plain LCNet and ESNet among them (PP-PicoDet,
// PP-LCNet), and what a config need not say.

#include <gtest/gtest.h>

#include <cmath>

#include "core/models/detection/DetectorTrunk.h"
#include "core/models/detection/PanNeck.h"
#include "core/models/detection/PicoHead.h"
#include "tests/models/Refusals.h"
#include "tests/models/detection/DetectorSupport.h"

namespace headlight {
namespace {

constexpr int kCocoClasses = 80;

/// A detector without transformer blocks.
struct PlainDetector {
  PlainDetector(const std::string& backbone, const std::string& name)
      : size(findDetectorSize(name)), trunk(trunkShape(backbone, size)) {
    neck = {backbone == "lcnet" ? "lc_pan" : "csp_pan",
            {trunk.channelsAt(8), trunk.channelsAt(16), trunk.channelsAt(32)},
            size.neckWidth};
    head = {size.neckWidth, size.headLayers, kCocoClasses};
  }

  ModelCost cost(int pixels) const {
    CostCounter counter;
    DetectorTrunk::count(counter, trunk, pixels, pixels);
    PanNeck::count(counter, neck, pixels, pixels);
    PicoHead::count(counter, head, pixels, pixels);
    return counter.cost();
  }

  std::int64_t built() const {
    std::int64_t parameters = 0;
    for (const auto& part : std::vector<std::shared_ptr<torch::nn::Module>>{
             std::make_shared<DetectorTrunk>(trunk), std::make_shared<PanNeck>(neck),
             std::make_shared<PicoHead>(head)})
      for (const at::Tensor& tensor : part->parameters())
        parameters += tensor.numel();
    return parameters;
  }

  DetectorSize size;
  TrunkShape trunk;
  NeckShape neck;
  HeadShape head;
};

struct Row {
  const char *name, *size;
  int pixels;
  double parametersM, macsG;
};

TEST(DetectorSizes, OfPlainNetworksAreThoseCounted) {
  for (const Row& row :
       {Row{"lcnet", "s", 320, 1.10, 0.456}, Row{"lcnet", "m", 416, 3.32, 2.082}}) {
    const PlainDetector detector(row.name, row.size);
    const ModelCost cost = detector.cost(row.pixels);
    EXPECT_NEAR(cost.parameters / 1e6, row.parametersM, 0.005 * row.parametersM) << row.size;
    EXPECT_NEAR(cost.macs / 1e9, row.macsG, 0.0005) << row.size;
    EXPECT_EQ(cost.parameters, detector.built()) << row.size;
  }
}

/// PP-PicoDet's own, without squeeze and excitation in its head.
TEST(DetectorSizes, OfEsnetAreThosePublished) {
  for (const auto& [size, parametersM] :
       {std::pair{"s", 0.993}, std::pair{"m", 2.153}, std::pair{"l", 3.305}}) {
    const PlainDetector detector("esnet", size);
    EXPECT_NEAR(detector.cost(320).parameters / 1e6, parametersM, 0.0005) << size;
    EXPECT_EQ(detector.cost(320).parameters, detector.built()) << size;
  }
}

TEST(DetectorSizes, OfTransformersAreThosePublished) {
  for (const Row& row :
       {Row{"lcnet_vit_s_320", "", 320, 2.14, 0.662}, Row{"lcnet_vit_m_416", "", 416, 7.53, 3.437},
        Row{"castling_lcnet_vit_s_320", "", 320, 2.14, 0.602},
        Row{"castling_lcnet_vit_m_416", "", 416, 7.53, 3.071},
        Row{"castling_lcnet_vit_l_416", "", 416, 13.10, 5.181},
        Row{"castling_esnet_vit_s_320", "", 320, 3.25, 0.585},
        Row{"castling_esnet_vit_s_416", "", 416, 3.25, 0.989},
        Row{"castling_esnet_vit_m_416", "", 416, 6.01, 1.895},
        Row{"castling_esnet_vit_l_416", "", 416, 9.32, 2.896}}) {
    const PublishedModel* model = findPublishedModel(row.name);
    ASSERT_NE(model, nullptr) << row.name;
    EXPECT_EQ(model->config.imageSize, row.pixels) << row.name;
    const ModelCost cost = modelCost(model->config);
    EXPECT_NEAR(cost.parameters / 1e6, row.parametersM, 0.005 * row.parametersM) << row.name;
    EXPECT_NEAR(cost.macs / 1e9, row.macsG, 0.0005) << row.name;
    EXPECT_GT(model->publishedMacsG, cost.macs / 1e9) << row.name;
  }
}

TEST(DetectorSizes, CountEqualsWhatIsBuilt) {
  for (const std::string backbone : {"lcnet_vit", "esnet_vit"})
    for (const std::string mechanism : {"softmax", "linear_angular"})
      for (const std::string size : {"xs", "s", "m", "l"}) {
        Json json = microJson(backbone);
        json["layout"]["size"] = size;
        json["mechanism"] = mechanism;
        const ModelConfig config = valueOrThrow(modelFromJson(json, modelCatalog()));
        std::int64_t parameters = 0;
        for (const auto& [name, tensor] : makeModel(config, 0)->trainable())
          parameters += tensor.numel();
        EXPECT_EQ(modelCost(config).parameters, parameters) << backbone << " " << size;
      }
}

TEST(DetectorConfig, SizeAndClassesAreEnough) {
  const ModelConfig lcnet = microDetector("lcnet_vit"), esnet = microDetector("esnet_vit");
  EXPECT_EQ(lcnet.depths, (std::vector<int>{1, 1}));
  EXPECT_EQ(lcnet.stageWidths, (std::vector<int>{128, 256}));
  EXPECT_EQ(lcnet.stageHeads, (std::vector<int>{4, 8}));
  EXPECT_EQ(esnet.width, 256);
  EXPECT_EQ(esnet.heads, 8);
  EXPECT_EQ(esnet.depth, 2);
  for (const ModelConfig& config : {lcnet, esnet}) {
    EXPECT_FALSE(config.classToken);
    EXPECT_EQ(config.positions, "none");
    EXPECT_EQ(config.mlpRatio, 2);
    EXPECT_EQ(config.cropMode, "squash");
    EXPECT_EQ(config.cropFraction, 1);
    EXPECT_EQ(modelCatalog().backbone(config.backbone)->task, Task::Detect);
  }
}

TEST(DetectorConfig, WhatIsWrittenIsReadBack) {
  for (const std::string backbone : {"lcnet_vit", "esnet_vit"}) {
    const ModelConfig config = microDetector(backbone);
    const auto read = modelFromJson(modelToJson(config), modelCatalog());
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_TRUE(sameModel(*read, config));
  }
}

TEST(DetectorConfig, APublishedOneOfAnotherSizeHasThatSizesWidths) {
  const Json json{{"name", "esnet_vit_s_320"}, {"layout", {{"size", "l"}}}, {"image_size", 416}};
  const ModelConfig config = valueOrThrow(modelFromJson(json, modelCatalog()));
  EXPECT_EQ(modelCost(config).parameters,
            modelCost(findPublishedModel("esnet_vit_l_416")->config).parameters);
  EXPECT_EQ(config.classes, 80);
}

TEST(DetectorConfig, WhatFollowsFromTheSizeCannotBeChanged) {
  const auto refused = [](const std::string& key, const Json& value) {
    Json json = microJson("lcnet_vit");
    json[key] = value;
    const auto read = modelFromJson(json, modelCatalog());
    return read ? std::string("taken") : read.error().where;
  };
  EXPECT_EQ(refused("class_token", true), "model.class_token");
  EXPECT_EQ(refused("width", 64), "model.width");
  EXPECT_EQ(refused("depths", {2, 2}), "model.depths");
  EXPECT_EQ(refused("mlp_ratio", 4), "model.mlp_ratio");
  EXPECT_EQ(refused("patch_size", 32), "model.patch_size");
  EXPECT_EQ(refused("layout", {{"size", "xxl"}}), "model.layout.size");
  EXPECT_EQ(refused("class_token", false), "taken");
  EXPECT_EQ(refused("crop_mode", "center"), "model.crop_mode");  // it sees images whole
}

TEST(DetectorConfig, SidesAreMultiplesOf32) {
  EXPECT_EQ(refusedAt(microDetector("lcnet_vit", 112)), "model.image_size");
  EXPECT_EQ(refusedAt(microDetector("lcnet_vit", 160)), "taken");
}

TEST(RoundedWidth, LosesNoMoreThanATenth) {
  EXPECT_EQ(roundedWidth(24, 8), 24);
  EXPECT_EQ(roundedWidth(28, 8), 32);
  EXPECT_EQ(roundedWidth(3, 8), 8);
  EXPECT_EQ(roundedWidth(11, 8), 16);  // 8 would be 0.73 of it
  EXPECT_EQ(roundedWidth(160 * .5, 16), 80);
}

}  // namespace
}  // namespace headlight
