// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Agent attention: Han et al. 2024, "Agent Attention: On the Integration of Softmax and Linear
// Attention", arXiv 2312.08874, Eq. 3 to 5.

#include "core/attention/base/AdaptableLinear.h"

#include <memory>
#include <string>

#include "core/attention/base/Attention.h"
#include "core/attention/linear/ValueConvolution.h"

namespace headlight {

struct AgentOptions {
  int agents = 7;  ///< a side: 49 agents
  bool biases = true;
  int convolution = 3;  ///< side of DWC
};

/// n agent tokens A = pool(Q), means of the patches' queries over a grid of n, of each head; then
///   O = softmax(QAᵀ/√d + B₂) · softmax(AKᵀ/√d + B₁) · V + DWC(V).
/// Never more than n × T pairs are formed. The biases are sums of a 7 × 7 table per agent, resized
/// to the grid (bilinear), of a row's and a column's, and of one for each prefix token: an_bias,
/// ah_bias, aw_bias, ac_bias of B₁ [H, n, T], na_bias, ha_bias, wa_bias, ca_bias of B₂ [H, T, n].
/// Decided, as the authors' program has it for DeiT: prefix tokens are queries and keys but no
/// agents read their queries. A grid of fewer rows or columns than `agents` has as many agents.
/// Names: qkv, dwc, the biases, proj. Heads cannot be masked: no logits of pairs of tokens exist.
class AgentAttention : public Attention {
 public:
  static const ParameterTable& optionTable();
  explicit AgentAttention(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  std::string mapMeaning() const override;
  std::string kernelText() const override;

 private:
  void makeBiases();
  at::Tensor bias(const char* name, std::initializer_list<std::int64_t> sizes);
  at::Tensor agentsOf(const at::Tensor& q) const;
  at::Tensor keyBias() const;
  at::Tensor queryBias() const;
  at::Tensor mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                   AttentionHook* tap) const;

  AttentionOptions m_options;
  AgentOptions m_own;
  AdaptableLinear m_qkv{nullptr}, m_proj{nullptr};
  std::shared_ptr<ValueConvolution> m_convolution;
  at::Tensor m_an, m_ah, m_aw, m_ac;  ///< of B₁; undefined without biases, m_ac without prefix
  at::Tensor m_na, m_ha, m_wa, m_ca;  ///< of B₂
};

}  // namespace headlight
