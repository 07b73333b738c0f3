// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/CausalConv.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/attention/aft/AftConv.h"
#include "core/attention/aft/CausalSums.h"
#include "core/attention/base/HeadWidths.h"
#include "core/attention/base/TokenPairLimit.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Blocks of fewer rows make small products of many.
constexpr std::int64_t kLeastBlockRows = 64;
constexpr double kUnconnected = -std::numeric_limits<double>::infinity();

/// How many tokens each of `rows` lies behind each of `columns`, and whether a tap does so.
struct TapsBack {
  at::Tensor tap, exists;
};
TapsBack tapsBack(const at::Tensor& rows, const at::Tensor& columns, std::int64_t taps) {
  const at::Tensor back = rows.unsqueeze(1) - columns.unsqueeze(0);
  return {back.clamp(0, taps - 1), back.ge(0) & back.lt(taps)};
}

/// `filter` [h, s] for every pair: [h, rows, columns], `elsewhere` where there is no tap.
at::Tensor spreadTaps(const at::Tensor& filter, const TapsBack& places, double elsewhere) {
  return filter.index_select(1, places.tap.flatten())
      .view({filter.size(0), places.tap.size(0), places.tap.size(1)})
      .masked_fill(places.exists.logical_not(), elsewhere);
}

/// Σ_j filter[h, j] · x[h, t − j]: filter [h, s], x [h, T, C] → [h, T, C], by products of blocks of
/// rows with the block before and their own.
at::Tensor causalTaps(const at::Tensor& filter, const at::Tensor& x) {
  const std::int64_t heads = x.size(0), length = x.size(1), columns = x.size(2);
  const std::int64_t rows = std::min(std::max(filter.size(1), kLeastBlockRows), length);
  const std::int64_t count = (length + rows - 1) / rows, whole = count * rows;
  const at::Tensor padded = at::constant_pad_nd(x, {0, 0, rows, whole - length});
  const auto blocks = [&](std::int64_t first) {
    return padded.slice(1, first, first + whole).reshape({heads, count, rows, columns});
  };
  const at::Tensor pairs = at::cat({blocks(0), blocks(rows)}, 2)
                               .transpose(1, 2)
                               .reshape({heads, 2 * rows, count * columns});
  const at::Tensor place = at::arange(2 * rows, at::device(x.device()).dtype(at::kLong));
  const at::Tensor matrix =
      spreadTaps(filter, tapsBack(place.slice(0, rows), place, filter.size(1)), 0);
  return matrix.bmm(pairs)
      .view({heads, rows, count, columns})
      .transpose(1, 2)
      .reshape({heads, whole, columns})
      .slice(1, 0, length);
}

}  // namespace

void checkCausalConv(const CausalConvOptions& options) {
  requireHeadsDivide(options.heads, options.width);
  if (options.window < 1)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("must be at least 1: a convolution has a tap; aft_simple has none"),
                   "model.window"});
  const std::int64_t taps = std::min(options.window, options.length);
  requireTokenPairsFit(taps, 2 * taps, "model.window", "use a smaller window");
}

at::Tensor causalConvContext(const at::Tensor& keys, const at::Tensor& values,
                             const at::Tensor& bias) {
  const std::int64_t sequences = keys.size(0), length = keys.size(1), heads = keys.size(2),
                     each = values.size(2) / heads, taps = std::min(bias.size(1), length);
  // e^K ⊙ V and, as one more feature of every head, e^K: [h, T, B · (D/h + 1)].
  const at::Tensor weights = aftCausalKeyWeights(keys).unsqueeze(-1);
  const at::Tensor terms =
      at::cat({weights * values.reshape({sequences, length, heads, each}), weights}, -1)
          .permute({2, 1, 0, 3})
          .reshape({heads, length, sequences * (each + 1)});
  const at::Tensor w = bias.slice(1, 0, taps);
  // Scaled by the greatest of the head, of which the 0 of the far tokens is one.
  const at::Tensor greatest = w.detach().amax(1, /*keepdim=*/true).clamp_min(0);
  const at::Tensor near = causalTaps((w - greatest).exp(), terms);
  const at::Tensor far = at::constant_pad_nd(terms.cumsum(1), {0, 0, taps, 0}).slice(1, 0, length);
  const at::Tensor sums = (near + (-greatest).exp().unsqueeze(-1) * far)
                              .view({heads, length, sequences, each + 1})
                              .permute({2, 1, 0, 3});
  // Sums of weights may underflow where K spans more than a float's range: 0, not NaN.
  return (sums.narrow(-1, 0, each) /
          sums.narrow(-1, each, 1).clamp_min(std::numeric_limits<float>::min()))
      .reshape({sequences, length, values.size(2)});
}

CausalConv::CausalConv(const CausalConvOptions& options) : m_options(options) {
  checkCausalConv(options);
  const std::int64_t width = options.width, heads = options.heads;
  {
    const at::NoGradGuard noGrad;
    m_bias =
        register_parameter("position_bias", at::empty({heads, options.window}).normal_(0, 0.01));
  }
  if (options.reparametrize) {
    m_gain = register_parameter("position_gain", at::zeros({heads}));
    m_shift = register_parameter("position_shift", at::zeros({heads}));
  }
  if (options.query) m_query = register_module("q", torch::nn::Linear(width, width));
  m_key = register_module("k", torch::nn::Linear(width, heads));
  m_value = register_module("v", torch::nn::Linear(width, width));
  m_proj = register_module("proj", torch::nn::Linear(width, width));
}

at::Tensor CausalConv::filter() const {
  if (!m_gain.defined()) return m_bias;
  return reparametrized(m_bias.unsqueeze(1), m_gain, m_shift).squeeze(1);
}

at::Tensor CausalConv::gated(const at::Tensor& tokens, const at::Tensor& reduced) {
  return m_proj(m_query ? m_query(tokens).sigmoid() * reduced : reduced);
}

at::Tensor CausalConv::forward(const at::Tensor& tokens) {
  return gated(tokens, causalConvContext(m_key(tokens), m_value(tokens), filter()));
}

at::Tensor CausalConv::map(const at::Tensor& tokens) {
  const at::NoGradGuard noGrad;
  const std::int64_t length = tokens.size(1);
  const at::Tensor place = at::arange(length, at::device(tokens.device()).dtype(at::kLong));
  const at::Tensor later =
      at::ones({length, length}, at::device(tokens.device()).dtype(at::kBool)).triu(1);
  const at::Tensor w = spreadTaps(filter(), tapsBack(place, place, m_bias.size(1)), 0)
                           .masked_fill(later, kUnconnected);
  return (m_key(tokens).transpose(1, 2).unsqueeze(2) + w).softmax(-1);
}

std::string CausalConv::mapMeaning() const {
  return "Implicit attention of AFT-conv (Eq. 3), causal and without its query gate, the same for "
         "every feature of a head. Each row sums to 1 over the position itself and those before "
         "it.";
}

at::Tensor CausalConv::step(const at::Tensor& token, CausalState& state) {
  requireRoom(state, m_options.length);
  const std::int64_t sequences = token.size(0), heads = m_options.heads;
  const at::Tensor key = m_key(token).unsqueeze(-1);                        // [B, h, 1]
  const at::Tensor value = m_value(token).reshape({sequences, heads, -1});  // [B, h, D/h]
  return gated(token, advance(key, value, state).flatten(1));
}

void CausalConv::beginState(const at::Tensor& key, const at::Tensor& value,
                            CausalState& state) const {
  const std::int64_t room = std::min(m_options.window, m_options.length);
  state.maximum = at::full_like(key, kUnconnected);
  state.weights = at::zeros_like(key);
  state.weighted = at::zeros_like(value);
  state.keys = at::empty({room, key.size(0), key.size(1), 1}, key.options());
  state.values = at::empty({room, value.size(0), value.size(1), value.size(2)}, value.options());
}

/// The context of the new token: those under the taps one by one, the rest by their sums. All
/// exponents are taken less their maximum per head.
at::Tensor CausalConv::advance(const at::Tensor& key, const at::Tensor& value,
                               CausalState& state) const {
  const std::int64_t position = state.position++;
  if (position == 0) beginState(key, value, state);
  const std::int64_t room = state.keys.size(0), place = position % room,
                     near = std::min(position + 1, room);
  if (position >= room)  // leaves the taps
    addFar(state, state.keys.select(0, place).clone(), state.values.select(0, place).clone());
  state.keys.select(0, place).copy_(key);
  state.values.select(0, place).copy_(value);

  // How far back what stands at each place of the ring is.
  const at::Tensor back =
      at::remainder(position - at::arange(near, at::device(key.device()).dtype(at::kLong)), room);
  const at::Tensor w = filter().index_select(1, back).t().reshape({near, 1, -1, 1});
  const at::Tensor exponents = state.keys.slice(0, 0, near) + w;
  const at::Tensor maximum = at::maximum(exponents.amax(0), state.maximum);
  const at::Tensor weights = (exponents - maximum).exp();
  const at::Tensor far = (state.maximum - maximum).exp();
  return ((weights * state.values.slice(0, 0, near)).sum(0) + far * state.weighted) /
         (weights.sum(0) + far * state.weights);
}

}  // namespace headlight
