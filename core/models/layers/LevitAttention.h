// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The attention of LeViT (Graham et al. 2021): keys narrower than values, a bias by distance
// instead of positions, hard-swish before the projection. And what Castling-LeViT (You et al. 2023,
// §3.1) makes of it. Internal to core/models.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/base/UndecayedParameters.h"
#include "core/attention/linear/LinearAngular.h"
#include "core/attention/softmax/MaskedAttention.h"
#include "core/models/layers/LevitParts.h"
#include "core/models/layers/LevitPooling.h"

namespace headlight {

struct LevitAttentionOptions {
  AttentionOptions attention;          ///< the grid has no prefix tokens
  int keyWidth = 16, valueWidth = 32;  ///< of one head
  bool tokenPooling = false;           ///< of keys and values; softmax alone

  Grid keys() const { return attention.grid.strided(tokenPooling ? 2 : 1); }
};

/// One number a head for each (|Δrow|, |Δcolumn|), gathered from a table [H, rows·cols] into
/// [H, Tq, Tk]. Queries and keys stand on every so many rows and columns of the grid.
class DistanceBias {
 public:
  explicit DistanceBias(const Grid& grid, int queryStride = 1, int keyStride = 1);
  /// Throws Failure for a grid that has too many pairs to hold an index of.
  static void check(const Grid& grid, int queryStride = 1, int keyStride = 1);
  at::Tensor gather(const at::Tensor& table);

 private:
  std::int64_t m_keys;
  at::Tensor m_index;  ///< [Tq·Tk]; no buffer: checkpoints have none
};

/// Hard-swish, then `ln`.
class LevitProjection : public torch::nn::Module {
 public:
  LevitProjection(int in, int out, double scale);
  /// Heads side by side, [B, T, H·e] → [B, T, out]. The tap may replace them after hard-swish.
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap = nullptr);
  HeadProjection headProjection() const { return {m_linear->weight(), "hard-swish"}; }

 private:
  std::shared_ptr<LinearNorm> m_linear;
};

/// Softmax attention: qkv, attention_biases, proj.ln, and `pool` where tokens are pooled. Masks act
/// on QKᵀ/√d + bias, on the grids of queries and of keys.
class LevitSoftmaxAttention : public MaskedAttention {
 public:
  explicit LevitSoftmaxAttention(const LevitAttentionOptions& options);
  static void count(CostCounter& counter, const LevitAttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return m_projection->headProjection(); }
  std::string mapMeaning() const override;

 private:
  HeadInputs inputs(const at::Tensor& qkv);

  LevitAttentionOptions m_options;
  std::shared_ptr<LinearNorm> m_qkv;
  std::shared_ptr<LevitTokenPool> m_pool;  ///< null without token pooling
  std::shared_ptr<LevitProjection> m_projection;
  at::Tensor m_biases;  ///< [H, rows·cols]
  DistanceBias m_distances;
};

/// Linear-angular attention in its place: qkv, dconv, proj.ln, and no bias by distance.
class LevitLinearAttention : public LinearAngularAttention {
 public:
  explicit LevitLinearAttention(const LevitAttentionOptions& options);
  static void count(CostCounter& counter, const LevitAttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return m_projection->headProjection(); }

 private:
  LevitAttentionOptions m_options;
  std::shared_ptr<LinearNorm> m_qkv;
  std::shared_ptr<LevitProjection> m_projection;
};

/// softmax or linear_angular.
std::shared_ptr<Attention> makeLevitAttention(const std::string& mechanism,
                                              const LevitAttentionOptions& options);
void countLevitAttention(CostCounter& counter, const std::string& mechanism,
                         const LevitAttentionOptions& options);

struct LevitDownsampleOptions {
  int width = 128, outWidth = 256;
  int heads = 8, keyWidth = 16, valueWidth = 64;
  Grid grid;  ///< before
  bool poolAfter = false;
  bool queryResidual = false;
  bool tokenPooling = false;
};

/// The attention that leads into a stage: a query stands on every second row and column.
/// LeViT takes those tokens and projects them (`q.ln`). Castling-LeViT projects all tokens and
/// pools the queries (`q.pool`: a depthwise 3 × 3 convolution that heads share, of stride 2, as in
/// MViTv2), then adds the pooled queries to the output.
/// Names: kv, q.ln, q.pool, pool, attention_biases, proj.ln.
class LevitDownsampleAttention : public torch::nn::Module, public UndecayedParameters {
 public:
  explicit LevitDownsampleAttention(const LevitDownsampleOptions& options);
  static void count(CostCounter& counter, const LevitDownsampleOptions& options);
  /// [B, T, width] → [B, ⌈rows/2⌉·⌈cols/2⌉, outWidth].
  at::Tensor forward(const at::Tensor& tokens);

 private:
  at::Tensor queries(const at::Tensor& tokens);

  LevitDownsampleOptions m_options;
  std::shared_ptr<LinearNorm> m_keysValues, m_queries;
  std::shared_ptr<ConvNorm> m_pool;  ///< null where tokens are taken before the projection
  std::shared_ptr<LevitTokenPool> m_tokenPool;  ///< null without token pooling
  std::shared_ptr<LevitProjection> m_projection;
  at::Tensor m_biases;  ///< [H, rows·cols]
  DistanceBias m_distances;
};

}  // namespace headlight
