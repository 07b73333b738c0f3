// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention whose similarities are products of non-negative features of queries and keys
// (Katharopoulos et al. 2020, Eq. 4 and 5): linear in the tokens. What the Linear Transformer and
// the Performer share.

#include "core/attention/base/AdaptableLinear.h"

#include <string>

#include "core/attention/base/Attention.h"

namespace headlight {

/// Sums of similarities are never taken for less, so that a row whose similarities all vanish is 0.
constexpr double kLeastFeatureSum = 1e-30;

/// φ(ψᵀv) over φ·Σψ: φ [B, H, Tq, m], ψ [B, H, Tk, m], values [B, H, Tk, e] → [B, H, Tq, e]. ψᵀv
/// comes first: no Tq × Tk tensor is formed.
at::Tensor featureMixed(const at::Tensor& query, const at::Tensor& key, const at::Tensor& values);

/// The weights of the same, [B, H, Tq, Tk]; quadratic.
at::Tensor featureWeights(const at::Tensor& query, const at::Tensor& key);

/// query, key, value, proj; nothing here has a place.
class FeatureMapAttention : public Attention {
 public:
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) final;
  void setGrid(const Grid&) override {}
  void setKept(const at::Tensor&) override {}
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string kernelText() const override { return "matrix products, keys times values first"; }

 protected:
  explicit FeatureMapAttention(const AttentionOptions& options);
  /// Projections, and the two products of `features` features a head.
  static void countFeatures(CostCounter& counter, const AttentionOptions& options,
                            std::int64_t features);

  /// [B, H, T, d] → [B, H, T, m], none negative. Factors of a whole row of queries, and of all keys
  /// of a head, cancel.
  virtual at::Tensor queryFeatures(const at::Tensor& queries) = 0;
  virtual at::Tensor keyFeatures(const at::Tensor& keys) = 0;

 private:
  int m_layer, m_heads;
  AdaptableLinear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
