// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/FocusedLinear.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

constexpr double kAboveZero = 1e-6;  // as the authors have it
// Of the longest query times the longest key: below, rounding is all that is left of the products.
constexpr double kSharesNothing = 1e-6;

FocusedLinearOptions focusedOptions(const AttentionOptions& options) {
  return convolvedOptions<FocusedLinearOptions>(FocusedLinear::optionTable(), options);
}

/// Over the greatest number of `dims`, as a constant.
at::Tensor overLongest(const at::Tensor& x, at::IntArrayRef dims) {
  return x / x.detach().amax(dims, /*keepdim=*/true);
}

FactoredParts focusedParts(const AttentionOptions& options) {
  return {.convolution = "dwc",
          .filters = {options.width / options.heads, focusedOptions(options).convolution}};
}

}  // namespace

at::Tensor focused(const at::Tensor& x, double power) {
  // Over the largest first: small numbers have no powers in float32. No factor of a row changes
  // the result, nor its gradient.
  const at::Tensor raised = (x / x.detach().amax({-1}, /*keepdim=*/true)).pow(power);
  return x.norm(2, {-1}, /*keepdim=*/true) / raised.norm(2, {-1}, /*keepdim=*/true) * raised;
}

const ParameterTable& FocusedLinear::optionTable() {
  using O = FocusedLinearOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .number(&O::focus, "focus", 1, 16,
                  "Power p of the focused function, which keeps a vector's norm; 1: ReLU alone.")
          .integer(&O::convolution, "convolution", 1, 63,
                   "Side of the depthwise convolution of the values, in patches (odd).")
          .build();
  return table;
}

FocusedLinear::FocusedLinear(const AttentionOptions& options)
    : FactoredAttention(options, focusedParts(options)), m_power(focusedOptions(options).focus) {}

void FocusedLinear::count(CostCounter& counter, const AttentionOptions& options) {
  countParts(counter, options, focusedParts(options));
}

KernelFeatures FocusedLinear::features(const at::Tensor& q, const at::Tensor& k) const {
  // Of a query's length, and of that of a head's longest key, nothing is in the result: without
  // them what ReLU leaves of few features does not vanish in the sums.
  const at::Tensor query = overLongest(focused(q.relu() + kAboveZero, m_power), {-1}),
                   key = overLongest(focused(k.relu() + kAboveZero, m_power), {-2, -1});
  const at::Tensor total = key.sum(-2, /*keepdim=*/true);
  const at::Tensor sums = at::matmul(query, total.transpose(-2, -1));
  const at::Tensor lost = sums.detach() < kSharesNothing;
  return {at::where(lost, at::ones_like(query) / total.sum(-1, /*keepdim=*/true),
                    query / sums.clamp_min(kSharesNothing)),
          key};
}

std::string FocusedLinear::mapMeaning() const {
  return "Focused linear attention: products of focused queries and keys over their sum; each row "
         "sums to 1. The convolution of the values is not in it.";
}

}  // namespace headlight
