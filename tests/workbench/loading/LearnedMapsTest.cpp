// SPDX-License-Identifier: GPL-3.0-or-later

// What a mechanism has learned for every image alike, through a session: LSLA's scale and biases
// by a plain look-up in the saved parameters, IBiT's mask, and that new weights show.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

std::unique_ptr<InferenceSession> openSmall(const std::string& name, std::int64_t seed = 1) {
  Experiment experiment;
  experiment.seed = seed;
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.model = shrunk(findPublishedModel(name)->config);
  return valueOrThrow(InferenceSession::create(experiment));
}

const LearnedMap& mapNamed(const std::vector<LearnedMap>& maps, const std::string& name) {
  for (const LearnedMap& map : maps)
    if (map.name == name) return map;
  throw std::runtime_error("there is no " + name);
}

Image grayImage() {
  return {40, 40, std::make_shared<const std::vector<std::uint8_t>>(40 * 40 * 3, 90)};
}

/// Of a first layer on 8 × 8 patches in windows of 4 × 4, which are not shifted: what `query` has
/// for `key`, straight from the table; NaN across windows.
double naiveBias(const at::Tensor& table, int head, int query, int key) {
  const int rows[] = {query / 8, key / 8}, cols[] = {query % 8, key % 8};
  if (rows[0] / 4 != rows[1] / 4 || cols[0] / 4 != cols[1] / 4) return NAN;
  return table[(rows[0] - rows[1] + 3) * 7 + cols[0] - cols[1] + 3][head].item<double>();
}

TEST(LearnedMaps, AreALookUpInTheParameters) {
  const TemporaryFolder folder;
  const auto session = openSmall("vit_lsla");
  const auto file = folder.path() / "model.safetensors";
  valueOrThrow(session->save(file, MaskScheme(makeMaskShape(session->info().experiment.model))));
  const auto checkpoint = valueOrThrow(readSafetensors(file));
  at::Tensor table;
  for (const auto& [name, tensor] : checkpoint.tensors)
    if (name == "layers.0.blocks.0.attn.outer_bias_table") table = tensor;
  ASSERT_TRUE(table.defined());
  const auto maps = valueOrThrow(session->learnedMaps());
  ASSERT_EQ(maps.size(), 3u);
  const LearnedMap& map = mapNamed(maps, "outer_bias");
  ASSERT_EQ(map.maps.layers.size(), session->info().heads.size());
  const LayerMaps& layer = map.maps.layers[0];
  for (int head = 0; head < layer.heads; ++head)
    for (int query = 0; query < 64; ++query) {
      const auto row = patchesSeenBy(layer, head, query);
      for (int key = 0; key < 64; ++key) {
        const double expected = naiveBias(table, head, query, key);
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(row[key]));
        else
          EXPECT_FLOAT_EQ(row[key], expected);
      }
    }
  const PatchArea area = areaInSight(layer, 8 * 5 + 3);  // windows of 4 × 4, not shifted
  EXPECT_EQ(std::vector({area.row, area.col, area.rows, area.cols}), std::vector({4, 0, 4, 4}));
  const auto part = valuesIn(area, patchesSeenBy(layer, 0, 8 * 5 + 3), layer.grid);
  ASSERT_EQ(part.size(), 16u);
  EXPECT_FLOAT_EQ(part[4 * 1 + 2], naiveBias(table, 0, 8 * 5 + 3, 8 * 5 + 2));
  EXPECT_EQ(describeWindowPlace(layer, 8 * 5 + 3), "place (1, 3) of its 4 by 4 window");
  // One scale for all heads, as it starts: 1/√8.
  const LayerMaps& scale = mapNamed(maps, "dynamic_scale").maps.layers[0];
  EXPECT_EQ(scale.heads, layer.heads);
  EXPECT_NEAR(patchesSeenBy(scale, scale.heads - 1, 0)[0], 1 / std::sqrt(8.0), 1e-6);
}

/// It stands in every window and has a place in none.
TEST(LearnedMaps, OfAClassTokenThereIsNothing) {
  Experiment experiment;
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.model = shrunk(findPublishedModel("deit_tiny")->config);
  experiment.model.mechanism = "lsla";
  experiment.model.attention = {{"window", 2}};
  const auto maps = valueOrThrow(valueOrThrow(InferenceSession::create(experiment))->learnedMaps());
  const LayerMaps& layer = mapNamed(maps, "outer_bias").maps.layers[0];
  ASSERT_EQ(layer.grid.prefix, 1);
  EXPECT_EQ(describeWindowPlace(layer, 0), "no position in a window");
  for (const float seen : patchesSeenBy(layer, 0, 0))
    EXPECT_TRUE(std::isnan(seen));
  EXPECT_EQ(describeWindowPlace(layer, 1 + 4 * 1 + 2), "place (1, 0) of its 2 by 2 window");
  const auto row = patchesSeenBy(layer, 0, 1 + 4 * 1 + 2);
  for (const int patch : {2, 3, 6, 7})
    EXPECT_FALSE(std::isnan(row[patch])) << patch;
  EXPECT_TRUE(std::isnan(row[1]));
}

TEST(LearnedMaps, ComeWithALookAndFollowNewWeights) {
  const TemporaryFolder folder;
  const auto session = openSmall("vit_lsla"), other = openSmall("vit_lsla", 2);
  const MaskScheme masks(makeMaskShape(session->info().experiment.model));
  const auto inference = valueOrThrow(session->infer(grayImage(), masks));
  ASSERT_EQ(inference.learned.size(), 3u);
  EXPECT_TRUE(valueOrThrow(session->infer(grayImage(), masks, {.maps = false})).learned.empty());
  const auto file = folder.path() / "other.safetensors";
  valueOrThrow(other->save(file, masks));
  valueOrThrow(session->loadWeights(file));
  const auto valuesOf = [](const std::vector<LearnedMap>& maps) {
    return *mapNamed(maps, "inner_bias").maps.layers.back().values;
  };
  const auto after = valueOrThrow(session->infer(grayImage(), masks)).learned;
  EXPECT_NE(valuesOf(after), valuesOf(inference.learned));
  EXPECT_EQ(valuesOf(after), valuesOf(valueOrThrow(other->learnedMaps())));
}

TEST(LearnedMaps, AreThereOnlyWhereAMechanismHasThem) {
  EXPECT_TRUE(valueOrThrow(openSmall("deit_tiny")->learnedMaps()).empty());
  const auto maps = valueOrThrow(openSmall("ibit_tiny")->learnedMaps());
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps[0].name, "learned_mask");
  EXPECT_TRUE(maps[0].maps.isSigned);
  const LayerMaps& layer = maps[0].maps.layers[0];
  EXPECT_FALSE(layer.windows);
  EXPECT_EQ(layer.values->size(),
            static_cast<std::size_t>(layer.heads) * layer.tokens() * layer.tokens());
}

}  // namespace
}  // namespace headlight
