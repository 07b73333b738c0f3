// SPDX-License-Identifier: GPL-3.0-or-later

// Maps that would fill the memory: looked at by rows that are made again, and the same.

#include <gtest/gtest.h>

#include "core/config/Experiment.h"
#include "core/models/Registry.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

/// 4 layers × 4 heads × 1850² tokens: 219 MB of maps.
Experiment largeExperiment() {
  Experiment experiment;
  ModelConfig& model = experiment.model;
  model.backbone = "vit";
  model.imageSize = 172;
  model.patchSize = 4;
  model.width = 32;
  model.heads = 4;
  model.depth = 4;
  model.classes = 5;
  return experiment;
}

Image stripes(int size) {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 3 * size * size; ++i)
    pixels.push_back(static_cast<std::uint8_t>((i * 37 + i / 91) % 256));
  return {size, size, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

void expectClose(const std::vector<float>& got, const std::vector<float>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expected[i], 1e-6) << i;
}

TEST(LargeMaps, AreNotKeptAndReadTheSame) {
  const auto session = valueOrThrow(InferenceSession::create(largeExperiment()));
  const MaskScheme masks = *makeMaskPreset("sch1", makeMaskShape(session->info().experiment.model));
  const Image image = stripes(172);
  const InferenceResult inference = valueOrThrow(session->infer(image, masks));
  const auto raw =
      valueOrThrow(inferRaw(*session, rawImage(session->info(), image), masks, /*withMaps=*/true));
  const AttentionMaps& whole = raw[0].maps;
  for (std::size_t l = 0; l < whole.layers.size(); ++l) {
    const LayerMaps& layer = inference.maps.layers[l];
    EXPECT_FALSE(layer.values) << l;
    EXPECT_FALSE(layer.empty()) << l;
    for (const int query : {0, 1, 900, layer.tokens() - 1})
      for (int head = 0; head < layer.heads; ++head)
        expectClose(patchesSeenBy(layer, head, query), patchesSeenBy(whole.layers[l], head, query));
    expectClose(inference.locality[l], localityScores(whole.layers[l]));
  }
  expectClose(*inference.maps.layers[2].whole(), *whole.layers[2].values);
  expectClose(attentionEntropies(inference.maps.layers[3]), attentionEntropies(whole.layers[3]));
  expectClose(valueOrThrow(rollout(inference.maps, {})), valueOrThrow(rollout(whole, {})));
}

TEST(LargeMaps, SmallOnesAreKept) {
  Experiment small = largeExperiment();
  small.model.imageSize = 32;
  const auto session = valueOrThrow(InferenceSession::create(small));
  const MaskScheme none(makeMaskShape(session->info().experiment.model));
  for (const LayerMaps& layer : valueOrThrow(session->infer(stripes(32), none)).maps.layers) {
    EXPECT_TRUE(layer.values);
    EXPECT_FALSE(layer.rows);
  }
}

}  // namespace
}  // namespace headlight
