// SPDX-License-Identifier: GPL-3.0-or-later

// What heads are worth, against a ViT written out in double precision whose heads are really
// silenced and really turned up and down; and that nothing of the model is left changed.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/masks/Neighborhood.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/HeadImportance.h"
#include "tests/models/Pairings.h"
#include "tests/models/StirNorms.h"
#include "tests/models/detection/DetectorSupport.h"

namespace headlight {
namespace {

using Weights = std::map<std::string, at::Tensor>;

Weights doubleWeights(const Model& model) {
  Weights weights;
  for (const auto& [name, tensor] : model.state())
    weights[name] = tensor.detach().to(at::kDouble);
  return weights;
}

/// Probabilities [B, C] of a plain ViT by the book, each head's output times its gate.
class NaiveImportanceVit {
 public:
  explicit NaiveImportanceVit(const Model& model)
      : m_config(model.config()), m_masks(model.masks()), m_weights(doubleWeights(model)) {}

  at::Tensor probabilities(const at::Tensor& images, const HeadTable& gates) const {
    const std::int64_t batch = images.size(0), width = m_config.width;
    const at::Tensor patches =
        at::conv2d(images.to(at::kDouble), at("patch_embed.proj.weight"),
                   at("patch_embed.proj.bias"), {m_config.patchSize, m_config.patchSize})
            .flatten(2)
            .transpose(1, 2);
    at::Tensor x =
        at::cat({at("cls_token").expand({batch, 1, width}), patches}, 1) + at("pos_embed");
    for (int l = 0; l < m_config.depth; ++l)
      x = block(l, x, gates[l]);
    return linear(norm(x, "norm").select(1, 0), "head").softmax(1);
  }

 private:
  const at::Tensor& at(const std::string& name) const { return m_weights.at(name); }
  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return at::linear(x, at(name + ".weight"), at(name + ".bias"));
  }
  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    return at::layer_norm(x, {m_config.width}, at(name + ".weight"), at(name + ".bias"),
                          m_config.normEpsilon);
  }
  at::Tensor block(int layer, const at::Tensor& x, const std::vector<double>& gates) const {
    const std::string name = "blocks." + std::to_string(layer) + ".";
    const int heads = m_config.heads, each = m_config.width / heads;
    const at::Tensor qkv = linear(norm(x, name + "norm1"), name + "attn.qkv");
    std::vector<at::Tensor> outputs;
    for (int h = 0; h < heads; ++h) {
      const auto part = [&](int which) {
        return qkv.narrow(2, which * m_config.width + h * each, each);
      };
      at::Tensor logits = at::matmul(part(0), part(1).transpose(1, 2)) / std::sqrt(double(each));
      if (m_masks.at(layer, h).kind == MaskKind::Hard) logits = logits * mask(layer, h);
      outputs.push_back(at::matmul(logits.softmax(-1), part(2)) * gates[h]);
    }
    const at::Tensor y = x + linear(at::cat(outputs, 2), name + "attn.proj");
    const at::Tensor hidden = at::gelu(linear(norm(y, name + "norm2"), name + "mlp.fc1"));
    return y + linear(hidden, name + "mlp.fc2");
  }
  at::Tensor mask(int layer, int head) const {
    const auto cells = neighborhoodMask(m_config.grid(), m_masks.at(layer, head).window);
    const std::int64_t tokens = m_config.grid().tokens();
    at::Tensor matrix = at::empty({tokens, tokens}, at::kDouble);
    std::copy(cells.begin(), cells.end(), matrix.data_ptr<double>());
    return matrix;
  }

  ModelConfig m_config;
  MaskScheme m_masks;
  Weights m_weights;
};

/// A small ViT whose weights are large enough for heads to matter, and one head masked.
std::shared_ptr<Model> smallVit() {
  ModelConfig config = shrunk(findPublishedModel("deit_tiny")->config);
  auto model = makeModel(config, 3);
  const at::NoGradGuard noGrad;
  at::manual_seed(11);
  for (const auto& [name, tensor] : model->trainable())
    if (tensor.dim() > 1) at::Tensor(tensor).normal_(0, 0.3);
  MaskScheme masks = model->masks();
  masks.set(1, 0, {MaskKind::Hard, 3});
  model->setMasks(masks);
  model->eval();
  return model;
}

at::Tensor someImages(const ModelConfig& config, std::int64_t count) {
  at::manual_seed(5);
  return at::randn({count, 3, config.imageHeightPixels(), config.imageWidthPixels()});
}

HeadTable onesFor(const Model& model) {
  HeadTable gates;
  for (int l = 0; l < model.layers(); ++l)
    gates.emplace_back(model.heads(l), 1.0);
  return gates;
}

/// [B]: the probability of what the whole model predicts, or minus the loss of `labels`.
at::Tensor naiveWorth(const NaiveImportanceVit& vit, const at::Tensor& images,
                      const at::Tensor& labels, const HeadTable& gates) {
  HeadTable ones = gates;
  for (auto& row : ones)
    row.assign(row.size(), 1.0);
  const at::Tensor classes = labels.defined() ? labels : vit.probabilities(images, ones).argmax(1);
  const at::Tensor chosen =
      vit.probabilities(images, gates).gather(1, classes.unsqueeze(1)).squeeze(1);
  return labels.defined() ? chosen.log() : chosen;
}

TEST(HeadImportance, ExactIsWhatAModelLosesWithAHeadsOutputAtZero) {
  const auto model = smallVit();
  const at::NoGradGuard noGrad;
  const at::Tensor images = someImages(model->config(), 3);
  const NaiveImportanceVit vit(*model);
  for (const at::Tensor& labels : {at::Tensor(), at::tensor({2, 0, 5}, at::kLong)}) {
    const HeadTable exact = exactImportance(*model, {images, labels}, {});
    const at::Tensor whole = naiveWorth(vit, images, labels, onesFor(*model));
    double largest = 0;
    for (int l = 0; l < model->layers(); ++l)
      for (int h = 0; h < model->heads(l); ++h) {
        HeadTable gates = onesFor(*model);
        gates[l][h] = 0;
        const double lost = (whole - naiveWorth(vit, images, labels, gates)).mean().item<double>();
        EXPECT_NEAR(exact[l][h], lost, 1e-4) << l << ":" << h;
        largest = std::max(largest, std::abs(lost));
      }
    EXPECT_GT(largest, 0.01);  // heads matter here
  }
}

TEST(HeadImportance, FirstOrderIsTheSlopeOfAGateOnTheHead) {
  const auto model = smallVit();
  const at::NoGradGuard noGrad;
  const at::Tensor images = someImages(model->config(), 2);
  const NaiveImportanceVit vit(*model);
  constexpr double kStep = 1e-5;
  for (const at::Tensor& labels : {at::Tensor(), at::tensor({2, 6}, at::kLong)}) {
    const HeadTable found = firstOrderImportance(*model, {images, labels}, {});
    for (int l = 0; l < model->layers(); ++l)
      for (int h = 0; h < model->heads(l); ++h) {
        HeadTable more = onesFor(*model), less = more;
        more[l][h] += kStep;
        less[l][h] -= kStep;
        const at::Tensor slopes =
            (naiveWorth(vit, images, labels, more) - naiveWorth(vit, images, labels, less)) /
            (2 * kStep);
        EXPECT_NEAR(found[l][h], slopes.abs().mean().item<double>(), 2e-4) << l << ":" << h;
      }
  }
}

/// Bits, versions aside, of everything a model keeps, and whether gradients reach it.
struct Kept {
  std::string name;
  at::Tensor tensor, values;
  bool grad;
};
std::vector<Kept> everythingOf(const Model& model) {
  std::vector<Kept> kept;
  for (const auto& [name, tensor] : model.state())
    kept.push_back({name, tensor, tensor.detach().clone(), tensor.requires_grad()});
  return kept;
}
void expectUntouched(const std::vector<Kept>& kept) {
  for (const Kept& item : kept) {
    EXPECT_TRUE(at::equal(item.tensor.detach(), item.values)) << item.name;
    EXPECT_EQ(item.tensor.requires_grad(), item.grad) << item.name;
    EXPECT_FALSE(item.tensor.grad().defined()) << item.name;
  }
}

TEST(HeadImportance, EveryMechanismOnEveryBackboneTellsAndStaysAsItWas) {
  for (const auto& [name, config] : costlyPairings()) {
    SCOPED_TRACE(name);
    const auto model = makeModel(config, 1);
    stirNorms(*model);
    if (isDetectorsNetwork(config)) settleNorms(*model, someImages(config, 4));
    model->eval();
    for (auto& [parameter, tensor] : model->trainable())
      if (parameter.find("blocks.1") != std::string::npos)
        at::Tensor(tensor).set_requires_grad(false);  // as a frozen block
    const auto kept = everythingOf(*model);
    const at::Tensor images = someImages(config, 2), labels = at::tensor({1, 4}, at::kLong);
    const at::Tensor before = model->forward(images).detach();
    const at::Tensor generator = at::globalContext().defaultGenerator(at::kCPU).get_state();
    for (const HeadTable& table :
         {exactImportance(*model, {images}, {}), exactImportance(*model, {images, labels}, {}),
          firstOrderImportance(*model, {images}, {}),
          firstOrderImportance(*model, {images, labels}, {})}) {
      ASSERT_EQ(static_cast<int>(table.size()), model->layers());
      double sum = 0;
      for (int l = 0; l < model->layers(); ++l) {
        ASSERT_EQ(static_cast<int>(table[l].size()), model->heads(l));
        for (const double value : table[l]) {
          EXPECT_TRUE(std::isfinite(value)) << l;
          sum += std::abs(value);
        }
      }
      EXPECT_GT(sum, 0);
    }
    expectUntouched(kept);
    EXPECT_TRUE(at::equal(model->forward(images).detach(), before));
    EXPECT_TRUE(at::equal(at::globalContext().defaultGenerator(at::kCPU).get_state(), generator));
  }
}

TEST(HeadImportance, ALayerWithoutAProjectionHasNone) {
  ModelConfig config = shrunk(findPublishedModel("vit_lsla")->config);
  config.attention["projection"] = false;
  const auto model = makeModel(config, 0);
  model->eval();
  const at::Tensor images = someImages(config, 1);
  for (const HeadTable& table :
       {exactImportance(*model, {images}, {}), firstOrderImportance(*model, {images}, {})})
    for (const auto& row : table)
      for (const double value : row)
        EXPECT_TRUE(std::isnan(value));
}

TEST(HeadImportance, StoppingLeavesTheWeightsAsTheyWere) {
  const auto model = smallVit();
  const auto kept = everythingOf(*model);
  const at::Tensor images = someImages(model->config(), 2);
  for (const bool exact : {true, false}) {
    std::stop_source source;
    const ImportanceTask task{images, {}, [&] { source.request_stop(); }};
    const auto outcome = guarded("", [&] {
      return exact ? exactImportance(*model, task, source.get_token())
                   : firstOrderImportance(*model, task, source.get_token());
    });
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::Canceled);
    expectUntouched(kept);
  }
}

}  // namespace
}  // namespace headlight
