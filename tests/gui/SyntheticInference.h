// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A model, an image and maps made by hand, so that tests know which patch is the hottest.

#include <QColor>
#include <QImage>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "ui/document/Document.h"

namespace headlight::synthetic {

/// 4 × 5 patches of 16 pixels, a class token: 21 tokens.
inline constexpr int kRows = 4, kCols = 5;

inline ModelInfo makeModel(int layers = 3, int heads = 2, bool distilled = false) {
  ModelInfo info;
  ModelConfig& model = info.experiment.model;
  model.name = "synthetic";
  model.imageSize = kRows * 16;
  model.imageWidth = kCols * 16;
  model.depth = layers;
  model.heads = heads;
  model.width = 8 * heads;
  model.classes = 6;
  model.cropFraction = 1.0;
  model.distilled = distilled;
  info.heads.assign(static_cast<std::size_t>(layers), heads);
  info.grid = model.grid();
  info.mapMeaning = "softmax attention";
  info.device = "cpu";
  return info;
}

/// The last `classLayers` of its layers are class attention, which is never masked.
inline ModelInfo makeClassAttentionModel(int layers = 6, int heads = 4, int classLayers = 2) {
  ModelInfo info = makeModel(layers, heads);
  info.experiment.model.depth = layers - classLayers;
  info.experiment.model.classDepth = classLayers;
  return info;
}

/// AFT has no logits that a mask could act on.
inline ModelInfo makeUnmaskableModel(int layers = 3, int heads = 2) {
  ModelInfo info = makeModel(layers, heads);
  info.experiment.model.mechanism = "aft_full";
  return info;
}

/// A layer a stage, with twice the heads of the one before.
inline ModelInfo makeStagedModel(int stages = 4, int heads = 3) {
  ModelInfo info = makeModel(stages, heads);
  info.experiment.model.depths.assign(static_cast<std::size_t>(stages), 1);
  for (int stage = 0; stage < stages; ++stage)
    info.heads[static_cast<std::size_t>(stage)] = heads << stage;
  return info;
}

/// One color all over.
inline Image makeImage(int width = kCols * 16, int height = kRows * 16,
                       const QColor& color = QColor(60, 120, 180)) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < width * height; ++i)
    for (const int channel : {color.red(), color.green(), color.blue()})
      pixels->push_back(static_cast<std::uint8_t>(channel));
  return {width, height, std::move(pixels)};
}

/// The patch that `query` of a head looks at most, and the one it looks at least.
inline int hottest(int layer, int head, int query) {
  return (7 * layer + 3 * head + 2 * query) % (kRows * kCols);
}
inline int coldest(int layer, int head, int query) {
  return (hottest(layer, head, query) + 10) % (kRows * kCols);
}

inline constexpr float kPrefixShare = 0.1f, kColdest = 0.002f;
inline float peak(int layer, int head) {
  return 0.3f + 0.05f * layer + 0.1f * head;
}

/// Rows sum to 1; the hottest patch has `peak`, the coldest kColdest, the prefix kPrefixShare.
inline LayerMaps makeLayer(const Grid& grid, int layer, int heads, int shift = 0) {
  const int tokens = grid.tokens();
  auto values = std::make_shared<std::vector<float>>();
  for (int head = 0; head < heads; ++head)
    for (int query = 0; query < tokens; ++query) {
      const float rest = (1 - kPrefixShare - peak(layer, head) - kColdest) / (grid.patches() - 2);
      const int hot = (hottest(layer, head, query) + shift) % grid.patches();
      const int cold = (coldest(layer, head, query) + shift) % grid.patches();
      for (int key = 0; key < tokens; ++key) {
        const int patch = key - grid.prefix;
        float value = rest;
        if (patch < 0) value = kPrefixShare / static_cast<float>(grid.prefix);
        if (patch == hot) value = peak(layer, head);
        if (patch == cold) value = kColdest;
        values->push_back(value);
      }
    }
  return {heads, grid, std::move(values)};
}

/// `shift` moves every peak, as an edit would; `logits` [6].
inline std::shared_ptr<InferenceResult> makeInference(const ModelInfo& model, int shift = 0,
                                                      std::vector<float> logits = {3, 1, 2, 0, -1,
                                                                                   -2}) {
  auto inference = std::make_shared<InferenceResult>();
  for (std::size_t layer = 0; layer < model.heads.size(); ++layer) {
    inference->maps.layers.push_back(
        makeLayer(model.grid, static_cast<int>(layer), model.heads[layer], shift));
    inference->locality.push_back(localityScores(inference->maps.layers.back()));
  }
  inference->maps.meaning = model.mapMeaning;
  inference->logits = logits;
  double sum = 0;
  for (const float logit : logits)
    sum += std::exp(logit);
  for (int i = 0; i < static_cast<int>(logits.size()); ++i)
    inference->top.push_back(
        {i, "thing " + std::to_string(i),
         static_cast<float>(std::exp(logits[static_cast<std::size_t>(i)]) / sum)});
  std::stable_sort(inference->top.begin(), inference->top.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  inference->top.resize(std::min<std::size_t>(inference->top.size(), 5));
  return inference;
}

/// Model, image and result, seen from the class token in layer 0, wherever the pointer is; an
/// overlay of blocks at full opacity.
inline void fill(Document& document, const ModelInfo& model = makeModel(),
                 const Image& image = makeImage()) {
  document.setModel(model);
  document.setImage(image, "synthetic", {});
  document.setInference(makeInference(model), -1);
  ViewOptions view = document.view().options();
  view.layer = 0;
  view.head = 0;
  view.query = 0;
  view.style = MapStyle::Overlay;
  view.smooth = false;
  view.opacity = 1;
  document.view().set(view);
  document.view().pin(0);
}

/// The pixel at a widget's point, in an image grabbed from it.
inline QColor pixelAt(const QImage& grabbed, const QPointF& point) {
  return grabbed.pixelColor((point * grabbed.devicePixelRatio()).toPoint());
}

/// Largest difference of a channel.
inline int distance(const QColor& a, const QColor& b) {
  return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                   std::abs(a.blue() - b.blue())});
}
inline QColor mapColor(ColorMap map, double value) {
  const auto rgb = colorOf(map, value);
  return {rgb[0], rgb[1], rgb[2]};
}

/// Any Qt warning fails the test; the offscreen platform's own remark is none of ours.
inline void failOnQtWarnings() {
  QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)"));
}

}  // namespace headlight::synthetic

#define COMPARE_COLOR(actual, expected, tolerance)                            \
  do {                                                                        \
    const QColor a_ = (actual), e_ = (expected);                              \
    QVERIFY2(headlight::synthetic::distance(a_, e_) <= (tolerance),           \
             qPrintable(a_.name() + QStringLiteral(" is not ") + e_.name())); \
  } while (false)
