#pragma once
// Softmax attention with a mask per head: MaiT §4, Eq. 1 and 2.

#include <torch/nn/modules/linear.h>

#include "core/attention/Attention.h"
#include "core/attention/kernels/HeadLogits.h"

namespace headlight {

/// A = softmax(mask(QKᵀ/√d)), out = proj(A·V). Names as timm's: qkv, proj; beside them
/// soft_mask_logit [H] (a of α = sigmoid(a)) once a head is soft, and the buffer random_mask
/// [H, T, T] (bool) once a head is random.
class SoftmaxAttention : public Attention {
 public:
  explicit SoftmaxAttention(const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionTap* tap) override;
  void setMasks(const std::vector<HeadMask>& masks) override;
  std::vector<float> softAlphas() const override;
  std::string mapMeaning() const override;

 private:
  void updateSoftLogits(const std::vector<HeadMask>& masks);
  void updateRandomMasks(const std::vector<HeadMask>& masks);
  HeadLogits logitMasks();

  AttentionOptions m_options;
  std::vector<HeadMask> m_masks;
  torch::nn::Linear m_qkv{nullptr}, m_proj{nullptr};
  at::Tensor m_softLogit;                    ///< [H]; undefined until a head is soft
  at::Tensor m_randomMask;                   ///< [H, T, T] bool; undefined until a head is random
  std::vector<at::Tensor> m_neighbourhoods;  ///< per head [T, T]; undefined where not needed
};

}  // namespace headlight
