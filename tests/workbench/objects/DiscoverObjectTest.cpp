// SPDX-License-Identifier: GPL-3.0-or-later

// Objects found by a model beside a ViT in double precision; explanation methods give the same;
// every backbone and mechanism finds one or says why not; masks count; what is refused; CorLoc.

#include "core/workbench/objects/DiscoverObject.h"

#include <algorithm>
#include <limits>

#include "core/workbench/attribution/FaithfulnessStudy.h"
#include "core/workbench/objects/Localization.h"
#include "tests/models/Pairings.h"
#include "tests/workbench/ExplanationSupport.h"
#include "tests/workbench/NaiveVit.h"
#include "tests/workbench/objects/NaiveObjects.h"

namespace headlight {
namespace {

struct ObjectModel {
  explicit ObjectModel(const ModelConfig& given = microVit())
      : config(given),
        session(explanationSession(config)),
        image(explanationImage(config)),
        masks(explanationMasks(*session)) {}

  Result<DiscoveredObject> find(const ObjectOptions& options) const {
    return discoverObject(*session, image, masks, options);
  }
  std::string refusal(const ObjectOptions& options) const {
    const auto found = find(options);
    return found ? std::string() : found.error().text();
  }

  ModelConfig config;
  std::unique_ptr<InferenceSession> session;
  RawImages image;
  MaskScheme masks;
};

PatchFeatures patchRowsOf(const at::Tensor& tokens, int rows, int cols) {
  const at::Tensor patches =
      tokens.slice(0, tokens.size(0) - rows * cols).to(at::kDouble).contiguous();
  return {rows,
          cols,
          static_cast<int>(patches.size(1)),
          {patches.data_ptr<double>(), patches.data_ptr<double>() + patches.numel()}};
}

/// Queries, keys or values [T, D] of a layer, from its weights.
at::Tensor naiveProjection(Model& model, const NaiveVit::Pass& pass, int layer, int part) {
  const std::string name = "blocks." + std::to_string(layer) + ".attn.qkv.";
  at::Tensor weight, bias;
  for (const auto& [key, tensor] : model.state()) {
    if (key == name + "weight") weight = tensor.detach().to(at::kDouble);
    if (key == name + "bias") bias = tensor.detach().to(at::kDouble);
  }
  const std::int64_t width = weight.size(1);
  return pass.entering[static_cast<std::size_t>(layer)].matmul(
             weight.slice(0, part * width, (part + 1) * width).t()) +
         bias.slice(0, part * width, (part + 1) * width);
}

void expectAlike(const PatchRegion& found, const PatchRegion& expected, const std::string& where) {
  EXPECT_EQ(found.mask, expected.mask) << where;
  EXPECT_EQ(found.seed, expected.seed) << where;
  EXPECT_EQ(found.box, expected.box) << where;
}

TEST(DiscoverObject, IsTheNaiveOne) {
  const at::NoGradGuard noGrad;
  const ObjectModel model;
  const std::vector<std::string> parts{"queries", "keys", "values"};
  for (int layer = 0; layer < 3; ++layer) {
    std::vector<PatchFeatures> features;
    withModel(*model.session, [&](Model& own) {
      const NaiveVit vit(own);
      const auto pass = vit.pass(explanationTensor(model.image));
      for (int part = 0; part < 3; ++part)
        features.push_back(patchRowsOf(naiveProjection(own, pass, layer, part), 3, 3));
      features.push_back(
          patchRowsOf(vit.finalNorm(pass.leaving[static_cast<std::size_t>(layer)]), 3, 3));
    });
    for (std::size_t f = 0; f < features.size(); ++f) {
      const std::string feature = f < parts.size() ? parts[f] : "tokens";
      const std::string where = feature + " of layer " + std::to_string(layer);
      const ObjectOptions lost{.method = "lost", .feature = feature, .layer = layer, .seeds = 4};
      expectAlike(valueOrThrow(model.find(lost)).region, naiveLost(features[f], 4), where);
    }
  }
}

TEST(DiscoverObject, TokenCutIsTheNaiveOne) {
  const at::NoGradGuard noGrad;
  const ObjectModel model;
  int found = 0;
  for (int layer = 0; layer < 3; ++layer) {
    PatchFeatures keys;
    withModel(*model.session, [&](Model& own) {
      const auto pass = NaiveVit(own).pass(explanationTensor(model.image));
      keys = patchRowsOf(naiveProjection(own, pass, layer, 1), 3, 3);
    });
    // Between the cosines, so that some edges are on each side.
    std::vector<double> cosines;
    for (const auto& row : naiveProducts(keys, true))
      cosines.insert(cosines.end(), row.begin(), row.end());
    std::sort(cosines.begin(), cosines.end());
    const double threshold = std::clamp((cosines[30] + cosines[32]) / 2, -1.0, 1.0);
    double gap = 0;
    const PatchRegion expected = naiveTokenCut(keys, threshold, 1e-5, &gap);
    if (gap < 1e-6) continue;
    ++found;
    const auto cut = model.find({.method = "tokencut", .layer = layer, .threshold = threshold});
    ASSERT_TRUE(cut) << cut.error().text();
    ASSERT_EQ(cut->region.scores.size(), 9u);
    EXPECT_EQ(cut->layer, layer);
    expectAlike(cut->region, expected, "layer " + std::to_string(layer));
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(cut->region.scores[i], expected.scores[i], 1e-6) << layer << " " << i;
  }
  EXPECT_GT(found, 0);
}

TEST(DiscoverObject, DinosMasksAreTheNaiveOnes) {
  const at::NoGradGuard noGrad;
  const ObjectModel model;
  std::vector<at::Tensor> maps;
  withModel(*model.session,
            [&](Model& own) { maps = NaiveVit(own).pass(explanationTensor(model.image)).maps; });
  for (int layer = 0; layer < 3; ++layer) {
    const auto found = valueOrThrow(model.find({.method = "dino", .layer = layer}));
    ASSERT_EQ(found.heads.size(), 3u);
    std::vector<char> joined(9, 0);
    for (int h = 0; h < 3; ++h) {
      std::vector<double> weights;
      for (int p = 0; p < 9; ++p)
        weights.push_back(maps[static_cast<std::size_t>(layer)][h][0][p + 1].item<double>());
      const std::vector<char> expected = naiveMass(weights, 0.6);
      EXPECT_EQ(found.heads[static_cast<std::size_t>(h)], expected) << layer << "." << h;
      for (std::size_t p = 0; p < 9; ++p)
        joined[p] = joined[p] || expected[p];
      const auto one = valueOrThrow(model.find({.method = "dino", .layer = layer, .head = h}));
      EXPECT_EQ(one.region.mask, expected);
    }
    EXPECT_EQ(found.region.mask, joined);
    EXPECT_EQ(found.note, "60 % of the attention of each head");
  }
}

TEST(DiscoverObject, ModelsWithoutClassTokenSayWhatStandsIn) {
  ModelConfig config = microVit();
  config.classToken = false;
  const ObjectModel model(config);
  const auto found = valueOrThrow(model.find({.method = "dino"}));
  EXPECT_NE(found.note.find("mean over the query patches"), std::string::npos) << found.note;
}

TEST(DiscoverObject, ExplanationsGiveTheSame) {
  const ObjectModel model;
  const std::pair<const char*, const char*> names[] = {
      {"dino-mask", "dino"}, {"lost", "lost"}, {"tokencut", "tokencut"}};
  for (const auto& [name, method] : names)
    for (const int layer : {-1, 0}) {
      const auto heatmap = imageHeatmap(*model.session, model.image, model.masks, name,
                                        {.layer = layer, .objects = {.threshold = 0.4}});
      const auto found = model.find({.method = method, .layer = layer, .threshold = 0.4});
      ASSERT_EQ(heatmap.ok(), found.ok()) << name;
      if (!found) continue;
      EXPECT_EQ(heatmap->layer, found->layer);
      EXPECT_EQ(heatmap->grid, found->grid);
      ASSERT_TRUE(heatmap->box);
      EXPECT_EQ(*heatmap->box, found->box());
      ASSERT_EQ(heatmap->values.size(), found->region.mask.size());
      for (std::size_t p = 0; p < heatmap->values.size(); ++p)
        EXPECT_EQ(heatmap->values[p] > 0, found->region.mask[p] != 0) << name << " " << p;
    }
}

TEST(DiscoverObject, MasksAreNotAskedForFaithfulness) {
  const ObjectModel model;
  const auto asked =
      valueOrThrow(heatmapsToStudy(*model.session, model.image, model.masks, StudyOptions()));
  for (const auto& heatmap : asked.heatmaps)
    EXPECT_EQ(heatmap.title.find("LOST"), std::string::npos) << heatmap.title;
}

TEST(DiscoverObject, MaskedHeadsCount) {
  ObjectModel model;
  const auto before = valueOrThrow(model.find({.method = "dino", .head = 0}));
  const auto scoresBefore = valueOrThrow(model.find({.method = "lost"})).region.scores;
  for (int layer = 0; layer < model.masks.layers(); ++layer)
    for (int head = 0; head < model.masks.heads(layer); ++head)
      model.masks.set(layer, head, HeadMask{MaskKind::Strict, 1});
  const auto after = valueOrThrow(model.find({.method = "dino", .head = 0}));
  EXPECT_EQ(after.region.mask.size(), before.region.mask.size());
  EXPECT_NE(valueOrThrow(model.find({.method = "lost"})).region.scores, scoresBefore);
}

TEST(DiscoverObject, EveryBackboneAndMechanismAnswers) {
  for (const auto& [name, config] : costlyPairings()) {
    const ObjectModel model(config);
    const auto tokens = model.find({.method = "lost", .feature = "tokens"});
    if (tokens) {
      const DiscoveredObject& object = *tokens;
      EXPECT_EQ(static_cast<int>(object.region.mask.size()), object.grid.patches()) << name;
      EXPECT_TRUE(object.region.component[static_cast<std::size_t>(object.region.seed)]) << name;
      EXPECT_LT(object.region.box.left, object.region.box.right) << name;
    } else {
      EXPECT_NE(tokens.error().text().find("patch"), std::string::npos)
          << name << ": " << tokens.error().text();
    }
    const auto keys = model.find({.method = "lost"});
    if (!keys) {
      EXPECT_TRUE(keys.error().text().find("choose the feature tokens") != std::string::npos ||
                  keys.error().text().find("patches") != std::string::npos ||
                  keys.error().code == ErrorCode::NotFound)
          << name << ": " << keys.error().text();
    }
  }
}

TEST(DiscoverObject, RefusesWhatThereIsNot) {
  const ObjectModel model;
  EXPECT_NE(model.refusal({.layer = 3}).find("no layer 3"), std::string::npos);
  EXPECT_NE(model.refusal({.method = "dino", .head = 3}).find("no head 3"), std::string::npos);
  EXPECT_NE(model.refusal({.mass = 0}).find("greater than 0"), std::string::npos);
  EXPECT_NE(model.refusal({.method = "by feel"}).find("tokencut"), std::string::npos);
  RawImages small = model.image;
  small.height = 8;
  EXPECT_FALSE(discoverObject(*model.session, small, model.masks));
  RawImages broken = model.image;
  broken.values[5] = std::numeric_limits<float>::quiet_NaN();
  for (const char* method : {"dino", "lost", "tokencut"}) {
    const auto found = discoverObject(*model.session, broken, model.masks, {.method = method});
    ASSERT_FALSE(found) << method;
    EXPECT_EQ(found.error().code, ErrorCode::Internal) << found.error().text();
  }
  std::stop_source stop;
  stop.request_stop();
  const auto stopped =
      discoverObject(*model.session, model.image, model.masks, {}, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
}

TEST(DiscoverObject, LocalizationIsCounted) {
  ModelConfig config = microVit();
  config.imageSize = 64;
  const ObjectModel model(config);
  ImageSample sample;
  sample.data.dataset = "texture-scenes";
  sample.data.validationSamples = 6;
  sample.samples = 0;
  const ObjectOptions options{.method = "dino"};
  const auto all = valueOrThrow(localizeObjects(*model.session, model.masks, options, sample));
  ASSERT_EQ(all.images + all.without, 6);
  ASSERT_EQ(static_cast<std::int64_t>(all.each.size()), all.images);
  std::int64_t found = 0;
  double sum = 0;
  for (const LocalizedImage& one : all.each) {
    EXPECT_TRUE(one.problem.empty()) << one.problem;
    EXPECT_GE(one.overlap, 0);
    EXPECT_LE(one.overlap, 1);
    found += one.overlap > 0.5;
    sum += one.overlap;
  }
  EXPECT_EQ(all.found, found);
  EXPECT_NEAR(all.meanOverlap, sum / static_cast<double>(all.images), 1e-12);
  EXPECT_DOUBLE_EQ(all.corLoc(), static_cast<double>(found) / static_cast<double>(all.images));
  const std::string csv = localizationCsv(all);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), all.images + 1);
  EXPECT_FALSE(all.meanMaskOverlap || all.each[0].maskOverlap);
  sample.data.dataset = "texture-shape";
  const auto none = localizeObjects(*model.session, model.masks, options, sample);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("no true boxes"), std::string::npos);
}

TEST(DiscoverObject, SegmentsMeasureMasksBesideBoxes) {
  ModelConfig config = microVit();
  config.imageSize = 64;
  const ObjectModel model(config);
  ImageSample sample;
  sample.data.dataset = "texture-segments";
  sample.data.validationSamples = 4;
  sample.samples = 0;
  const ObjectOptions options{.method = "dino"};
  const auto all = valueOrThrow(localizeObjects(*model.session, model.masks, options, sample));
  ASSERT_EQ(all.images, 4);
  ASSERT_TRUE(all.meanMaskOverlap);
  double sum = 0;
  for (const LocalizedImage& one : all.each) {
    ASSERT_TRUE(one.maskOverlap);
    EXPECT_GT(*one.maskOverlap, 0);  // every pixel has a class, and some are marked
    EXPECT_LE(*one.maskOverlap, 1);
    sum += *one.maskOverlap;
  }
  EXPECT_NEAR(*all.meanMaskOverlap, sum / 4, 1e-12);
  EXPECT_TRUE(localizationCsv(all).starts_with("image,iou,class,left,top,right,bottom,mask_iou\n"));
}

}  // namespace
}  // namespace headlight
