// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The Linear Transformer ("Transformers are RNNs", Katharopoulos et al. 2020): a baseline of AFT's
// Table 4.

#include "core/attention/linear/FeatureMapAttention.h"

namespace headlight {

/// Eq. 7: elu(x) + 1, which is x + 1 above 0 and e^x below.
at::Tensor eluFeatures(const at::Tensor& x);

/// The mechanism `linear_transformer`.
class LinearTransformer : public FeatureMapAttention {
 public:
  explicit LinearTransformer(const AttentionOptions& options) : FeatureMapAttention(options) {}
  static void count(CostCounter& counter, const AttentionOptions& options);
  std::string mapMeaning() const override;

 private:
  at::Tensor queryFeatures(const at::Tensor& queries) override { return eluFeatures(queries); }
  at::Tensor keyFeatures(const at::Tensor& keys) override { return eluFeatures(keys); }
};

}  // namespace headlight
