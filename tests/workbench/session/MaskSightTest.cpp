// SPDX-License-Identifier: GPL-3.0-or-later

// What is drawn of a mask, against what attention does: on every backbone and mechanism that has
// masks, patches outside a strict mask get exactly nothing, and those inside get something.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/models/Registry.h"
#include "core/workbench/session/MaskSight.h"
#include "core/workbench/session/MaskSightGrids.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/models/Pairings.h"

namespace headlight {
namespace {

Image gradient(int width, int height) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int value : {x * 5, y * 7, x * y})
        pixels->push_back(static_cast<std::uint8_t>(value % 256));
  return {width, height, std::move(pixels)};
}

/// A model of every pairing whose heads can be masked, and what to ask it.
struct Masked {
  std::string name;
  std::unique_ptr<InferenceSession> session;
  Image image;
  MaskScheme masks;

  const ModelConfig& model() const { return session->info().experiment.model; }
  InferenceResult infer() { return valueOrThrow(session->infer(image, masks)); }
  void setLayer(int layer, const HeadMask& mask) {
    for (int head = 0; head < masks.heads(layer); ++head)
      masks.set(layer, head, mask);
  }
};

Masked openForSight(const std::string& name, ModelConfig config) {
  if (config.layerScale > 0) config.layerScale = 1;  // else nothing is passed on before training
  if (config.mechanism == "lsla") config.attention["outer_bias"] = false;  // comes after the mask
  Experiment experiment;
  experiment.model = config;
  experiment.device = "cpu";
  experiment.threads = 1;
  Masked masked{name, valueOrThrow(InferenceSession::create(experiment)),
                gradient(config.imageWidthPixels(), config.imageHeightPixels()),
                MaskScheme(makeMaskShape(config))};
  return masked;
}

/// So that what one layer changes is seen at the end: fresh weights are small, some of them 0.
void shake(InferenceSession& session) {
  withModel(session, [](Model& model) {
    const at::NoGradGuard noGrad;
    const auto held = holdTorchRandom();
    seedTorch(5);
    for (at::Tensor& parameter : model.parameters())
      parameter.add_(at::randn_like(parameter), 0.2);
  });
}

HeadMask mask(const char* text) {
  return *headMaskFromText(text);
}

template <typename Check>
void forEachMaskable(Check check) {
  for (const auto& [name, config] : pairings()) {
    SCOPED_TRACE(name);
    if (makeMaskShape(config).maskableLayers == 0) continue;
    Masked masked = openForSight(name, config);
    check(masked);
  }
}

TEST(MaskSight, OutlinesWhatAStrictMaskLetsThrough) {
  int checked = 0;
  forEachMaskable([&](Masked& masked) {
    for (int layer = 0; layer < masked.masks.maskableLayers(); ++layer)
      masked.setLayer(layer, mask("strict:3"));
    const InferenceResult result = masked.infer();
    for (int layer = 0; layer < masked.masks.maskableLayers(); ++layer) {
      const MaskSight said =
          maskSight({masked.session->info(), masked.masks, &result, layer, 0, 10});
      if (said.text.find("the part that goes by position is not masked") != std::string::npos)
        continue;
      const LayerMaps& maps = result.maps.layers[static_cast<std::size_t>(layer)];
      for (int patch = 0; patch < maps.grid.patches(); ++patch) {
        const PatchesInside sight =
            patchesInside({masked.model(), layer, 0, maps.grid, patch}, mask("strict:3"));
        const std::vector<float> seen = patchesSeenBy(maps, 0, maps.grid.prefix + patch);
        ASSERT_EQ(sight.inside.size(), seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i)
          ASSERT_EQ(sight.inside[i] != 0, std::abs(seen[i]) > 0)
              << "layer " << layer << ", patch " << patch << " sees " << i << ": " << seen[i];
        ++checked;
      }
    }
  });
  EXPECT_GT(checked, 500);
}

TEST(MaskSight, TellsWhichLayersMasksCannotMatter) {
  int without = 0;
  forEachMaskable([&](Masked& masked) {
    shake(*masked.session);
    const InferenceResult unmasked = masked.infer();
    const std::vector<float>& before = unmasked.logits;
    for (int layer = 0; layer < masked.masks.maskableLayers(); ++layer) {
      // The smallest models end in one patch, which no window leaves out.
      if (unmasked.maps.layers[static_cast<std::size_t>(layer)].grid.patches() == 1) continue;
      masked.setLayer(layer, mask("strict:1"));
      const std::vector<float> after = masked.infer().logits;
      masked.setLayer(layer, {});
      double most = 0, scale = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        most = std::max(most, std::abs(double{before[i]} - after[i]));
        scale = std::max(scale, std::abs(double{before[i]}));
      }
      const bool matters = whyNoMaskEffect(masked.model(), layer).empty();
      EXPECT_EQ(matters, most > 1e-5 * scale) << "layer " << layer << ": " << most << "/" << scale;
      without += !matters;
    }
  });
  EXPECT_GT(without, 0);
}

ModelInfo plainModel(bool classToken = true) {
  ModelInfo info;
  info.experiment.model.imageSize = 64;
  info.experiment.model.imageWidth = 80;
  info.experiment.model.depth = 3;
  info.experiment.model.heads = 2;
  info.experiment.model.classToken = classToken;
  info.grid = info.experiment.model.grid();
  info.heads = {2, 2, 2};
  return info;
}

TEST(MaskSight, SaysInOneLineWhatTheKindDoes) {
  const ModelInfo model = plainModel();
  MaskScheme masks(3, 2);
  const auto sight = [&](const char* text, int layer, int query) {
    masks.set(layer, 0, mask(text));
    return maskSight({model, masks, nullptr, layer, 0, query});
  };
  const int middle = model.grid.middleToken();
  EXPECT_EQ(sight("hard:3", 0, middle).text,
            "hard: logits outside become 0, so they still get exp(0)");
  EXPECT_EQ(sight("soft:3@0.25", 0, middle).text,
            "soft: logits outside are multiplied by α = 0.25");
  EXPECT_EQ(sight("strict:3", 0, middle).text,
            "strict: logits outside become −∞, so they get nothing");
  EXPECT_EQ(sight("random:3", 0, middle).text,
            "random: logits outside become 0, so they still get exp(0)");
  EXPECT_EQ(sight("none", 0, middle), MaskSight({MaskKind::None, 4, 5, {}, {}, ""}));
  EXPECT_NE(
      sight("hard:3", 2, middle).text.find("no effect here: the last layer's patches are not read"),
      std::string::npos);
  EXPECT_TRUE(sight("hard:3", 2, middle).isDrawn());
  EXPECT_NE(sight("hard:9", 0, middle).text.find("no effect here: the window covers every patch"),
            std::string::npos);
  const MaskSight ofClassToken = sight("hard:3", 0, 0);
  EXPECT_FALSE(ofClassToken.isDrawn());
  EXPECT_NE(ofClassToken.text.find("choose a patch"), std::string::npos);
}

TEST(MaskSight, TheMeanHasAWindowWhereHeadsHaveOneMask) {
  const ModelInfo model = plainModel();
  MaskScheme masks(3, 2);
  const MaskSightRequest mean{model, masks, nullptr, 1, -1, model.grid.middleToken()};
  EXPECT_EQ(maskSight(mean).text, "");
  masks.set(1, 0, mask("hard:3"));
  EXPECT_FALSE(maskSight(mean).isDrawn());
  EXPECT_EQ(maskSight(mean).text, "masks differ from head to head; choose one head");
  masks.set(1, 1, mask("hard:3"));
  EXPECT_EQ(maskSight(mean).window.size(), 4u);
}

TEST(MaskSight, AModelThatAveragesPatchesReadsThemAll) {
  ModelConfig model = plainModel(/*classToken=*/false).experiment.model;
  EXPECT_EQ(whyNoMaskEffect(model, 2), "");
  model.classToken = true;
  EXPECT_NE(whyNoMaskEffect(model, 2), "");
  model.layout["pooling"] = "mean";
  EXPECT_EQ(whyNoMaskEffect(model, 2), "");
}

/// IBiT's Algorithm 2 as printed has no softmax: a product of 0 is no weight.
TEST(MaskSight, OfProductsSaysThatNothingIsLeftOutside) {
  ModelInfo model = plainModel();
  model.experiment.model.mechanism = "learned_mask";
  MaskScheme masks(3, 2);
  const auto textOf = [&](const char* placement, const char* kind) {
    model.experiment.model.attention = {{"placement", placement}};
    masks.set(0, 0, mask(kind));
    return maskSight({model, masks, nullptr, 0, 0, model.grid.middleToken()}).text;
  };
  for (const std::string kind : {"hard", "strict", "random"})
    EXPECT_NE(textOf("products", (kind + ":3").c_str()).find(kind + ": products outside become 0"),
              std::string::npos)
        << kind;
  EXPECT_NE(textOf("products", "soft:3@0.25").find("soft: logits outside are multiplied"),
            std::string::npos);
  EXPECT_NE(textOf("products", "decay:0.5").find("decay: weights are multiplied"),
            std::string::npos);
  EXPECT_NE(textOf("weights", "hard:3").find("hard: logits outside become 0"), std::string::npos);
}

TEST(MaskSight, ALearnedMaskIsAContourAtHalfOfItsLargestValue) {
  const ModelInfo model = plainModel();
  InferenceResult result;
  LearnedMap learned{"learned_mask", "learned mask W", {}};
  const int tokens = model.grid.tokens(), middle = model.grid.middleToken();
  auto values = std::make_shared<std::vector<float>>(2 * tokens * tokens, 0.1f);
  const auto at = [&](int key) -> float& { return (*values)[middle * tokens + key]; };
  at(middle) = 1.0f;
  at(middle + 1) = 0.5f;
  at(middle - 1) = 0.49f;
  learned.maps.layers.assign(3, LayerMaps{2, model.grid, values});
  result.learned.push_back(learned);
  const MaskScheme masks(3, 2);
  const MaskSight sight = maskSight({model, masks, &result, 0, 0, middle});
  EXPECT_TRUE(sight.window.empty());
  EXPECT_EQ(sight.learned,
            (std::vector<PatchEdge>{{2, 2, 2, 4}, {3, 2, 3, 4}, {2, 2, 3, 2}, {2, 4, 3, 4}}));
  EXPECT_NE(sight.text.find("half of its largest value"), std::string::npos);
}

TEST(MaskSight, PixelsAreBrightOnTheBorderAndDarkBesideIt) {
  const Image gray{80, 64, std::make_shared<const std::vector<std::uint8_t>>(80 * 64 * 3, 128)};
  MaskSight sight{MaskKind::Hard, 4, 5, {}, {}, ""};
  EXPECT_EQ(withMaskSight(gray, sight).pixels, gray.pixels);
  sight.window = {{1, 1, 1, 3}, {2, 1, 2, 3}, {1, 1, 2, 1}, {1, 3, 2, 3}};
  const Image drawn = withMaskSight(gray, sight);
  const auto pixel = [&](int x, int y) { return int{drawn.row(y)[3 * x]}; };
  EXPECT_EQ(pixel(30, 16), 255);
  EXPECT_LT(pixel(30, 17), 60);
  EXPECT_LT(pixel(30, 15), 60);
  EXPECT_EQ(pixel(30, 24), 128);  // inside
  EXPECT_EQ(pixel(60, 16), 128);  // outside
}

TEST(PatchOutline, IsTheBorderInStraightLines) {
  EXPECT_TRUE(patchOutline({0, 0, 0, 0}, 2, 2).empty());
  EXPECT_EQ(patchOutline({1, 1, 1, 1}, 2, 2),
            (std::vector<PatchEdge>{{0, 0, 0, 2}, {2, 0, 2, 2}, {0, 0, 2, 0}, {0, 2, 2, 2}}));
  // Two that touch at a corner: a line between them along each axis.
  EXPECT_EQ(
      patchOutline({1, 0, 0, 1}, 2, 2),
      (std::vector<PatchEdge>{
          {0, 0, 0, 1}, {1, 0, 1, 2}, {2, 1, 2, 2}, {0, 0, 1, 0}, {0, 1, 2, 1}, {1, 2, 2, 2}}));
  EXPECT_TRUE(patchOutline({1, 1}, 2, 2).empty());
}

}  // namespace
}  // namespace headlight
