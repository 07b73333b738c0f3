// SPDX-License-Identifier: GPL-3.0-or-later

// Regions of masks in a hierarchical model: windows in pixels shrink with the stride, and a mask
// that does not fit a later stage changes nothing.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/models/Backbones.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Model.h"

namespace headlight {
namespace {

/// H-MaiT's kind: attention over grids of 16, 8 and 4 patches a side, a block each.
std::shared_ptr<Model> stagedModel() {
  ModelConfig config;
  config.backbone = "swin";
  config.mechanism = "softmax";
  config.imageSize = 64;
  config.patchSize = 4;
  config.classToken = false;
  config.classes = 3;
  config.width = 8;
  config.heads = 1;
  config.depths = {1, 1, 1};
  return makeModel(config, 4);
}

MaskScheme everywhere(const Model& model, const std::string& text) {
  MaskScheme scheme(model.masks().shape());
  for (int l = 0; l < scheme.layers(); ++l)
    for (int h = 0; h < scheme.heads(l); ++h)
      scheme.set(l, h, valueOrThrow(headMaskFromText(text)));
  return scheme;
}

TEST(MaskRegionsInModels, AWindowInPixelsIsNarrowerInPatchesStageByStage) {
  const auto model = stagedModel();
  model->setMasks(everywhere(*model, "strict:20px"));
  EXPECT_EQ(toText(model->masks().at(2, 0)), "strict:20px");
  CollectingHook tap;
  const at::NoGradGuard noGrad;
  model->forward(at::rand({1, 3, 64, 64}), &tap);
  const int sides[] = {16, 8, 4}, windows[] = {5, 3, 1};
  for (int layer = 0; layer < 3; ++layer) {
    const int middle = sides[layer] / 2 * sides[layer] + sides[layer] / 2;
    const at::Tensor row = tap.maps.at(layer)[0][0][middle];
    EXPECT_EQ((row > 0).sum().item<int>(), windows[layer] * windows[layer]) << layer;
  }
  EXPECT_LT(modelCost(model->config(), everywhere(*model, "strict:20px")).macs,
            modelCost(model->config(), everywhere(*model, "strict:5")).macs);
}

TEST(MaskRegionsInModels, AMaskThatDoesNotFitAStageChangesNone) {
  const auto model = stagedModel();
  const at::Tensor image = at::rand({1, 3, 64, 64});
  const at::NoGradGuard noGrad;
  const at::Tensor before = model->forward(image);
  try {
    model->setMasks(everywhere(*model, "strict:natten9"));
    FAIL() << "was accepted";
  } catch (const Failure& failure) {
    EXPECT_NE(failure.error().text().find("layer 1"), std::string::npos) << failure.error().text();
    EXPECT_NE(failure.error().message.find("8 × 8"), std::string::npos);
  }
  EXPECT_EQ(model->masks().maskedHeads(), 0);
  EXPECT_TRUE(at::equal(model->forward(image), before));
  EXPECT_THROW(modelCost(model->config(), everywhere(*model, "strict:natten9")), Failure);
}

}  // namespace
}  // namespace headlight
