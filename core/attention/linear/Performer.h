// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Performer (Choromanski et al. 2021): softmax attention by random features, in linear time. A
// baseline of AFT's Table 4.

#include "core/attention/linear/FeatureMapAttention.h"
#include "core/attention/linear/RandomFeatures.h"

namespace headlight {

struct PerformerOptions {
  int features = 0;
  int redraws = 0;
  int featureSeed = 0;
};

/// Features of queries, each row less its greatest exponent, and of keys, all of a head less theirs:
/// what cancels in the weights.
at::Tensor performerQueries(const at::Tensor& queries, const at::Tensor& vectors);
at::Tensor performerKeys(const at::Tensor& keys, const at::Tensor& vectors);

/// The mechanism `performer`. All heads of a layer have the same vectors.
class Performer : public FeatureMapAttention {
 public:
  explicit Performer(const AttentionOptions& options);
  static const ParameterTable& optionTable();
  static void count(CostCounter& counter, const AttentionOptions& options);
  std::string mapMeaning() const override;
  void setProgress(double fraction) override { m_features.setProgress(fraction); }
  /// "draw": which of them, where vectors are drawn anew.
  std::vector<std::pair<std::string, double>> readings() const override;

 private:
  at::Tensor queryFeatures(const at::Tensor& queries) override;
  at::Tensor keyFeatures(const at::Tensor& keys) override;

  bool m_redrawn;
  RandomFeatures m_features;
};

}  // namespace headlight
