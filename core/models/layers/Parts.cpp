// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/Parts.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MicroBatch.h"
#include "core/attention/base/MixedPrecision.h"
#include "core/base/ModelPart.h"
#include "core/models/layers/BiasGelu.h"
#include "core/models/layers/Bottleneck.h"
#include "core/models/layers/BranchNorm.h"

namespace headlight {

at::Tensor activated(const at::Tensor& hidden, const std::string& activation) {
  if (activation == "gelu") return at::gelu(hidden);
  if (activation == "gelu_tanh") return at::gelu(hidden, "tanh");
  if (activation == "relu") return at::relu(hidden);
  if (activation == "silu") return at::silu(hidden);
  if (activation == "hard_swish") return at::hardswish(hidden);
  return hidden * at::sigmoid(1.702 * hidden);  // quick_gelu (OpenAI's CLIP)
}

void BlockMlp::setBottleneck(std::shared_ptr<Bottleneck> bottleneck) {
  m_bottleneck = register_module("bottleneck", std::move(bottleneck));
}

at::Tensor BlockMlp::branch(const at::Tensor& tokens) {
  const at::Tensor own = forward(tokens);
  return m_bottleneck ? own + m_bottleneck->forward(tokens) : own;
}

Mlp::Mlp(int width, int hidden, const std::string& activation)
    : m_first(register_module("fc1", AdaptableLinear(width, hidden))),
      m_second(register_module("fc2", AdaptableLinear(hidden, width))),
      m_activation(activation) {}

at::Tensor Mlp::activated(const at::Tensor& tokens) {
  if (m_activation == "gelu")
    return biasGelu(m_first->adapted(at::matmul(tokens, m_first->weight.t()), tokens),
                    m_first->bias);
  return headlight::activated(inFloat32(m_first(tokens)), m_activation);
}

at::Tensor Mlp::forward(const at::Tensor& tokens) {
  return m_second(editedHidden(activated(tokens)));
}

NormedMlp::NormedMlp(int width, int hidden, const std::string& activation, double normEpsilon)
    : Mlp(width, hidden, activation),
      m_norm(register_module("norm", makeNorm(hidden, normEpsilon))) {}

at::Tensor NormedMlp::forward(const at::Tensor& tokens) {
  return m_second(editedHidden(m_norm(activated(tokens))));
}

TokenNorm::TokenNorm(int width, double epsilon, bool rms)
    : m_epsilon(epsilon), m_weight(register_parameter("weight", at::ones({width}))) {
  if (!rms) m_bias = register_parameter("bias", at::zeros({width}));
}

at::Tensor TokenNorm::forward(const at::Tensor& tokens) const {
  if (m_bias.defined()) return at::layer_norm(tokens, {width()}, m_weight, m_bias, m_epsilon);
  const PartScope scope(ModelPart::Norms);
  const at::Tensor x = inFloat32(tokens);
  return x * at::rsqrt(x.square().mean({-1}, /*keepdim=*/true) + m_epsilon) * m_weight;
}

at::Tensor TokenNorm::forBranch(const at::Tensor& tokens) const {
  return m_bias.defined() ? branchNorm(tokens, m_weight, m_bias, m_epsilon) : forward(tokens);
}

PatchEmbedding::PatchEmbedding(int patch, int width, bool bias) : m_patch(patch) {
  auto projection = register_module("proj", std::make_shared<Holder>());
  m_weight = projection->register_parameter("weight", at::zeros({width, 3, patch, patch}));
  if (bias) m_bias = projection->register_parameter("bias", at::zeros({width}));
}

void PatchEmbedding::initialize() {
  const at::NoGradGuard noGrad;
  const double bound = 1.0 / std::sqrt(3.0 * m_patch * m_patch);
  m_weight.uniform_(-bound, bound);
  if (m_bias.defined()) m_bias.uniform_(-bound, bound);
}

at::Tensor PatchEmbedding::forward(const at::Tensor& images) const {
  const std::int64_t p = m_patch, rows = images.size(2) / p, cols = images.size(3) / p;
  const at::Tensor whole = images.slice(2, 0, rows * p).slice(3, 0, cols * p);
  const at::Tensor patches = whole.contiguous()
                                 .view({images.size(0), 3, rows, p, cols, p})
                                 .permute({0, 2, 4, 1, 3, 5})
                                 .reshape({images.size(0), rows * cols, 3 * p * p});
  return inFloat32(at::linear(patches, m_weight.view({m_weight.size(0), -1}), m_bias));
}

at::Tensor branchNormed(const torch::nn::LayerNorm& norm, const at::Tensor& tokens) {
  return branchNorm(tokens, norm->weight, norm->bias, norm->options.eps());
}

torch::nn::LayerNorm makeNorm(int width, double epsilon) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(epsilon));
}

double dropPathRate(const ModelConfig& config, int layer, int layers) {
  if (config.dropPathMode == "constant" || layers < 2) return config.dropPath;
  return config.dropPath * layer / (layers - 1);
}

at::Tensor dropPath(const at::Tensor& given, double rate) {
  const at::Tensor branch = inFloat32(given);
  std::vector<std::int64_t> shape(branch.dim(), 1);
  shape[0] = batchPart().whole > 0 ? batchPart().whole : branch.size(0);
  const double keep = 1.0 - rate;
  const at::Tensor kept = at::empty(shape, branch.options()).bernoulli_(keep).div_(keep);
  return branch * rowsSeen(kept);
}

void initializeLinears(torch::nn::Module& module) {
  const at::NoGradGuard noGrad;
  for (const auto& child : module.modules(/*include_self=*/false)) {
    auto* linear = child->as<torch::nn::LinearImpl>();
    if (!linear) continue;
    linear->weight.normal_(0, 0.02);
    if (linear->bias.defined()) linear->bias.zero_();
  }
}

void checkImages(const at::Tensor& images, const ModelConfig& config) {
  TORCH_CHECK(images.dim() == 4 && images.size(1) == 3 &&
                  images.size(2) == config.imageHeightPixels() &&
                  images.size(3) == config.imageWidthPixels(),
              "the model takes images of [B, 3, ", config.imageHeightPixels(), ", ",
              config.imageWidthPixels(), "], not ", images.sizes());
}

}  // namespace headlight
