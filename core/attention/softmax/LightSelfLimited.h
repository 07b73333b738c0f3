// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Light self-limited attention: ViT-LSLA (Hechen, Huang, Zhao 2022), §3.2 and §3.3, Eq. 15 to 18.

#include "core/attention/base/AdaptableLinear.h"

#include <string>
#include <vector>

#include "core/attention/base/MechanismPlotSource.h"
#include "core/attention/base/PrefixedWindows.h"
#include "core/attention/softmax/LightSelfLimitedPlots.h"
#include "core/attention/softmax/MaskedAttention.h"

namespace headlight {

struct LightSelfLimitedOptions {
  std::string variant = "qxx";    ///< which of query, key and value have a projection of their own
  bool projection = true;         ///< after the heads; Table 4's NP is without
  std::string scale = "dynamic";  ///< DS, or 1/√d
  bool innerBias = true, outerBias = true;
  int window = 7;  ///< M, in patches
  bool shift = true;
  std::string padding = "before_shift";  ///< or after_shift, the rule of configs of schema 1 and 2
};

/// In every window, X being the tokens themselves in heads:
///   A = softmax(mask(Q Xᵀ ⊙ DS + B_i)) + B_o,   out = proj(A X)     (Eq. 18, Algorithm 1)
/// Windows do as Swin's Fig. 4 has it: the grid is padded first, then shifted, and neither padding
/// nor what lies across the seam is seen.
/// The paper has no class token. One has no place in a window, and DS and the biases know places
/// alone: it is seen from every window and sees all patches (PrefixedWindows), by plain scaled
/// products, with 1/√d, which DS starts from, for DS and 0 for B_i and B_o. So a model with class
/// token has the parameters of one without.
/// Names: q, k, v (those that the variant has), proj, dynamic_scale [M², M²] (all heads share it),
/// inner_bias_table and outer_bias_table [(2M−1)², H].
class LightSelfLimitedAttention : public MaskedAttention, public MechanismPlotSource {
 public:
  explicit LightSelfLimitedAttention(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  /// How the grid of a layer with these options is cut, without its prefix tokens.
  static WindowShape shape(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  /// Throws Failure where windows would be of another size: DS and the biases belong to places.
  void setGrid(const Grid& grid) override;
  at::Tensor windowTokens() const override { return m_windows.windowTokens(); }
  /// None without the projection: the heads are the output.
  HeadProjection headProjection() const override {
    return {m_proj.is_empty() ? at::Tensor() : m_proj->weight};
  }
  std::string mapMeaning() const override;
  std::string notice() const override;
  /// The dynamic scale, a weight of every pair.
  bool mayDecay(const std::string& parameter) const override {
    return parameter == "dynamic_scale";
  }
  bool mapIsSigned() const override { return m_own.outerBias; }
  /// DS, B_i and B_o (Fig. 3 and 4), those that there are: a fixed scale is one number.
  std::vector<LearnedPairs> learnedPairs() override;
  /// Attention before and after B_o, and the lines of Fig. 4 (LightSelfLimitedPlots.h).
  std::vector<MechanismPlotInfo> mechanismPlots() const override;
  MechanismPlotAnswer mechanismPlot(const std::string& name,
                                    const MechanismPlotQuery& question) override;

 private:
  LightSelfLimitedAttention(const AttentionOptions& options, const LightSelfLimitedOptions& own);
  at::Tensor projected(AdaptableLinear& projection, const at::Tensor& tokens);
  WindowTokens projected(AdaptableLinear& projection, const WindowTokens& tokens);
  /// What comes before the softmax: DS, B_i, the masks and the regions of a shifted image.
  HeadLogits logitsOf(const at::Tensor& queries);
  /// B_o of Eq. 18, [1 or W, H, M², M²]: nothing between regions that only the shift brought
  /// together, since it knows no offset between them.
  at::Tensor outerBias(const at::Tensor& like);
  /// Softmax attention of prefix tokens to all tokens, [B, H, P, P + N]; undefined without any.
  at::Tensor prefixRows(const at::Tensor& queries, const WindowTokens& keys) const;
  /// What they take of the values by these rows, [B, P, D]; undefined without any.
  at::Tensor ofPrefix(const at::Tensor& rows, const WindowTokens& values) const;

  bool hasLearnedTerms() const {
    return m_dynamicScale.defined() || m_innerTable.defined() || m_outerTable.defined();
  }
  LightSelfLimitedTerms learnedTerms();
  /// For tokens [1, T, D].
  LightSelfLimitedMaps windowMaps(const at::Tensor& tokens);

  AttentionOptions m_options;
  LightSelfLimitedOptions m_own;
  PrefixedWindows m_windows;
  at::Tensor m_dynamicScale, m_innerTable, m_outerTable;  ///< undefined where there is none
  AdaptableLinear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
