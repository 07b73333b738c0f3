// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Softmax attention with a mask per head: MaiT §4, Eq. 1 and 2. With what ViTs beyond DeiT have
// beside it: relative positions (BEiT), rotary ones (EVA-02, DINOv3), a norm inside (EVA-02).

#include <torch/nn/modules/normalization.h>
#include "core/attention/base/AdaptableLinear.h"

#include <optional>

#include "core/attention/base/RotaryPositions.h"
#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct SoftmaxOptions {
  std::string kernel = "auto";
  bool relativePositions = false;  ///< a learned bias B for every relative position (BEiT)
  std::string rotary = "none";     ///< RotaryOptions, as what follows
  double rotaryTemperature = 10000;
  std::vector<int> rotaryReference = {};
  double rotaryOffset = 0;
  bool rotaryColumnsFirst = false;
  bool innerNorm = false;  ///< a norm between the heads and proj (EVA-02 base and large)
  bool apart = false;      ///< q_proj, k_proj, v_proj in place of qkv (the same)
};

/// A = softmax(mask(QKᵀ/√d + B)), out = proj(norm(A·V)). Names as timm's: qkv (or q_proj, k_proj,
/// v_proj), q_bias and v_bias [D] where keys have no bias, relative_position_bias_table
/// [(2·rows − 1)(2·cols − 1) + 3, H], norm, proj. The table's last three rows are from the class
/// token, to it, and of it to itself.
class SoftmaxAttention : public MaskedAttention {
 public:
  static const ParameterTable& optionTable();
  explicit SoftmaxAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);
  /// What its rotary positions turn by, where a model of so many layers learns that for all of
  /// them; null for other positions. To be handed to each layer.
  static std::shared_ptr<RotaryFrequencies> sharedFrequencies(const AttentionOptions& options,
                                                              int layers);
  void share(std::shared_ptr<RotaryFrequencies> frequencies);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override;
  void setKept(const at::Tensor& kept) override;
  HeadProjection headProjection() const override;
  /// Without the projections, of qkv [B, T, 3·D].
  AttentionOutput attend(const at::Tensor& qkv, bool wantMap = false);
  std::string mapMeaning() const override;

 private:
  void makeProjections();
  void makeRotary();
  void makeBiasTable();
  at::Tensor projected(const at::Tensor& tokens);
  at::Tensor relativeBias();
  HeadInputs splitInputs(const at::Tensor& qkv);
  HeadLogits logitsOf(const at::Tensor& qkv);

  AttentionOptions m_options;
  SoftmaxOptions m_own;
  std::optional<RotaryPositions> m_rotary;
  std::shared_ptr<RotaryFrequencies> m_frequencies;  ///< the model's; null unless "mixed"
  at::Tensor m_biasTable, m_biasIndex;  ///< undefined without relative positions; [T·T] int64
  at::Tensor m_queryBias, m_valueBias;  ///< [D]; undefined where qkv has all
  AdaptableLinear m_qkv{nullptr}, m_query{nullptr}, m_key{nullptr}, m_value{nullptr};
  torch::nn::LayerNorm m_norm{nullptr};
  AdaptableLinear m_proj{nullptr};
};

}  // namespace headlight
