// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The decoder of Zhai et al. 2021, §5.1 and §5.2: bytes one after the other, each predicted from
// those before it, through pre-norm blocks of causal attention (AFT or softmax) and an MLP.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/softmax/CausalAttention.h"
#include "core/config/SequenceExperiment.h"
#include "core/models/backbones/Model.h"
#include "core/models/layers/Parts.h"

namespace headlight {

inline constexpr std::int64_t kByteValues = 256;
/// The symbol that stands before the first byte.
inline constexpr std::int64_t kStartSymbol = kByteValues;

/// Throws Failure(InvalidConfig) with the JSON path for a mechanism that cannot be of that length
/// (CausalAft.h, CausalConv.h, CausalSoftmax.h, CausalSynthesizer.h). Makes nothing.
void checkCausalAttention(const SequenceModelConfig& config, std::int64_t length);

/// x + attn(norm1(x)), then x + mlp(norm2(x)).
class SequenceBlock : public torch::nn::Module {
 public:
  SequenceBlock(const SequenceModelConfig& config, std::int64_t length, int layer);
  at::Tensor forward(const at::Tensor& tokens);                  ///< [B, t, D] → the same
  at::Tensor step(const at::Tensor& token, CausalState& state);  ///< [B, D] → the same
  at::Tensor map(const at::Tensor& tokens);                      ///< [B, t, D] → [B, heads, t, t]
  std::string mapMeaning() const { return m_attention->mapMeaning(); }
  at::Tensor filter() const { return m_attention->filter(); }

 private:
  at::Tensor dropped(const at::Tensor& branch) const;

  double m_dropout;
  torch::nn::LayerNorm m_norm1{nullptr}, m_norm2{nullptr};
  std::shared_ptr<CausalAttention> m_attention;
  std::shared_ptr<Mlp> m_mlp;
};

/// What a growing sequence needs of those before it. Begins empty.
struct SequenceState {
  std::int64_t position = 0;  ///< symbols so far, that of the start included
  std::vector<CausalState> layers;
};

/// Weights: embed.weight [257, D], pos_embed [1, T, D], blocks.L.{norm1, attn.{q, k, v, proj},
/// attn.position_{u, v}, norm2, mlp.{fc1, fc2}}, norm, head [256, D]; of aft_conv
/// attn.position_{bias, gain, shift}; of softmax and attention by features attn.{qkv, proj}, of a
/// Synthesizer attn.{hidden, value, proj} and what its logits have.
class SequenceModel : public torch::nn::Module {
 public:
  /// `length`: T. Throws Failure(InvalidConfig) as checkCausalAttention().
  SequenceModel(const SequenceModelConfig& config, std::int64_t length);

  const SequenceModelConfig& config() const { return m_config; }
  std::int64_t length() const { return m_length; }

  /// bytes [B, t] (uint8 or int64, 0 to 255; 1 ≤ t ≤ T) → logits [B, t, 256]. Those at position t
  /// are of byte t and follow from bytes before it alone.
  at::Tensor forward(const at::Tensor& bytes);

  /// The next symbols [B] (int64; first kStartSymbol, then bytes) → logits [B, 256] of the byte
  /// after them, as forward() has them. For use without gradients. Throws
  /// Failure(InvalidArgument) for more than T symbols.
  at::Tensor step(const at::Tensor& symbols, SequenceState& state);

  /// What block `layer` looks at: [B, heads, t, t] of bytes as forward() takes them. Row t is of
  /// where byte t is predicted; column 0 is the start, column j > 0 the byte j − 1.
  at::Tensor map(const at::Tensor& bytes, std::int64_t layer);
  std::string mapMeaning() const { return m_blocks.front()->mapMeaning(); }
  /// CausalAttention::filter() of block `layer`, detached.
  at::Tensor filter(std::int64_t layer) const;

  ModelTensors trainable() const;  ///< by name; they share storage
  /// Weights of linear maps decay; biases, norms, embeddings and positions do not (§5.1).
  static bool decays(const std::string& name, const at::Tensor& parameter);

 private:
  at::Tensor embedded(const at::Tensor& bytes) const;

  SequenceModelConfig m_config;
  std::int64_t m_length;
  at::Tensor m_embedding, m_positions;
  std::vector<std::shared_ptr<SequenceBlock>> m_blocks;
  torch::nn::LayerNorm m_norm{nullptr};
  torch::nn::Linear m_head{nullptr};
};

/// Names and shapes of a model's weights from its config alone: what a file is checked against
/// before anything of that size is made.
using TensorShape = std::pair<std::string, std::vector<std::int64_t>>;
std::vector<TensorShape> sequenceShapes(const SequenceModelConfig& config, std::int64_t length);

/// A model as described, its weights drawn from the experiment's seed. Throws as SequenceModel.
std::shared_ptr<SequenceModel> makeSequenceModel(const SequenceExperiment& experiment);

}  // namespace headlight
