// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention of a decoder's queries over cells or over each other (Vaswani et al. 2017). Internal to
// core/models.

#include <torch/nn/modules/linear.h>

#include "core/attention/base/Cost.h"

namespace headlight {

/// Queries [B, Q, C] look at T keys with values, both [B, T, C].
struct QueryInputs {
  at::Tensor queries, keys, values;
  /// [B, Q, T] bool: where each query may look, at one place at least; undefined: everywhere.
  at::Tensor seen = {};
};

/// out_proj(softmax(q kᵀ/√d) v), head by head. Names: q_proj, k_proj, v_proj, out_proj.
class QueryAttention : public torch::nn::Module {
 public:
  QueryAttention(int width, int heads);
  static void count(CostCounter& counter, const std::string& name, int width, std::int64_t queries,
                    std::int64_t keys);

  /// → [B, Q, C]. `map`, if given, gets the attention [B, heads, Q, T], detached.
  at::Tensor forward(const QueryInputs& inputs, at::Tensor* map = nullptr);

 private:
  at::Tensor byHead(torch::nn::Linear& projection, const at::Tensor& tokens) const;

  int m_heads;
  torch::nn::Linear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_output{nullptr};
};

}  // namespace headlight
