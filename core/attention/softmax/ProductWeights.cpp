// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/ProductWeights.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/base/QueryKeyCapture.h"

namespace headlight {
namespace {

/// Masks as factors of weights: what a softmax makes of d·ln γ is γ^d.
HeadLogits asFactors(HeadLogits rules) {
  for (std::size_t h = 0; h < rules.rules.size(); ++h)
    if (rules.rules[h] == LogitRule::Add) {
      rules.masks[h] = rules.masks[h].exp();
      rules.rules[h] = LogitRule::Multiply;
    }
  std::replace(rules.rules.begin(), rules.rules.end(), LogitRule::Forbid, LogitRule::Multiply);
  return rules;
}

}  // namespace

at::Tensor productWeights(const at::Tensor& logits, const HeadLogits& rules) {
  const at::Tensor products = finalLogits(logits, asFactors(rules));
  return products / at::norm(products, 2, {-1}, /*keepdim=*/true).clamp_min(kLeastRowSum);
}

AttentionOutput productAttention(const HeadInputs& inputs, const HeadLogits& rules, bool wantMap) {
  const Float32Scope exact;
  const at::Tensor q = inFloat32(inputs.part(0)), k = inFloat32(inputs.part(1)),
                   v = inFloat32(inputs.part(2));
  if (QueryKeyHook::wanted()) QueryKeyHook::notify(q, k);
  const double scale = 1 / std::sqrt(static_cast<double>(inputs.keyWidth));
  const at::Tensor a = productWeights(q.matmul(k.transpose(-2, -1)) * scale, rules);
  const at::Tensor output = a.matmul(v).transpose(1, 2).flatten(2);
  return {output, wantMap ? a.detach() : at::Tensor()};
}

}  // namespace headlight
