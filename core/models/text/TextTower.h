// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The text halves of CLIP (Radford et al. 2021) and SigLIP (Zhai et al. 2023), which make an
// embedding of a prompt. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// What the tensors do not say.
struct TextTowerOptions {
  /// CLIP: no token sees those behind it, and the end token is read. Else SigLIP: every token sees
  /// all, and the last one is read.
  bool causal = true;
  int layers = 12;
  int heads = 8;
  double normEpsilon = 1e-5;
  std::string activation = "quick_gelu";  ///< as activated() in Parts.h
  /// CLIP's end token, of which the first is read. 2, which configs before 2023 say: the largest
  /// number is read.
  std::int64_t endToken = 49407;
};

/// A transformer with norms before its branches, under transformers' names: text_model.*, and beside
/// it text_projection, logit_scale and logit_bias.
class TextTower {
 public:
  /// Takes the tensors of its names, as float32. Throws Failure(InvalidFile) that names a tensor
  /// which is missing, of another shape or no number.
  TextTower(const TextTowerOptions& options, const NamedTensors& tensors, const std::string& where);

  /// Tokens [B, T] int64, T at most positions() → [B, E], of any length. SigLIP was trained with
  /// every text padded to positions(). Throws Failure(InvalidArgument) for more tokens, for numbers
  /// that are none of vocabulary(), and for a text without CLIP's end token.
  at::Tensor embed(const at::Tensor& tokens) const;

  std::int64_t positions() const { return m_positions.size(0); }
  std::int64_t vocabulary() const { return m_tokens.size(0); }
  /// Logits are scale() · cos(image, text) + bias().
  double scale() const { return m_scale; }
  double bias() const { return m_bias; }

 private:
  struct Linear {
    at::Tensor weight, bias;  ///< [out, in], [out] or undefined
    at::Tensor operator()(const at::Tensor& x) const;
  };
  struct Norm {
    at::Tensor weight, bias;
  };
  struct Block {
    Norm norm1, norm2;
    Linear query, key, value, proj, fc1, fc2;
  };
  class Reader;

  at::Tensor normed(const Norm& norm, const at::Tensor& x) const;
  at::Tensor attend(const Block& block, const at::Tensor& x) const;
  at::Tensor pooled(const at::Tensor& x, const at::Tensor& tokens) const;
  void check(const at::Tensor& tokens) const;

  TextTowerOptions m_options;
  at::Tensor m_tokens, m_positions;  ///< [V, D], [T, D]
  std::vector<Block> m_blocks;
  Norm m_norm;
  Linear m_head;
  double m_scale = 1, m_bias = 0;
};

/// Whether a checkpoint has the tensors of a text tower.
bool hasTextTower(const NamedTensors& tensors);

}  // namespace headlight
