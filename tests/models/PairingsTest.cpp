// SPDX-License-Identifier: GPL-3.0-or-later

// What every mechanism owes, on every backbone that takes it: nobody has to add it to a list here.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <algorithm>
#include <set>

#include "core/attention/base/AttentionHook.h"
#include "core/base/files/Files.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Pairings.h"

namespace headlight {
namespace {

class Pairings : public ::testing::TestWithParam<std::pair<std::string, ModelConfig>> {
 protected:
  at::Tensor noise() const {
    const ModelConfig& config = GetParam().second;
    return at::randn({2, 3, config.imageHeightPixels(), config.imageWidthPixels()});
  }
  std::shared_ptr<Model> model() const { return makeModel(GetParam().second, 1); }
};

TEST_P(Pairings, CostCountsWhatIsBuilt) {
  std::int64_t parameters = 0;
  for (const auto& [name, tensor] : model()->trainable())
    parameters += tensor.numel();
  const ModelCost cost = modelCost(GetParam().second);
  EXPECT_EQ(cost.parameters, parameters);
  // AFT-simple has none: it weighs feature by feature.
  if (GetParam().second.mechanism == "aft_simple") return;
  const bool products = std::any_of(cost.layers.begin(), cost.layers.end(), [](const auto& layer) {
    return layer.parameters == 0 && layer.macs > 0;
  });
  EXPECT_TRUE(products) << "count() tells of no products but those with weights";
}

TEST_P(Pairings, EveryParameterHasAFiniteGradient) {
  const auto whole = model();
  const at::Tensor logits = whole->forward(noise());
  ASSERT_TRUE(logits.isfinite().all().item<bool>());
  logits.pow(2).sum().backward();
  for (const auto& [name, tensor] : whole->trainable()) {
    ASSERT_TRUE(tensor.grad().defined()) << name;
    EXPECT_TRUE(tensor.grad().isfinite().all().item<bool>()) << name;
  }
}

TEST_P(Pairings, MapsAreWhatTheMechanismSaysOfThem) {
  const auto whole = model();
  whole->eval();
  const at::NoGradGuard noGrad;
  const at::Tensor images = noise();
  CollectingHook tap;
  const at::Tensor tapped = whole->forward(images, &tap), plain = whole->forward(images);
  EXPECT_LT((tapped - plain).abs().max().item<float>(), 1e-5);
  EXPECT_FALSE(whole->mapMeaning().empty());
  EXPECT_EQ(static_cast<int>(tap.maps.size()), whole->layers());
  for (const auto& [layer, map] : tap.maps) {
    EXPECT_EQ(map.size(0), 2);
    EXPECT_EQ(map.size(2), map.size(3));
    EXPECT_TRUE(whole->mapIsSigned() || map.min().item<float>() >= 0) << "layer " << layer;
    if (whole->mapIsSigned()) continue;
    const at::Tensor sums = map.sum(-1);
    EXPECT_EQ(whole->attention(layer).mapRowsSumToOne(),
              ((sums - 1).abs() < 1e-4).logical_or(sums.abs() < 1e-6).all().item<bool>())
        << "layer " << layer;
  }
}

TEST_P(Pairings, MapsKeepNoGraph) {
  CollectingHook tap;
  model()->forward(noise(), &tap);
  for (const auto& [layer, map] : tap.maps)
    EXPECT_FALSE(map.requires_grad()) << "layer " << layer << ": take(map.detach())";
}

TEST_P(Pairings, SaysByWhatItIsComputed) {
  for (const std::string& kernel : model()->kernels())
    EXPECT_FALSE(kernel.empty());
}

TEST_P(Pairings, StateMakesAnEqualModel) {
  const auto first = model(), second = makeModel(GetParam().second, 2);
  first->eval();
  second->eval();
  const at::NoGradGuard noGrad;
  const auto from = first->state(), to = second->state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(from[i].first, to[i].first);
    to[i].second.copy_(from[i].second);
  }
  const at::Tensor images = noise();
  EXPECT_TRUE(at::equal(first->forward(images), second->forward(images)));
}

TEST_P(Pairings, MasksAreTakenOrRefusedAsTheMechanismSays) {
  const auto whole = model();
  const Variant* mechanism = modelCatalog().mechanism(GetParam().second.mechanism);
  EXPECT_EQ(whole->masks().maskableLayers() > 0, mechanism->maskable);
  const std::vector<HeadMask> hard(whole->masks().shape().heads.front(),
                                   *headMaskFromText("hard:3"));
  const bool taken = guarded("mask", [&] { whole->attention(0).setMasks(hard); }).ok();
  EXPECT_EQ(taken, mechanism->maskable);
}

INSTANTIATE_TEST_SUITE_P(All, Pairings, ::testing::ValuesIn(pairings()), [](const auto& info) {
  std::string name = info.param.first;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST(RegistryOfModels, EveryBackboneAndMechanismIsInAPairing) {
  std::set<std::string> backbones, mechanisms;
  for (const NamedConfigs* list : {&pairings(), &rebuildingPairings()})
    for (const auto& [name, config] : *list) {
      backbones.insert(config.backbone);
      mechanisms.insert(config.mechanism);
    }
  const auto& all = modelCatalog().backbones;
  EXPECT_EQ(std::int64_t(backbones.size()),
            std::count_if(all.begin(), all.end(),
                          [](const Variant& backbone) { return !backbone.rules.withoutBlocks; }));
  EXPECT_EQ(mechanisms.size(), modelCatalog().mechanisms.size());
}

TEST(RegistryOfModels, HelpTellsOfEveryMechanism) {
  const std::string page = HEADLIGHT_SOURCE_DIR "/resources/help/mechanisms.md";
  const std::string text = valueOrThrow(readFile(page, 1 << 20));
  for (const Variant& mechanism : modelCatalog().mechanisms)
    EXPECT_NE(text.find("`" + mechanism.name + "`"), std::string::npos)
        << mechanism.name << " is not in " << page;
}

}  // namespace
}  // namespace headlight
