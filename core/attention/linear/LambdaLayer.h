// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Lambda layers (LambdaNetworks, Bello 2021, Eq. 1 and 2): linear maps of the context, by content
// and by position, that queries are applied to. A baseline of AFT's Table 7.

#include <torch/nn/modules/batchnorm.h>
#include "core/attention/base/AdaptableLinear.h"

#include <string>

#include "core/attention/base/Attention.h"

namespace headlight {

struct LambdaOptions {
  int keys = 16;
  int context = 23;
  std::string norm = "none";
};

/// Position lambdas λ_n = Σ_m e_{m−n} v_m of patches: embeddings [k, a, b] by offset of the key from
/// the query (odd sides, the middle is no offset), values [B, N, e] → [B, N, k, e]. Offsets beyond
/// the embeddings have none. By a convolution, or where few offsets are out of reach by one matrix
/// product over all pairs.
at::Tensor positionLambdas(const at::Tensor& embeddings, const at::Tensor& values,
                           const Grid& grid);
/// Pairs of patches that it computes: of all, or of each with the offsets.
std::int64_t positionLambdaPairs(const Grid& grid, std::int64_t rows, std::int64_t cols);
/// e_{m−n} of every pair, [N, N, k].
at::Tensor pairEmbeddings(const at::Tensor& embeddings, const Grid& grid);

/// The mechanism `lambda`. query: D → H·k, key: D → k, value: D → D/H, which all heads share;
///   out_nh = (Σ_m softmax_m(k)_m v_mᵀ + λ_n)ᵀ q_nh, then proj.
/// Prefix tokens have no place: they take part in content alone. norm_query and norm_value or
/// norm_key are batch norms, where asked for; position_embedding [k, a, b].
class LambdaLayer : public Attention {
 public:
  explicit LambdaLayer(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  /// A context of the whole image belongs to its size.
  void setGrid(const Grid& grid) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  bool mapIsSigned() const override { return true; }
  std::string kernelText() const override;

 private:
  /// [B, H, T, T]: of keys after their softmax [B, T, k] and queries [B, T, H, k].
  at::Tensor map(const at::Tensor& queries, const at::Tensor& keys) const;

  int m_layer, m_heads;
  Grid m_grid;
  LambdaOptions m_own;
  at::Tensor m_embedding;
  AdaptableLinear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
  torch::nn::BatchNorm1d m_normQuery{nullptr}, m_normKey{nullptr}, m_normValue{nullptr};
};

}  // namespace headlight
