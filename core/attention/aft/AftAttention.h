// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An Attention Free Transformer (Zhai et al. 2021): AFT-full (Eq. 2), AFT-local (Eq. 4) and
// AFT-simple (Eq. 5). AFT-conv (Eq. 6) is in AftConv.h.

#include "core/attention/base/AdaptableLinear.h"

#include <optional>
#include <string>

#include "core/attention/aft/AftBand.h"
#include "core/attention/base/Attention.h"
#include "core/attention/base/MechanismPlotSource.h"

namespace headlight {

/// e^K of keys [B, T, D], each column scaled so that its maximum over the tokens is 1: the scale
/// cancels in what AFT does with it and keeps the exponentials in range.
at::Tensor aftKeyWeights(const at::Tensor& keys);

/// The same up to a power of two for each column, so that the maximum lies in [1, 2): the scale,
/// which alone depends on later tokens, is exact and cancels without a trace.
at::Tensor aftCausalKeyWeights(const at::Tensor& keys);

/// Whether a token takes part in the sums of earlier ones.
enum class AftOrder { Everywhere, Causal };

/// Eq. 2 without the query gate, element-wise in the features:
///   Σ_t' e^{K_t' + w_tt'} V_t' / Σ_t' e^{K_t' + w_tt'}.
/// keys, values [B, T, D]; bias w [T, T] (−∞: no connection; undefined: 0 everywhere, Eq. 5). Two
/// matrix products with e^w, none without w; never a [T, T, D] tensor. Causal: t' ≤ t only,
/// and later tokens change no bit of earlier results as long as K spans less than 87 over the
/// tokens.
at::Tensor aftContext(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& bias,
                      AftOrder order = AftOrder::Everywhere);

/// The implicit attention of Eq. 3 without the query gate, averaged over each of `heads` groups of
/// neighboring features: [B, heads, T, T], rows sum to 1. For the tap: quadratic in T.
at::Tensor aftMap(const at::Tensor& keys, const at::Tensor& bias, int heads);

/// [T, T] bool: both tokens are patches less than `window` rows and columns apart, or one is a
/// prefix token, which has no place: its biases are always learned. A window of 0 has no biases.
at::Tensor aftWindow(const Grid& grid, int window);

/// What full, local, simple and conv share: Y = σ(Q) ⊙ context(K, V), then the projection. Weights:
/// q (absent in the ablation "no query", where Y is the context itself), k, v, proj.
class AftAttention : public Attention, public MechanismPlotSource {
 public:
  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) final;
  HeadProjection headProjection() const override { return {m_proj->weight}; }
  /// The keys; AFT with position biases has those too (AftPlots.h).
  std::vector<MechanismPlotInfo> mechanismPlots() const override;
  MechanismPlotAnswer mechanismPlot(const std::string& name,
                                    const MechanismPlotQuery& question) override;

 protected:
  /// `keyWidth`: columns of K.
  AftAttention(const AttentionOptions& options, std::int64_t keyWidth, bool query);
  static void countProjections(CostCounter& counter, const AttentionOptions& options,
                               std::int64_t keyWidth, bool query);

  /// K [B, T, keyWidth], V [B, T, D] → [B, T, D].
  virtual at::Tensor context(const at::Tensor& keys, const at::Tensor& values) = 0;
  /// [B, H, T, T].
  virtual at::Tensor map(const at::Tensor& keys) = 0;
  /// What a gradient of that map is (FollowedMap::note).
  virtual std::string gradientNote() const {
    return "the gradient is of a weight that all features of a group share";
  }

 private:
  /// e^K over its sum over all tokens, averaged over the features of each head: [H, N] of the
  /// patches of tokens [1, T, D].
  at::Tensor keyShares(const at::Tensor& tokens);

  int m_layer, m_heads, m_prefix;
  AdaptableLinear m_query{nullptr}, m_key{nullptr}, m_value{nullptr}, m_proj{nullptr};
};

struct AftOptions {
  bool factorized = true;
  int rank = 128;
  int window = 4;
  bool global = true;
  bool query = true;
};

/// Position biases w for every pair of tokens: u·vᵀ of position_u and position_v [T, d'] (Eq. 7),
/// or position_bias [T, T]; each from N(0, 0.01²).
class AftFull : public AftAttention {
 public:
  explicit AftFull(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  std::string mapMeaning() const override;
  std::string kernelText() const override { return "two matrix products with e^w"; }
  /// w [T, T] as it is used.
  virtual at::Tensor positionBias();
  std::vector<MechanismPlotInfo> mechanismPlots() const override;
  MechanismPlotAnswer mechanismPlot(const std::string& name,
                                    const MechanismPlotQuery& question) override;

 protected:
  AftFull(const AttentionOptions& options, const AftOptions& own);
  /// `pairs`: of tokens, that the two sums of Eq. 2 are over.
  static void countAs(CostCounter& counter, const AttentionOptions& options, const AftOptions& own,
                      std::int64_t pairs);
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values) override;
  at::Tensor map(const at::Tensor& keys) override;

  at::Tensor m_u, m_v;  ///< undefined where not factorized
  at::Tensor m_bias;    ///< undefined where factorized

 private:
  int m_heads;
};

/// Eq. 4: w counts within a window of patches only. Outside it is 0, so that every pair stays
/// connected, or −∞ in the ablation "no global connectivity". Where the window is small on a large
/// grid, sums over its rows take the place of those over all tokens (AftBand).
class AftLocal : public AftFull {
 public:
  explicit AftLocal(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor positionBias() override;
  std::string kernelText() const override;

 private:
  AftLocal(const AttentionOptions& options, const AftOptions& own);
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values) override;
  bool runsInBands(const at::Tensor& like) const;

  bool m_global;
  at::Tensor m_outside;           ///< [T, T] bool, where the weights are
  std::optional<AftBand> m_band;  ///< where that is faster
};

/// Eq. 5: no position biases; linear in the tokens.
class AftSimple : public AftAttention {
 public:
  explicit AftSimple(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  std::string mapMeaning() const override;
  std::string kernelText() const override { return "sums over the tokens"; }
  void setGrid(const Grid&) override {}  // nothing here has a place
  void setKept(const at::Tensor&) override {}

 protected:
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values) override;
  at::Tensor map(const at::Tensor& keys) override;

 private:
  int m_heads;
};

}  // namespace headlight
