// SPDX-License-Identifier: GPL-3.0-or-later

// Maps of a masked autoencoder while patches are dropped, beside those of its own forward pass.

#include "core/workbench/pretraining/KeptAttention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/base/AttentionHook.h"
#include "core/models/Registry.h"
#include "core/models/backbones/MaskedAutoencoder.h"
#include "core/workbench/pretraining/Reconstruction.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

Experiment keptExperiment(const std::string& mechanism) {
  Experiment experiment;
  experiment.device = "cpu";
  ModelConfig& model = experiment.model;
  model.backbone = "mae";
  model.mechanism = mechanism;
  model.imageSize = 16;
  model.imageWidth = 24;
  model.patchSize = 4;
  model.width = 8;
  model.depth = 2;
  model.heads = 2;
  model.classes = 0;
  model.positions = "none";
  model.layout = {{"decoder_width", 8}, {"decoder_depth", 1}, {"decoder_heads", 2}};
  model = checkedAndCompleted(model);
  return experiment;
}

Image coloredImage() {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < 24 * 16 * 3; ++i)
    pixels->push_back(static_cast<std::uint8_t>(i * 53 % 256));
  return {24, 16, pixels};
}

std::unique_ptr<InferenceSession> keptSession(const std::string& mechanism) {
  return valueOrThrow(InferenceSession::create(keptExperiment(mechanism)));
}

Reconstruction reconstructedAt(InferenceSession& session, std::optional<int> layer) {
  return valueOrThrow(reconstruct(session, coloredImage(), {0.6, 4, layer}));
}

std::vector<int> keptPatchesOf(const KeptAttention& attention) {
  std::vector<int> kept;
  for (int patch = 0; patch < attention.grid.patches(); ++patch)
    if (attention.places[static_cast<std::size_t>(attention.grid.prefix + patch)] >= 0)
      kept.push_back(patch);
  return kept;
}

/// [H, K, K] of the model's own pass over these patches.
at::Tensor ownMap(InferenceSession& session, const Image& view, const std::vector<int>& patches,
                  int layer) {
  const std::vector<float> values =
      normalize(view, makePreprocessing(session.info().experiment.model));
  at::Tensor pixels = at::empty({1, 3, view.height, view.width}, at::kFloat);
  std::copy(values.begin(), values.end(), pixels.data_ptr<float>());
  at::Tensor kept = at::empty({1, static_cast<std::int64_t>(patches.size())}, at::kLong);
  std::copy(patches.begin(), patches.end(), kept.data_ptr<std::int64_t>());
  CollectingHook hook;
  withModel(session, [&](Model& model) {
    const at::NoGradGuard noGrad;
    model.eval();
    autoencoderIn(model).rebuild(pixels, kept, &hook);
  });
  return hook.maps.at(layer)[0];
}

/// The row of a token, entry by entry.
void expectRow(const std::vector<float>& values, const KeptAttention& attention,
               const at::Tensor& row) {
  ASSERT_EQ(values.size(), 24u);
  for (int patch = 0; patch < 24; ++patch) {
    const int place = attention.places[static_cast<std::size_t>(1 + patch)];
    const float value = values[static_cast<std::size_t>(patch)];
    if (place < 0)
      EXPECT_TRUE(std::isnan(value)) << patch;
    else
      EXPECT_NEAR(value, row[place].item<float>(), 1e-6) << patch;
  }
}

TEST(KeptAttention, PutsTheMapsOfTheKeptTokensOnTheGrid) {
  for (const char* mechanism : {"softmax", "linear_angular", "talking_heads", "aft_simple"}) {
    SCOPED_TRACE(mechanism);
    const auto session = keptSession(mechanism);
    for (const int layer : {0, 1}) {
      const Reconstruction result = reconstructedAt(*session, layer);
      ASSERT_TRUE(result.attention);
      const KeptAttention& attention = *result.attention;
      const std::vector<int> patches = keptPatchesOf(attention);
      EXPECT_EQ(patches.size(), 9u);  // ⌊24 · 0.4⌋
      EXPECT_EQ(attention.kept(), 10);
      const at::Tensor map = ownMap(*session, result.original, patches, layer);
      for (const int token : {0, 1 + patches.front(), 1 + patches.back()}) {
        const int place = attention.places[static_cast<std::size_t>(token)];
        for (const int head : {0, 1})
          expectRow(valueOrThrow(drawKeptMap(attention, {token, head}, result.masked)).values,
                    attention, map[head][place]);
        expectRow(valueOrThrow(drawKeptMap(attention, {token, -1}, result.masked)).values,
                  attention, (map[0][place] + map[1][place]) / 2);
      }
    }
  }
}

TEST(KeptAttention, ShowsDroppedPatchesGrayAndSaysSo) {
  const auto session = keptSession("softmax");
  const Reconstruction result = reconstructedAt(*session, 1);
  const DrawnKeptMap drawn = valueOrThrow(drawKeptMap(*result.attention, {0, 1}, result.masked));
  EXPECT_EQ(drawn.caption,
            "layer 1, head 1, class token: attention among the 10 kept tokens; the 15 dropped "
            "patches are gray, no token attends to them");
  int colored = 0;
  for (int patch = 0; patch < 24; ++patch) {
    const std::uint8_t* pixel = drawn.image.row(patch / 6 * 4 + 1) + 3 * (patch % 6 * 4 + 1);
    const bool gray = pixel[0] == pixel[1] && pixel[1] == pixel[2];
    if (std::isnan(drawn.values[static_cast<std::size_t>(patch)]))
      EXPECT_TRUE(gray) << patch;
    else
      colored += !gray;
  }
  EXPECT_GT(colored, 5);
}

TEST(KeptAttention, ComesOnlyWhereALayerIsAskedFor) {
  const auto session = keptSession("softmax");
  const Reconstruction without = reconstructedAt(*session, std::nullopt),
                       with = reconstructedAt(*session, 0);
  EXPECT_FALSE(without.attention);
  EXPECT_EQ(without.loss, with.loss);
  EXPECT_EQ(*without.rebuilt.pixels, *with.rebuilt.pixels);
  EXPECT_EQ(besideEachOther(with, with.masked).width, 4 * 24 + 12);
  for (const int layer : {-1, 2}) {
    const auto refused = reconstruct(*session, coloredImage(), {0.6, 4, layer});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "layer");
  }
}

TEST(KeptAttention, RefusesATokenThatIsDroppedOrDoesNotExist) {
  const auto session = keptSession("softmax");
  const Reconstruction result = reconstructedAt(*session, 0);
  const KeptAttention& attention = *result.attention;
  const auto refusedAt = [&](const KeptQuery& query) {
    const auto drawn = drawKeptMap(attention, query, result.masked);
    return drawn ? std::string() : drawn.error().where;
  };
  int dropped = 1;
  while (attention.places[static_cast<std::size_t>(dropped)] >= 0)
    ++dropped;
  EXPECT_EQ(refusedAt({dropped, 0}), "query");
  EXPECT_EQ(refusedAt({25, 0}), "query");
  EXPECT_EQ(refusedAt({-1, 0}), "query");
  EXPECT_EQ(refusedAt({0, 2}), "head");
  EXPECT_EQ(refusedAt({0, -2}), "head");
  EXPECT_EQ(refusedAt({0, 1}), "");
}

}  // namespace
}  // namespace headlight
