// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pooling attention of MViTv2 (Li et al. 2022, §3 and Eq. 1 to 6), in timm's names; masked per head
// (MaiT §4), or with Castling-ViT's linear-angular attention in place of the softmax. Part of the
// MViTv2 backbone rather than a mechanism by name: it changes the number and the width of tokens.

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/normalization.h>
#include "core/attention/base/AdaptableLinear.h"

#include <array>

#include "core/attention/linear/LinearAngular.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

/// Weights over keys [B, H, Tq, Tk] as weights over the grid of queries [B, H, Tq, Tq]: each key's
/// is spread evenly over the patches that it covers.
at::Tensor overQueries(const at::Tensor& weights, const Grid& queries, const Grid& keys);

struct PoolingOptions {
  AttentionOptions attention;  ///< width: of the tokens that leave; grid: of those that come in
  int inputWidth = 96;         ///< of the tokens that come in
  int queryStride = 1;         ///< patches per query, on each side
  int keyStride = 4;           ///< patches per key and value, on each side
  bool residual = true;        ///< residual pooling: the pooled queries join the output (Eq. 6)
  double normEpsilon = 1e-6;

  Grid queryGrid() const;
  Grid keyGrid() const;
};

/// q, k and v: `qkv`, then for each a depthwise 3 × 3 convolution over the grid, shared by the
/// heads, and a norm over the head's features (pool_q, norm_q, …).
struct PooledProjection {
  AdaptableLinear qkv{nullptr};
  std::array<torch::nn::Conv2d, 3> pools{nullptr, nullptr, nullptr};
  std::array<torch::nn::LayerNorm, 3> norms{nullptr, nullptr, nullptr};

  explicit PooledProjection(const PoolingOptions& options);
  static void count(CostCounter& counter, const PoolingOptions& options);
  /// The parts by timm's names, for the attention that owns them.
  std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>> parts() const;
  /// [B, T, D'] → q [B, H, Tq, d], k and v [B, H, Tk, d].
  std::array<at::Tensor, 3> forward(const at::Tensor& tokens, const PoolingOptions& options);
};

/// A = softmax(mask(QKᵀ/√d + E)), E the decomposed relative positions Q·(R_h + R_w)ᵀ (Eq. 4 and 5);
/// out = proj(A·V + Q). [B, T, D'] → [B, Tq, D]. Masks know the grids of queries and of keys.
class PoolingAttention : public MaskedAttention {
 public:
  explicit PoolingAttention(const PoolingOptions& options);
  static void count(CostCounter& counter, const PoolingOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;

 private:
  void addRelativePositions(HeadLogits& logits, const at::Tensor& queries);

  PoolingOptions m_options;
  Grid m_queries, m_keys;
  PooledProjection m_projection;
  AdaptableLinear m_proj{nullptr};
  at::Tensor m_relativeRows, m_relativeCols;  ///< [2·max(q, k) − 1, d] along each side
  at::Tensor m_rowIndex, m_colIndex;          ///< [q, k]: which of them two cells take
};

/// The same with linear-angular attention, which has no logits to mask or to add positions to. It
/// is linear in the number of keys, so these are pooled no further than queries are.
class PoolingLinearAngular : public LinearAngularAttention {
 public:
  explicit PoolingLinearAngular(const PoolingOptions& options);
  static void count(CostCounter& counter, const PoolingOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }

 private:
  PoolingOptions m_options;
  PooledProjection m_projection;
  AdaptableLinear m_proj{nullptr};
};

/// `mechanism` is "softmax" or "linear_angular".
std::shared_ptr<Attention> makePoolingAttention(const std::string& mechanism,
                                                const PoolingOptions& options);
void countPoolingAttention(CostCounter& counter, const std::string& mechanism,
                           const PoolingOptions& options);

}  // namespace headlight
