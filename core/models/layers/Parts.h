// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What backbones share: the pieces of a block, in timm's names.

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/attention/base/AdaptableLinear.h"
#include "core/config/ModelConfig.h"
#include "core/masks/Grid.h"

namespace headlight {

/// A module that only holds others, for the dots in timm's names ("blocks.0", "patch_embed.proj").
class Holder : public torch::nn::Module {
 public:
  using torch::nn::Module::register_buffer;
  using torch::nn::Module::register_module;
  using torch::nn::Module::register_parameter;
};

class Bottleneck;

/// An MLP of a block.
class BlockMlp : public torch::nn::Module {
 public:
  /// What a block adds: forward(), and the output of a bottleneck beside it, if there is one.
  at::Tensor branch(const at::Tensor& tokens);
  /// For training.adapter: `bottleneck`, of the same tokens.
  void setBottleneck(std::shared_ptr<Bottleneck> bottleneck);
  Bottleneck* bottleneck() const { return m_bottleneck.get(); }
  virtual at::Tensor forward(const at::Tensor& tokens) = 0;
  /// Where the tokens of passes to come lie.
  virtual void setGrid(const Grid& /*grid*/) {}
  /// What the last layer reads in place of its features [B, T, M], for interventions on a copy of a
  /// model; empty: those themselves.
  using HiddenEdit = std::function<at::Tensor(const at::Tensor& hidden)>;
  void setHiddenEdit(HiddenEdit edit) { m_hiddenEdit = std::move(edit); }

 protected:
  at::Tensor editedHidden(const at::Tensor& hidden) const {
    return m_hiddenEdit ? m_hiddenEdit(hidden) : hidden;
  }

 private:
  HiddenEdit m_hiddenEdit;
  std::shared_ptr<Bottleneck> m_bottleneck;  ///< null: none
};

/// `activation`: "gelu", "quick_gelu", "gelu_tanh", "relu", "silu" or "hard_swish".
at::Tensor activated(const at::Tensor& hidden, const std::string& activation);

/// Two linear layers with an activation between: fc1, fc2.
class Mlp : public BlockMlp {
 public:
  /// `activation`: as activated().
  Mlp(int width, int hidden, const std::string& activation = "gelu");
  at::Tensor forward(const at::Tensor& tokens) override;

 protected:
  at::Tensor activated(const at::Tensor& tokens);  ///< what goes into fc2
  AdaptableLinear m_first{nullptr}, m_second{nullptr};

 private:
  std::string m_activation;
};

/// With a norm before fc2 (BEiT-3, Wang et al. 2022): fc1, norm, fc2.
class NormedMlp : public Mlp {
 public:
  NormedMlp(int width, int hidden, const std::string& activation, double normEpsilon);
  at::Tensor forward(const at::Tensor& tokens) override;

 private:
  torch::nn::LayerNorm m_norm{nullptr};
};

/// A norm over the features of each token: LayerNorm, or RMSNorm, x / √(mean(x²) + ε) ⊙ weight
/// (Zhang & Sennrich 2019), which has no bias.
class TokenNorm : public torch::nn::Module {
 public:
  TokenNorm(int width, double epsilon, bool rms = false);
  at::Tensor forward(const at::Tensor& tokens) const;
  /// At the beginning of a residual branch (BranchNorm.h): may come in 16 bits.
  at::Tensor forBranch(const at::Tensor& tokens) const;
  std::int64_t width() const { return m_weight.size(0); }
  static std::int64_t parameters(std::int64_t width, bool rms) { return rms ? width : 2 * width; }

 private:
  double m_epsilon;
  at::Tensor m_weight, m_bias;  ///< [D]; the second undefined for RMSNorm
};

/// `proj`: a convolution whose stride is its kernel, done as one matrix product over the patches
/// that it cuts out. Images [B, 3, H, W] → [B, N, D].
class PatchEmbedding : public torch::nn::Module {
 public:
  using torch::nn::Module::register_module;  ///< for a norm beside it, in timm's names
  PatchEmbedding(int patch, int width, bool bias = true);
  /// Uniform within the inverse root of the fan-in, as a convolution's default.
  void initialize();
  at::Tensor forward(const at::Tensor& images) const;

 private:
  int m_patch;
  at::Tensor m_weight, m_bias;  ///< [D, 3, p, p], [D] or undefined
};

torch::nn::LayerNorm makeNorm(int width, double epsilon);
/// At the beginning of a residual branch (BranchNorm.h): may come in 16 bits.
at::Tensor branchNormed(const torch::nn::LayerNorm& norm, const at::Tensor& tokens);

/// Rate of stochastic depth in block `layer` of `layers`.
double dropPathRate(const ModelConfig& config, int layer, int layers);
/// Stochastic depth: whole images lose the branch, the rest are scaled to keep the mean.
at::Tensor dropPath(const at::Tensor& branch, double rate);

/// Linear layers as timm: weights from N(0, 0.02²) (its truncation at ±2 never bites), biases 0.
void initializeLinears(torch::nn::Module& module);

/// Throws Failure where images are not [B, 3, H, W] of the config's size.
void checkImages(const at::Tensor& images, const ModelConfig& config);

}  // namespace headlight
