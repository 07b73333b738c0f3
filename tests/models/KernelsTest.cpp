// SPDX-License-Identifier: GPL-3.0-or-later

// What models say of the kernels that their attention runs by.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/attention/kernels/KernelChoice.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"
#include "tests/models/Shrunk.h"
#include "tests/models/StirNorms.h"

namespace headlight {
namespace {

void showNoise(Model& model) {
  const at::NoGradGuard noGrad;
  model.forward(
      at::randn({1, 3, model.config().imageHeightPixels(), model.config().imageWidthPixels()}));
}

ModelConfig smallVit(const std::string& kernel) {
  ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
  config.attention["kernel"] = kernel;
  return config;
}

TEST(KernelTexts, EveryModelHasOneForEveryLayer) {
  for (const auto& published : publishedModels()) {
    const auto model = makeModel(shrunk(published.config), 1);
    model->eval();
    showNoise(*model);
    const auto texts = model->kernels();
    ASSERT_EQ(static_cast<int>(texts.size()), model->layers());
    for (const auto& text : texts)
      EXPECT_FALSE(text.empty()) << published.name;
  }
}

TEST(KernelTexts, SayBeforeAForwardPassWhatRunsInIt) {
  for (const std::string kernel : {"auto", "dense", "linear"}) {
    const auto model = makeModel(smallVit(kernel), 1);
    model->setMasks(*makeMaskPreset("sch1", model->masks().shape()));
    const auto before = model->kernels();
    showNoise(*model);
    EXPECT_EQ(model->kernels(), before) << kernel;
    EXPECT_EQ(before[0].find("linear-time") != std::string::npos, kernel == "linear") << before[0];
  }
}

TEST(KernelTexts, AreOfTheLastForwardPass) {
  const auto model = makeModel(smallVit("linear"), 1);
  model->setMasks(*makeMaskPreset("sch1", model->masks().shape()));
  {
    const PlainKernels plain;
    showNoise(*model);
  }
  EXPECT_EQ(model->kernels()[0], "matrix products");
  showNoise(*model);
  EXPECT_TRUE(model->kernels()[0].starts_with("head 0 ")) << model->kernels()[0];
}

TEST(KernelTexts, TellMechanismsApart) {
  const auto textOf = [](const std::string& mechanism) {
    ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
    config.mechanism = mechanism;
    config.attention = Json::object();
    const auto model = makeModel(config, 1);
    return model->kernels()[0];
  };
  EXPECT_NE(textOf("linear_angular").find("keys times values first"), std::string::npos);
  EXPECT_NE(textOf("linear_angular").find("auxiliary"), std::string::npos);
  EXPECT_NE(textOf("aft_full").find("e^w"), std::string::npos);
  EXPECT_NE(textOf("aft_simple").find("sums"), std::string::npos);
}

TEST(MapRows, SumToOneWhereAModelSaysSo) {
  constexpr float kTolerance = 1e-4f;
  for (const auto& published : publishedModels()) {
    const auto model = makeModel(shrunk(published.config), 1);
    model->eval();
    stirNorms(*model);
    const at::NoGradGuard noGrad;
    for (auto& [name, parameter] : model->trainable())
      if (parameter.dim() > 1) at::Tensor(parameter).normal_(0, 0.2);
    CollectingHook tap;
    model->forward(
        at::randn({1, 3, model->config().imageHeightPixels(), model->config().imageWidthPixels()}),
        &tap);
    float off = 0;
    for (const auto& [layer, map] : tap.maps)
      off = std::max(off, (map.sum(-1) - 1).abs().max().item<float>());
    EXPECT_EQ(model->mapRowsSumToOne(), off < kTolerance) << published.name << ": " << off;
  }
}

}  // namespace
}  // namespace headlight
