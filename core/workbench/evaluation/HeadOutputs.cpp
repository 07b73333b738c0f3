// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/HeadOutputs.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <utility>

namespace headlight {
namespace {

constexpr double kNoOutputs = std::numeric_limits<double>::quiet_NaN();

double effectiveRank(const at::Tensor& outputs) {
  const at::Tensor sizes = at::linalg_svdvals(outputs.to(at::kCPU, at::kDouble));
  const double sum = sizes.sum().item<double>();
  if (!(sum > 0)) return kNoOutputs;
  const at::Tensor shares = (sizes / sum).clamp_min(1e-300);
  return std::exp(-(shares * shares.log()).sum().item<double>());
}

}  // namespace

bool areWeighedValues(const std::vector<WeighedValues>& products, const at::Tensor& outputs,
                      int heads) {
  const bool plain = products.size() == 1 && products[0].values.defined() &&
                     products[0].weights.size(0) == outputs.size(0) &&
                     products[0].weights.size(1) == heads;
  if (!plain) return false;
  const at::Tensor& given = products[0].mixed;  // [B, H, T, e], or side by side already
  const at::Tensor mixed = given.dim() == 4 ? given.transpose(1, 2).flatten(2) : given;
  return mixed.sizes() == outputs.sizes() && at::equal(mixed, outputs);
}

std::vector<double> medianValueNorms(const at::Tensor& values, int heads) {
  std::vector<double> medians(static_cast<std::size_t>(heads), kNoOutputs);
  if (!values.defined()) return medians;
  const at::Tensor norms = values.to(at::kDouble).norm(2, {-1});  // [H, T]
  for (std::int64_t h = 0; h < heads && h < norms.size(0); ++h)
    medians[static_cast<std::size_t>(h)] = norms[h].median().item<double>();
  return medians;
}

std::vector<double> outputRanks(const at::Tensor& outputs, int heads) {
  std::vector<double> ranks(static_cast<std::size_t>(heads), kNoOutputs);
  if (!outputs.defined()) return ranks;
  const at::Tensor byHead = outputs.reshape({outputs.size(0), heads, -1});
  for (int h = 0; h < heads; ++h)
    ranks[static_cast<std::size_t>(h)] = effectiveRank(byHead.select(1, h));
  return ranks;
}

void HeadOutputsHook::follow(int, FollowedMap map) {
  m_products = std::move(map.products);
}

at::Tensor HeadOutputsHook::heads(const at::Tensor& given) {
  outputs = given.detach();
  if (areWeighedValues(m_products, given, m_heads)) values = m_products[0].values.detach();
  m_products.clear();
  return given;
}

}  // namespace headlight
