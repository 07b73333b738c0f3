// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention within shifted windows, with a bias for every relative position: Swin (Liu et al.
// 2021), §3.2, Eq. 4; heads can be masked inside their windows (MaiT §4).

#include <torch/nn/modules/linear.h>

#include "core/attention/base/Windows.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct WindowOptions {
  int window = 7;     ///< M, in patches
  bool shift = true;  ///< by half a window in every second block of a stage
};

/// A = softmax(mask(QKᵀ/√d + B)) in every window, out = proj(A·V). Where windows do not divide the
/// grid it is shifted, then padded, as timm does, so that weights of timm keep their numbers
/// (WindowPadding::AfterShift). Names as timm's:
/// relative_position_bias_table [(2M−1)², H], qkv, proj.
class WindowAttention : public MaskedAttention {
 public:
  explicit WindowAttention(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string notice() const override { return edgeNotice(m_windows.shape()); }
  /// What a row gives to the padding is in no map.
  bool mapRowsSumToOne() const override { return !m_windows.shape().isPadded(); }

 private:
  WindowAttention(const AttentionOptions& options, const WindowShape& shape);

  AttentionOptions m_options;
  Windows m_windows;
  at::Tensor m_biasTable;
  torch::nn::Linear m_qkv{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
