// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/base/AdaptableLinear.h"

#include <ATen/ATen.h>

#include "core/attention/base/RowDropout.h"
#include "core/attention/base/UniformStart.h"

namespace headlight {
namespace {

/// Zeros [.., rows] like `sum` [.., other].
at::Tensor zeroOutputs(const at::Tensor& sum, std::int64_t rows) {
  auto shape = sum.sizes().vec();
  shape.back() = rows;
  return sum.new_zeros(shape);
}

}  // namespace

LowRank::LowRank(const at::Tensor& weight, std::int64_t first, std::int64_t rows,
                 const LowRankOptions& options)
    : m_first(first), m_dropout(options.dropout) {
  const auto own = weight.options().requires_grad(false);
  m_down = register_parameter("down", at::zeros({options.rank, weight.size(1)}, own));
  m_up = register_parameter("up", at::zeros({rows, options.rank}, own));
  m_scale = register_buffer("scale", at::full({}, options.scale, own));
  register_buffer("first", at::full({}, first, own.dtype(at::kLong)));
}

void LowRank::initialize(std::uint64_t key) {
  startUniformly(m_down, key);
}

at::Tensor LowRank::forward(const at::Tensor& x) {
  const at::Tensor seen = is_training() ? rowDropout(x, m_dropout) : x;
  return at::linear(at::linear(seen, m_down), m_up) * m_scale;
}

std::shared_ptr<LowRank> AdaptableLinearImpl::adapt(const std::string& part, std::int64_t first,
                                                    std::int64_t rows,
                                                    const LowRankOptions& options) {
  m_additions.push_back(
      register_module("lora_" + part, std::make_shared<LowRank>(weight, first, rows, options)));
  m_additions.back()->train(is_training());
  return m_additions.back();
}

at::Tensor AdaptableLinearImpl::adapted(const at::Tensor& products, const at::Tensor& x) {
  if (m_additions.empty()) return products;
  std::vector<at::Tensor> pieces;
  std::int64_t next = 0;
  for (const auto& addition : m_additions) {
    const at::Tensor sum = addition->forward(x);
    if (addition->first() > next) pieces.push_back(zeroOutputs(sum, addition->first() - next));
    pieces.push_back(sum);
    next = addition->first() + addition->rows();
  }
  if (next < products.size(-1))
    pieces.push_back(zeroOutputs(pieces.back(), products.size(-1) - next));
  return products + (pieces.size() == 1 ? pieces.front() : at::cat(pieces, -1));
}

}  // namespace headlight
