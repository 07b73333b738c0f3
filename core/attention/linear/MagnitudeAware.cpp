// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/MagnitudeAware.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/kernels/heads/HeadLogits.h"

namespace headlight {
namespace {

MagnitudeAwareOptions magnitudeOptions(const AttentionOptions& options) {
  return convolvedOptions<MagnitudeAwareOptions>(MagnitudeAware::optionTable(), options);
}

FactoredParts magnitudeParts(const AttentionOptions& options) {
  const MagnitudeAwareOptions own = magnitudeOptions(options);
  return {.convolution = "lepe",
          .filters = {options.width, own.convolution},
          .modulated = own.modulation,
          .constantFeatures = 1};
}

}  // namespace

const ParameterTable& MagnitudeAware::optionTable() {
  using O = MagnitudeAwareOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(&O::scaling, "scaling", {"released", "literal"},
                  "Scale of the similarities: divided by tokens times the root of the head width, "
                  "as released, or none, as in the paper.")
          .boolean(&O::modulation, "modulation",
                   "Multiply the output by a linear map of the tokens.")
          .integer(&O::convolution, "convolution", 1, 63,
                   "Side of the depthwise convolution of the values (LePE), in patches (odd).")
          .build();
  return table;
}

MagnitudeAware::MagnitudeAware(const AttentionOptions& options)
    : FactoredAttention(options, magnitudeParts(options)),
      m_literal(magnitudeOptions(options).scaling == "literal") {}

void MagnitudeAware::count(CostCounter& counter, const AttentionOptions& options) {
  countParts(counter, options, magnitudeParts(options));
}

/// βs − γ as features: (βcφ(Q), −γ) times (φ(K), 1).
KernelFeatures MagnitudeAware::features(const at::Tensor& q, const at::Tensor& k) const {
  const double tokens = static_cast<double>(k.size(-2)),
               scale =
                   m_literal ? 1.0 : 1.0 / (tokens * std::sqrt(static_cast<double>(q.size(-1))));
  const at::Tensor query = (at::elu(q) + 1) * scale, key = at::elu(k) + 1;
  const at::Tensor sums = at::matmul(query, key.sum(-2, /*keepdim=*/true).transpose(-2, -1));
  return {at::cat({query * (1 + 1 / sums.clamp_min(kLeastRowSum)), -sums / tokens}, -1),
          at::cat({key, at::ones_like(sums)}, -1)};
}

std::string MagnitudeAware::mapMeaning() const {
  return "Magnitude-aware linear attention: similarities times β minus γ, signed; each row sums to "
         "1. The convolution of the values and what multiplies the output are not in it.";
}

}  // namespace headlight
