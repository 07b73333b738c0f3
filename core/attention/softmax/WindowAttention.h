// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention within shifted windows, with a bias for every relative position: Swin (Liu et al.
// 2021), §3.2, Eq. 4; heads can be masked inside their windows (MaiT §4).

#include "core/attention/base/AdaptableLinear.h"

#include <vector>

#include "core/attention/base/Windows.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct WindowOptions {
  int window = 7;       ///< M, in patches
  bool shift = true;    ///< by half a window in every second block of a stage
  bool cosine = false;  ///< as Swin V2
  /// Of `cosine`: M of each stage in the training before this one; empty or 0: as now.
  std::vector<int> pretrainedWindows;
};

/// A = softmax(mask(QKᵀ/√d + B)) in every window, out = proj(A·V). Where windows do not divide the
/// grid it is shifted, then padded, as timm does, so that weights of timm keep their numbers
/// (WindowPadding::AfterShift). Names as timm's:
/// relative_position_bias_table [(2M−1)², H], qkv, proj.
///
/// With `cosine` as Swin V2 (Liu et al. 2022, §3.2 and §3.3): logits are τ·cos(q, k) + B with a
/// τ = exp(logit_scale), at most 100, of each head, and B = 16·sigmoid of an MLP of the offsets'
/// logarithms, which are shares of the window that the MLP was trained with. Names: logit_scale [H, 1, 1], cpb_mlp.0, cpb_mlp.2 in place of the table.
class WindowAttention : public MaskedAttention {
 public:
  explicit WindowAttention(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  /// How the grid of a layer with these options is cut.
  static WindowShape shape(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  /// Throws Failure where windows would be of another size: the biases belong to their places.
  void setGrid(const Grid& grid) override;
  at::Tensor windowTokens() const override { return m_windows.patches(); }
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string notice() const override { return edgeNotice(m_windows.shape()); }
  /// What a row gives to the padding is in no map.
  bool mapRowsSumToOne() const override { return !m_windows.shape().isPadded(); }

 private:
  WindowAttention(const AttentionOptions& options, const WindowShape& shape);

  void makeCosine();
  /// [offsets, H]
  at::Tensor biasTable() const;
  /// Queries and keys of length 1, the first scaled: [B', M, 3D] → the same.
  at::Tensor scaledToLength(const at::Tensor& qkv) const;

  AttentionOptions m_options;
  Windows m_windows;
  bool m_cosine;
  at::Tensor m_biasTable, m_logitScale, m_offsets;  ///< one of the first two is undefined
  AdaptableLinear m_biasHidden{nullptr}, m_biasOut{nullptr};
  AdaptableLinear m_qkv{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
