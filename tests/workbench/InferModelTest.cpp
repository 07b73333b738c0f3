// Published models of every family from the names and shapes of their tensors alone: as large as
// they are, and with every tensor in its place.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/models/Registry.h"
#include "core/workbench/LoadedModel.h"

namespace headlight {
namespace {

Checkpoint weightsOnly(const Model& model) {
  Checkpoint checkpoint;
  checkpoint.tensors = model.state();
  return checkpoint;
}

TEST(InferModel, PublishedModelsAreReadOffTheirTensors) {
  for (const std::string name : {"deit_tiny_distilled_patch16_224", "cait_xxs24_224", "convit_tiny",
                                 "levit_128s", "mvitv2_tiny", "swin_tiny_patch4_window7_224"}) {
    SCOPED_TRACE(name);
    const ModelConfig published = findPublishedModel(name)->config;
    const Checkpoint checkpoint = weightsOnly(*makeModel(published, 0));
    std::vector<std::string> notes;
    const ModelConfig inferred = inferModel(checkpoint, notes);
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

TEST(InferModel, PicturesThatAreNotSquareNeedToBeTold) {
  ModelConfig config = findPublishedModel("cait_micro")->config;
  config.imageWidth = 48;
  Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  std::vector<std::string> notes;
  EXPECT_THROW(inferModel(checkpoint, notes), Failure);  // 96 positions
  checkpoint.metadata["config"] = R"({"img_size": [32, 48]})";
  const ModelConfig told = inferModel(checkpoint, notes);
  EXPECT_EQ(told.imageHeightPixels(), 32);
  EXPECT_EQ(told.imageWidthPixels(), 48);
  // MViTv2 has a table for rows and one for columns.
  config = findPublishedModel("mvitv2_micro")->config;
  config.imageWidth = 96;
  const ModelConfig seen = inferModel(weightsOnly(*makeModel(config, 0)), notes);
  EXPECT_EQ(seen.imageHeightPixels(), 64);
  EXPECT_EQ(seen.imageWidthPixels(), 96);
}

TEST(InferModel, HierarchicalMaitNeedsItsHeads) {
  ModelConfig config = findPublishedModel("swin_micro")->config;
  config.mechanism = "softmax";
  config.attention = Json::object();
  config.positions = "learned";
  Checkpoint checkpoint = weightsOnly(*makeModel(config, 0));
  std::vector<std::string> notes;
  EXPECT_THROW(inferModel(checkpoint, notes), Failure);
  checkpoint.metadata["config"] = R"({"num_heads": [2, 4]})";
  const ModelConfig told = inferModel(checkpoint, notes);
  EXPECT_EQ(told.mechanism, "softmax");
  EXPECT_EQ(told.imageSize, 64);
  EXPECT_TRUE(planFor(*makeModel(told, 0), checkpoint).report.complete());
}

}  // namespace
}  // namespace headlight
