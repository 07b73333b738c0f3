// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// AFT-conv, the Attention Free Transformer with position biases that are shared over the image
// (Zhai et al. 2021, Eq. 6, 8, 9, 10).

#include "core/attention/aft/AftAttention.h"

namespace headlight {

/// Eq. 6 without the query gate, on patches (row-major) behind prefix tokens; per head
///   [ conv(e^K ⊙ V, e^w − 1) + Σ e^K ⊙ V ] / [ conv(e^K, e^w − 1) + Σ e^K ],
/// sums over all tokens. keys [B, T, h], values [B, T, D], bias w [h, s, s]. The convolution
/// reaches patches only and ends at the edge of the grid; prefix tokens take part in the sums alone
/// and get the sums alone. Without `global` w is −∞ outside the kernel: a patch sees its window and
/// the prefix tokens. Time and memory are linear in the tokens.
at::Tensor aftConvContext(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& bias,
                          const Grid& grid, bool global = true);

/// The same as weights [B, h, T, T] whose product with the values is aftConvContext: the implicit
/// attention of Eq. 3 without the query gate, equal for all features of a head. For the tap.
at::Tensor aftConvMap(const at::Tensor& keys, const at::Tensor& bias, const Grid& grid,
                      bool global = true);

/// Eq. 8 for each head of w [h, s, s]: gain · (w − mean)/std + shift, mean and population deviation
/// over its taps.
at::Tensor reparametrized(const at::Tensor& bias, const at::Tensor& gain, const at::Tensor& shift);

/// Eq. 9: the entropy of softmax(w) over the taps of a head, summed over heads, in nats.
at::Tensor biasEntropy(const at::Tensor& bias);

/// Eq. 10: w times a sample of the Gumbel softmax over its taps, or (`hard`) times the one-hot of
/// its maximum.
at::Tensor gumbelSparse(const at::Tensor& bias, double temperature, bool hard);

struct AftConvOptions {
  int kernel = 11;
  bool reparametrize = true;
  bool query = true;
  bool global = true;
  double entropyPenalty = 0.0;
  bool gumbel = false;
  double gumbelTemperature = 0.5;
};

/// `heads` kernels of s × s taps, and as many columns of K. position_bias [h, s, s] from
/// N(0, 0.01²); with the reparametrization position_gain and position_shift [h], which begin at 0.
/// Nothing here knows the size of the image.
class AftConv : public AftAttention {
 public:
  explicit AftConv(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);

  std::string mapMeaning() const override;
  std::string kernelText() const override {
    return "depthwise convolution and sums over the tokens";
  }
  void setGrid(const Grid& grid) override { m_grid = grid; }
  /// The entropy penalty of Eq. 9, where it has a weight.
  at::Tensor auxiliaryLoss() override;
  /// w [h, s, s] after Eq. 8 and, hard, Eq. 10.
  at::Tensor positionBias() const;
  std::vector<MechanismPlotInfo> mechanismPlots() const override;
  MechanismPlotAnswer mechanismPlot(const std::string& name,
                                    const MechanismPlotQuery& question) override;

 protected:
  at::Tensor context(const at::Tensor& keys, const at::Tensor& values) override;
  at::Tensor map(const at::Tensor& keys) override;
  /// The features of a head have the map in common as it is.
  std::string gradientNote() const override { return {}; }

 private:
  AftConv(const AttentionOptions& options, const AftConvOptions& own);
  at::Tensor denseBias() const;  ///< before Eq. 10

  AftConvOptions m_own;
  Grid m_grid;
  at::Tensor m_bias, m_gain, m_shift;  ///< gain and shift undefined without the reparametrization
};

}  // namespace headlight
