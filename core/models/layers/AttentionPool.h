// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pooling by an attention of its own: one learned query looks at all patches (SigLIP's "map"
// pooling, Zhai et al. 2023; Lee et al. 2019), in timm's names.

#include "core/attention/base/Cost.h"
#include "core/models/layers/Parts.h"

namespace headlight {

struct AttentionPoolOptions {
  int width = 768;
  int heads = 12;
  double mlpRatio = 4.0;
  double normEpsilon = 1e-6;
  std::string activation = "gelu";
};

/// y = proj(softmax(q(latent) k(x)ᵀ/√d) v(x)), then y + mlp(norm(y)). Names: latent [1, 1, D], q,
/// kv, proj, norm, mlp.
class AttentionPool : public torch::nn::Module {
 public:
  explicit AttentionPool(const AttentionPoolOptions& options);
  static void count(CostCounter& counter, const AttentionPoolOptions& options, std::int64_t tokens);

  /// [B, N, D] → [B, D].
  at::Tensor forward(const at::Tensor& tokens);

 private:
  int m_heads;
  at::Tensor m_latent;
  torch::nn::Linear m_query{nullptr}, m_keysAndValues{nullptr}, m_proj{nullptr};
  torch::nn::LayerNorm m_norm{nullptr};
  std::shared_ptr<Mlp> m_mlp;
};

}  // namespace headlight
