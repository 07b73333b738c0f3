#pragma once
// What every mechanism with logits on a grid shares: the masks of its heads (MaiT §4), as tensors
// and with the parameters that some kinds bring.

#include "core/attention/Attention.h"
#include "core/attention/kernels/HeadLogits.h"

namespace headlight {

/// Brings soft_mask_logit [H] (a of α = sigmoid(a)) once a head is soft, and the buffer random_mask
/// [H, T, T] (bool) once a head is random.
class MaskedAttention : public Attention {
 public:
  void setMasks(const std::vector<HeadMask>& masks) override;
  std::vector<float> softAlphas() const override;

 protected:
  /// `grid` is where its logits [.., H, T, T] live: the model's, or one window's.
  MaskedAttention(int layer, int heads, const Grid& grid);

  /// For the kernels, in the dtype and on the device of `like`.
  HeadLogits logitMasks(const at::TensorOptions& like);
  /// Logits [B, H, T, T] with the masks applied (MaiT Eq. 2); as they are where no head is masked.
  at::Tensor masked(const at::Tensor& logits);

 private:
  void updateSoftLogits(const std::vector<HeadMask>& masks);
  void updateRandomMasks(const std::vector<HeadMask>& masks);

  int m_layer;
  Grid m_grid;
  std::vector<HeadMask> m_masks;
  at::Tensor m_softLogit;                    ///< [H]; undefined until a head is soft
  at::Tensor m_randomMask;                   ///< [H, T, T] bool; undefined until a head is random
  std::vector<at::Tensor> m_neighbourhoods;  ///< per head [T, T]; undefined where not needed
};

}  // namespace headlight
