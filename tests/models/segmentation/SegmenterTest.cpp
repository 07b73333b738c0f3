// SPDX-License-Identifier: GPL-3.0-or-later

// The segmenter as a model.

#include <gtest/gtest.h>

#include <set>

#include "core/attention/base/AttentionHook.h"
#include "core/models/segmentation/PixelScores.h"
#include "tests/models/Refusals.h"
#include "tests/models/segmentation/SegmenterSupport.h"

namespace headlight {
namespace {

SegmentScores segmentsOf(Model& model, const at::Tensor& images) {
  at::Tensor tokens = model.embed(images);
  for (int l = 0; l < model.layers(); ++l)
    tokens = model.block(l, tokens, nullptr);
  return model.findSegments(tokens);
}

/// On a grid that is not the positions' own, nor the config's.
void expectNaiveSegments(const ModelConfig& config) {
  const auto model = stirredSegmenter(config);
  const at::NoGradGuard noGrad;
  model->to(at::kDouble);
  const at::Tensor images = segmenterNoise(2, 64, 96).to(at::kDouble);
  const NaiveSegmenter naive(model->state(), kMicroDecoderHeads, config.patchSize);
  const at::Tensor map = naive.vit(images, 3, 3);
  const auto pixels = naive.pixelDecoder(naive.neck(map), "pixel_decoder", kMicroGroups);
  expectNear(segmentsOf(*model, images), naive.decoder(pixels, "decoder"), 1e-8);
}

TEST(Segmenter, EqualsANaiveOneInDoublePrecision) {
  expectNaiveSegments(microSegmenter());
}

TEST(Segmenter, SmallerPatchesGiveFinerMaps) {
  ModelConfig config = microSegmenter();
  config.patchSize = 8;
  expectNaiveSegments(config);
  const at::Tensor masks =
      segmentsOf(*makeModel(config, 1), segmenterNoise(1, 64, 80)).masks.back();
  EXPECT_EQ(masks.sizes(), (std::vector<std::int64_t>{1, 6, 32, 40}));
}

TEST(Segmenter, GivesAPredictionBeforeTheFirstLayerAndAfterEach) {
  const auto model = makeModel(microSegmenter(), 1);
  const SegmentScores scores = segmentsOf(*model, segmenterNoise(2, 64, 128));
  ASSERT_EQ(scores.classes.size(), 5u);
  ASSERT_EQ(scores.masks.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(scores.classes[i].sizes(), (std::vector<std::int64_t>{2, 6, 6}));
    EXPECT_EQ(scores.masks[i].sizes(), (std::vector<std::int64_t>{2, 6, 16, 32}));
    EXPECT_EQ(scores.masks[i].scalar_type(), at::kFloat);
  }
}

TEST(Segmenter, ClassifiesByTheGreatestScoreOfThePixels) {
  const auto model = stirredSegmenter(microSegmenter());
  const at::NoGradGuard noGrad;
  const at::Tensor images = segmenterNoise(2, 64, 64);
  const SegmentScores scores = segmentsOf(*model, images);
  const at::Tensor pixels = pixelScores(scores.classes.back(), scores.masks.back());
  EXPECT_TRUE(at::allclose(model->forward(images), std::get<0>(pixels.flatten(2).max(2)).log()));
}

TEST(Segmenter, EveryParameterHasAGradient) {
  const auto model = stirredSegmenter(microSegmenter());
  const SegmentScores scores = segmentsOf(*model, segmenterNoise(2, 64, 96));
  at::Tensor sum = at::zeros({});
  for (std::size_t i = 0; i < scores.masks.size(); ++i)
    sum = sum + scores.masks[i].square().mean() + scores.classes[i].square().mean();
  sum.backward();
  for (const auto& [name, tensor] : model->trainable()) {
    ASSERT_TRUE(tensor.grad().defined()) << name;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name;
    if (name.ends_with("k_proj.bias")) continue;  // adds the same to every logit of a row
    EXPECT_GT(tensor.grad().abs().max().item<double>(), 0) << name;
  }
}

TEST(Segmenter, NamesBeginWithTheirPart) {
  std::set<std::string> parts;
  for (const auto& [name, tensor] : makeModel(microSegmenter(), 1)->state())
    parts.insert(name.substr(0, name.find('.')));
  EXPECT_EQ(parts, (std::set<std::string>{"backbone", "decoder", "neck", "pixel_decoder"}));
}

TEST(Segmenter, EmbeddingsAndNormsDoNotDecay) {
  const auto model = makeModel(microSegmenter(), 1);
  std::set<std::string> spared;
  for (const auto& [name, tensor] : model->trainable())
    if (tensor.dim() > 1 && !model->decays(name, tensor)) spared.insert(name);
  EXPECT_EQ(spared, (std::set<std::string>{"backbone.pos_embed", "decoder.level_embed",
                                           "decoder.queries_embedder", "decoder.queries_features",
                                           "pixel_decoder.level_embed"}));
}

/// Nothing that a block or the decoders need is kept elsewhere.
TEST(Segmenter, BlocksNeedNothingButTheirTokens) {
  const auto model = stirredSegmenter(microSegmenter());
  const at::NoGradGuard noGrad;
  const at::Tensor images = segmenterNoise(1, 64, 128);
  const at::Tensor entering = model->block(0, model->embed(images), nullptr);
  model->forward(segmenterNoise(1, 128, 64));
  const SegmentScores after = model->findSegments(model->block(1, entering, nullptr));
  EXPECT_TRUE(at::equal(after.masks.back(), segmentsOf(*model, images).masks.back()));
}

TEST(Segmenter, GridTokensAreThoseOfTheGrid) {
  const auto model = stirredSegmenter(microSegmenter());
  const at::NoGradGuard noGrad;
  const at::Tensor tokens = model->embed(segmenterNoise(2, 64, 96));
  EXPECT_EQ(tokens.sizes(), (std::vector<std::int64_t>{2, 4, 6 * 24}));
  const at::Tensor own = model->gridTokens(0, tokens);
  EXPECT_EQ(own.sizes(), (std::vector<std::int64_t>{2, 24, 24}));
  EXPECT_TRUE(at::equal(own[1][2 * 6 + 5], tokens[1][2].narrow(0, 5 * 24, 24)));
}

TEST(Segmenter, RecordsWhereTheQueriesLook) {
  const auto model = stirredSegmenter(microSegmenter());
  auto& segmenter = dynamic_cast<Segmenter&>(*model);
  const at::NoGradGuard noGrad;
  at::Tensor tokens = model->embed(segmenterNoise(1, 64, 128));
  DecoderMaps maps;
  const SegmentScores recorded = segmenter.findSegments(tokens, &maps);
  EXPECT_TRUE(at::equal(recorded.masks.back(), model->findSegments(tokens).masks.back()));
  ASSERT_EQ(maps.cross.size(), 4u);
  EXPECT_EQ(maps.grids[1], (Grid{4, 8, 0}));
  EXPECT_EQ(maps.cross[1].sizes(), (std::vector<std::int64_t>{1, 2, 6, 32}));
}

TEST(Segmenter, MapsAreOfTheImagesGrid) {
  const auto model = stirredSegmenter(microSegmenter());
  const at::NoGradGuard noGrad;
  CollectingHook tap;
  model->forward(segmenterNoise(1, 64, 128), &tap);
  EXPECT_EQ(tap.maps.at(1).sizes(), (std::vector<std::int64_t>{1, 3, 32, 32}));
}

TEST(Segmenter, WeightsWorkAtOtherSizesWithMasksAndLinearAttention) {
  for (const std::string mechanism : {"softmax", "linear_angular"}) {
    SCOPED_TRACE(mechanism);
    const auto here = stirredSegmenter(microSegmenter(64, mechanism)),
               there = makeModel(microSegmenter(128, mechanism), 2);
    there->eval();
    const at::NoGradGuard noGrad;
    const auto from = here->state(), to = there->state();
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      at::Tensor(to[i].second).copy_(from[i].second);
    if (here->masks().maskableLayers() > 0)
      for (const auto& model : {here, there})
        model->setMasks(*makeMaskPreset("sch1", model->masks().shape()));
    const at::Tensor images = segmenterNoise(1, 128, 128);
    EXPECT_TRUE(at::equal(here->forward(images), there->forward(images)));
  }
}

TEST(Segmenter, AMaskOnABlockChangesTheMasksOfTheQueries) {
  const auto model = stirredSegmenter(microSegmenter());
  const at::NoGradGuard noGrad;
  const at::Tensor images = segmenterNoise(1, 64, 64);
  const at::Tensor before = segmentsOf(*model, images).masks.back();
  model->attention(0).setMasks(std::vector<HeadMask>(3, *headMaskFromText("hard:3")));
  EXPECT_GT((segmentsOf(*model, images).masks.back() - before).abs().max().item<double>(), 1e-3);
}

TEST(Segmenter, PositionsAreThoseOfThePreTrainingOrOfTheImage) {
  ModelConfig config = microSegmenter();
  EXPECT_EQ(makeModel(config, 1)->positionGrid(), (Grid{3, 3, 0}));
  config.layout["position_grid"] = 0;
  config.imageWidth = 96;
  EXPECT_EQ(makeModel(config, 1)->positionGrid(), (Grid{4, 6, 0}));
}

TEST(Segmenter, RefusesOtherSidesThanMultiplesOf32) {
  EXPECT_THROW(makeModel(microSegmenter(), 1)->forward(segmenterNoise(1, 64, 80)), c10::Error);
  EXPECT_EQ(refusedAt(microSegmenter(96)), "taken");
  EXPECT_EQ(refusedAt(microSegmenter(80)), "model.image_size");
  ModelConfig wide = microSegmenter();
  wide.imageWidth = 112;
  EXPECT_EQ(refusedAt(wide), "model.image_width");
}

TEST(Segmenter, RefusesPatchesThatItsMapsCannotHave) {
  const auto refused = [](int patch, int pixels) {
    ModelConfig config = microSegmenter();
    config.imageSize = pixels;
    config.patchSize = patch;
    return refusedAt(config);
  };
  for (const int patch : {4, 8, 16})
    EXPECT_EQ(refused(patch, 64), "taken") << patch;
  for (const int patch : {1, 2, 12, 32})
    EXPECT_EQ(refused(patch, 192), "model.patch_size") << patch;
  EXPECT_EQ(refused(8, 80), "taken");
  EXPECT_EQ(refused(8, 72), "model.image_size");
}

TEST(Segmenter, RefusesWidthsThatHeadsOrGroupsDoNotDivide) {
  const auto refused = [](const std::string& option, int value) {
    ModelConfig config = microSegmenter();
    config.layout[option] = value;
    return refusedAt(config);
  };
  EXPECT_EQ(refused("heads", 3), "model.layout.heads");
  EXPECT_EQ(refused("groups", 5), "model.layout.groups");
  EXPECT_EQ(refused("queries", 0), "model.layout.queries");
  EXPECT_EQ(refused("position_grid", 0), "taken");
  ModelConfig odd = microSegmenter();
  odd.layout["width"] = 18;
  odd.layout["groups"] = 2;
  EXPECT_EQ(refusedAt(odd), "model.layout.width");
}

TEST(SegmenterConfig, BackboneAloneIsEnough) {
  const ModelConfig config =
      valueOrThrow(modelFromJson({{"backbone", "vit_segmenter"}, {"classes", 3}}, modelCatalog()));
  EXPECT_FALSE(config.classToken);
  EXPECT_EQ(config.imageSize, 512);
  EXPECT_EQ(config.cropMode, kPadMode);
  EXPECT_EQ(taskOf(config), Task::Segment);
  EXPECT_TRUE(sameModel(config, valueOrThrow(modelFromJson(modelToJson(config), modelCatalog()))));
}

TEST(SegmenterConfig, WhatTheNetworkNeedsCannotBeChanged) {
  const auto refused = [](const std::string& key, const Json& value) {
    Json json = microSegmenterJson();
    json[key] = value;
    const auto read = modelFromJson(json, modelCatalog());
    return read ? std::string("taken") : read.error().where;
  };
  EXPECT_EQ(refused("class_token", true), "model.class_token");
  EXPECT_EQ(refused("patch_size", 8), "taken");
  EXPECT_EQ(refused("positions", "none"), "model.positions");
  EXPECT_EQ(refused("depths", {2, 2}), "model.depths");
  EXPECT_EQ(refused("image_width", 96), "taken");
}

TEST(SegmenterSizes, AreThosePublished) {
  struct Row {
    const char* name;
    double parametersM, macsG, paperG;
  };
  for (const Row& row : {Row{"vit_segmenter_base_512", 118.5, 170, 0},
                         Row{"vit_segmenter_base_512x672", 118.5, 231, 229},
                         Row{"castling_vit_segmenter_base_512", 118.5, 152, 0},
                         Row{"castling_vit_segmenter_base_512x672", 118.5, 199.5, 195}}) {
    const PublishedModel* model = findPublishedModel(row.name);
    ASSERT_NE(model, nullptr) << row.name;
    const ModelCost cost = modelCost(model->config);
    EXPECT_NEAR(cost.parameters / 1e6, row.parametersM, 0.1) << row.name;
    EXPECT_NEAR(cost.macs / 1e9, row.macsG, 0.005 * row.macsG) << row.name;
    EXPECT_EQ(model->publishedMacsG, row.paperG) << row.name;
    if (row.paperG > 0) {
      EXPECT_NEAR(cost.macs / 1e9, row.paperG, 0.03 * row.paperG) << row.name;
    }
  }
  EXPECT_EQ(modelCost(findPublishedModel("vit_segmenter_base_512")->config).parameters, 118524759);
}

TEST(SegmenterSizes, CountEqualsWhatIsBuilt) {
  for (const int grid : {0, 3}) {
    ModelConfig config = microSegmenter(96);
    config.layout["position_grid"] = grid;
    std::int64_t parameters = 0;
    for (const auto& [name, tensor] : makeModel(config, 0)->trainable())
      parameters += tensor.numel();
    EXPECT_EQ(modelCost(config).parameters, parameters) << grid;
  }
}

}  // namespace
}  // namespace headlight
