// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/attribution/LogitSlopes.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <map>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/softmax/LearnedMaskAttention.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

LearnedMaskAttention* learnedMaskOf(Model& model, int layer) {
  return dynamic_cast<LearnedMaskAttention*>(&model.attention(layer));
}

/// Keeps what enters the attention of a layer, and what its weights make of the values.
class SlopeHook : public AttentionHook {
 public:
  struct Kept {
    at::Tensor entering, mixed;
  };
  bool wants(int) const override { return true; }
  void take(int, const at::Tensor&) override {}
  void enter(const at::Tensor& tokens) override { m_entering = tokens; }
  void follow(int layer, FollowedMap map) override {
    layers[layer] = {m_entering, map.products.front().mixed};
  }

  std::map<int, Kept> layers;

 private:
  at::Tensor m_entering;
};

at::Tensor slopesOfLayer(LearnedMaskAttention& attention, const SlopeHook::Kept& kept,
                         const at::Tensor& ofMixed) {
  if (ofMixed.defined()) return attention.logitGradient(kept.entering, ofMixed)[0];
  const std::int64_t tokens = kept.entering.size(1);
  return at::zeros({attention.mask().size(0), tokens, tokens});
}

}  // namespace

LogitSlopes logitSlopes(Model& model, const at::Tensor& image, int classIndex,
                        const std::function<void()>& step) {
  const at::AutoGradMode withGradients(true);
  SlopeHook tap;
  const at::Tensor leaf = image.detach().requires_grad_(true);  // so that there is a graph
  const at::Tensor chances = inFloat32(model.forward(leaf, &tap)).log_softmax(1);
  LogitSlopes result;
  result.classIndex =
      classIndex < 0 ? static_cast<int>(chances.argmax(1).item<std::int64_t>()) : classIndex;
  const at::Tensor loss = -chances[0][result.classIndex];
  result.loss = loss.item<double>();
  std::vector<at::Tensor> mixed;
  for (const auto& [layer, kept] : tap.layers)
    mixed.push_back(kept.mixed);
  const auto slopes = torch::autograd::grad({loss}, mixed, {}, /*retain_graph=*/false,
                                            /*create_graph=*/false, /*allow_unused=*/true);
  result.layers.resize(static_cast<std::size_t>(model.layers()));
  auto next = slopes.begin();
  for (const auto& [layer, kept] : tap.layers) {
    const at::Tensor& ofMixed = *next++;
    step();
    if (auto* attention = learnedMaskOf(model, layer))
      result.layers[static_cast<std::size_t>(layer)] = slopesOfLayer(*attention, kept, ofMixed);
  }
  return result;
}

void setUnitMasks(Model& model) {
  const at::NoGradGuard noGrad;
  for (const auto& [name, tensor] : model.state()) {
    if (name.find("learned_mask_") == std::string::npos) continue;
    // 𝒜ℬᵀ of two sub-masks whose first columns are 1 and whose others are 0.
    at::Tensor(tensor).zero_();
    at::Tensor(tensor).select(-1, 0).fill_(1);
  }
}

void requireLearnedMasks(const Model& model) {
  bool any = false;
  for (int l = 0; l < model.layers(); ++l) {
    auto* attention = learnedMaskOf(const_cast<Model&>(model), l);
    if (!attention) continue;
    any = true;
    if (attention->mask().size(-1) != model.grid(l).tokens())
      throw Failure({ErrorCode::InvalidArgument,
                     tr("needs masks over a layer's whole grid, but this model's cover windows"),
                     tr("gradient biasing")});
  }
  if (!any)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("needs IBiT's learned masks, which this model lacks; choose a model with the "
                      "mechanism learned_mask"),
                   tr("gradient biasing")});
}

}  // namespace headlight
