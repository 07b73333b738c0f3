// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/heads/HeadLogits.h"

#include <ATen/ATen.h>

#include <limits>

namespace headlight {
namespace {

constexpr double kForbidden = -std::numeric_limits<double>::infinity();

}  // namespace

bool HeadLogits::requiresGrad() const {
  for (const at::Tensor* tensor : {&alpha, &factor, &bias, &weightFactor, &rowTerms, &colTerms})
    if (tensor->defined() && tensor->requires_grad()) return true;
  return false;
}

at::Tensor maskedLogits(const at::Tensor& logits, const HeadLogits& rules) {
  std::vector<at::Tensor> heads;
  for (std::size_t h = 0; h < rules.rules.size(); ++h) {
    const at::Tensor s = logits.select(1, static_cast<std::int64_t>(h));
    const at::Tensor& m = rules.masks[h];
    switch (rules.rules[h]) {
      case LogitRule::Keep:
        heads.push_back(s);
        break;
      case LogitRule::Multiply:
        heads.push_back(s * m);
        break;
      case LogitRule::Blend:
        heads.push_back(s * (m + rules.alpha[static_cast<std::int64_t>(h)] * (1 - m)));
        break;
      case LogitRule::Forbid:
        heads.push_back(s.masked_fill(m == 0, kForbidden));
        break;
      case LogitRule::Add:
        heads.push_back(s + m);
        break;
    }
  }
  return at::stack(heads, 1);
}

at::Tensor finalLogits(const at::Tensor& logits, const HeadLogits& rules) {
  at::Tensor s = logits;
  if (rules.factor.defined()) s = s * rules.factor;
  if (rules.bias.defined()) s = s + rules.bias;
  if (rules.rowTerms.defined())
    s = s + (rules.rowTerms.unsqueeze(-1) + rules.colTerms.unsqueeze(-2)).flatten(-2);
  if (rules.anyMasked()) s = maskedLogits(s, rules);
  if (!rules.apart.defined()) return s;
  const auto groups = rules.apart.size(0);
  return s.view({-1, groups, s.size(1), s.size(2), s.size(3)})
      .masked_fill(rules.apart.unsqueeze(1), kForbidden)
      .view_as(s);
}

at::Tensor headWeights(const at::Tensor& logits, const HeadLogits& rules) {
  at::Tensor weights = finalLogits(logits, rules).softmax(-1);
  if (rules.dropsWeights()) return weights * weights.detach().gt(rules.leastWeight);
  if (!rules.weightFactor.defined()) return weights;
  const at::Tensor scaled = weights * rules.weightFactor;
  return scaled / at::norm(scaled, 1, {-1}, /*keepdim=*/true).clamp_min(kLeastRowSum);
}

}  // namespace headlight
