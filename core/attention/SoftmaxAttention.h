#pragma once
// Softmax attention with a mask per head: MaiT §4, Eq. 1 and 2.

#include <torch/nn/modules/linear.h>

#include "core/attention/MaskedAttention.h"
#include "core/attention/kernels/HeadAttention.h"

namespace headlight {

/// A = softmax(mask(QKᵀ/√d)), out = proj(A·V). Names as timm's: qkv, proj.
class SoftmaxAttention : public MaskedAttention {
 public:
  struct Options {
    std::string kernel = "auto";
  };
  static const ParameterTable& optionTable();
  explicit SoftmaxAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionTap* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  /// Without the projections, of qkv [B, T, 3·D].
  AttentionOutput attend(const at::Tensor& qkv, bool wantMap = false);
  std::string mapMeaning() const override;

 private:
  AttentionOptions m_options;
  torch::nn::Linear m_qkv{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
