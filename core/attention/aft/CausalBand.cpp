// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/CausalBand.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/attention/aft/AftAttention.h"

namespace headlight {
namespace {

/// Rows [T, C] as overlapping blocks [n, 2 window, C]: block i has the rows (i − 1) window to
/// (i + 1) window − 1, zeros where there are none.
at::Tensor overlappingBlocks(const at::Tensor& rows, std::int64_t count, std::int64_t window) {
  const std::int64_t whole = count * window, columns = rows.size(1);
  const at::Tensor padded = at::constant_pad_nd(rows, {0, 0, window, whole - rows.size(0)});
  const auto blocks = [&](std::int64_t first) {
    return padded.slice(0, first, first + whole).view({count, window, columns});
  };
  return at::cat({blocks(0), blocks(window)}, 1);
}

/// [window, 2 window]: whether column c of a block, the token (i − 1) window + c, is less than
/// `window` tokens before its row r, the token i window + r, or that itself.
at::Tensor bandOf(std::int64_t window, at::Device device) {
  const at::Tensor all =
      at::ones({window, 2 * window}, at::TensorOptions(at::kBool).device(device));
  return all.triu(1).logical_and(all.tril(window));
}

}  // namespace

at::Tensor causalBandContext(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& u,
                             const at::Tensor& v, std::int64_t window) {
  const std::int64_t sequences = keys.size(0), length = keys.size(1), width = keys.size(2);
  const std::int64_t count = (length + window - 1) / window, whole = count * window;
  const at::Tensor weights = aftCausalKeyWeights(keys);
  // Σ e^K V and Σ e^K side by side, [T, B · 2D].
  const at::Tensor sums = at::cat({weights * values, weights}, 2)
                              .transpose(0, 1)
                              .reshape({length, sequences * 2 * width});
  const at::Tensor far = at::constant_pad_nd(sums.cumsum(0), {0, 0, window, 0}).slice(0, 0, length);

  const at::Tensor queries =
      at::constant_pad_nd(u, {0, 0, 0, whole - length}).view({count, window, u.size(1)});
  const at::Tensor bias = queries.bmm(overlappingBlocks(v, count, window).transpose(1, 2))
                              .masked_fill(bandOf(window, keys.device()).logical_not(),
                                           -std::numeric_limits<double>::infinity());
  // Scaled by the greatest of the row, of which the 0 of the far tokens is one.
  const at::Tensor greatest = bias.detach().amax(2, /*keepdim=*/true).clamp_min(0);
  const at::Tensor near = (bias - greatest)
                              .exp()
                              .bmm(overlappingBlocks(sums, count, window))
                              .view({whole, sequences * 2 * width})
                              .slice(0, 0, length);
  const at::Tensor share = (-greatest).exp().view({whole, 1}).slice(0, 0, length);
  const at::Tensor total =
      (near + share * far).view({length, sequences, 2 * width}).transpose(0, 1);
  // Sums of weights may underflow where K spans more than a float's range: 0, not NaN.
  return total.slice(2, 0, width) /
         total.slice(2, width).clamp_min(std::numeric_limits<float>::min());
}

}  // namespace headlight
