// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/CausalAft.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "core/attention/aft/AftAttention.h"
#include "core/attention/aft/CausalBand.h"
#include "core/attention/aft/CausalSums.h"
#include "core/attention/base/TokenPairLimit.h"
#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kPositionDeviation = 0.01;  // "N(0, 10⁻²)" of §5.1

}  // namespace

void checkCausalAft(const CausalAftOptions& options) {
  const std::string& name = options.mechanism;
  if (name == "aft_simple") return;
  if (name == "aft_local" && options.factorized && options.window <= 0) return;  // runs as that
  if (name != "aft_full" && name != "aft_local")
    throw Failure({ErrorCode::InvalidConfig,
                   "\"" + name + tr("\" is none of aft_full, aft_local and aft_simple"),
                   "model.mechanism"});
  const bool banded = name == "aft_local" && options.factorized;
  const std::int64_t columns =
      banded ? std::min(2 * options.window, options.length) : options.length;
  requireTokenPairsFit(options.length, columns, "model.mechanism",
                       "use shorter sequences (data.image_size, model.length), aft_simple, or "
                       "aft_local with factorized biases and a small window");
}

CausalAft::CausalAft(const CausalAftOptions& options) : m_options(options) {
  checkCausalAft(options);
  const std::int64_t width = options.width, length = options.length;
  const auto drawn = [&](const char* name, std::int64_t columns) {
    const at::NoGradGuard noGrad;
    return register_parameter(name, at::empty({length, columns}).normal_(0, kPositionDeviation));
  };
  if (options.mechanism != "aft_simple") {
    if (options.factorized) {
      m_u = drawn("position_u", options.rank);
      m_v = drawn("position_v", options.rank);
    } else {
      m_bias = drawn("position_bias", length);
    }
  }
  if (options.query) m_query = register_module("q", torch::nn::Linear(width, width));
  m_key = register_module("k", torch::nn::Linear(width, width));
  m_value = register_module("v", torch::nn::Linear(width, width));
  m_proj = register_module("proj", torch::nn::Linear(width, width));
}

at::Tensor CausalAft::positionBias(std::int64_t length) const {
  if (!biased()) return {};
  const at::Tensor bias = m_bias.defined()
                              ? m_bias.slice(0, 0, length).slice(1, 0, length)
                              : m_u.slice(0, 0, length).mm(m_v.slice(0, 0, length).t());
  // Eq. 4 keeps w where |t − t'| < window; what lies after t is none of ours.
  return m_options.mechanism == "aft_local" ? bias.triu(1 - m_options.window) : bias;
}

at::Tensor CausalAft::context(const at::Tensor& keys, const at::Tensor& values) const {
  const std::int64_t length = keys.size(1), window = m_options.window;
  const bool banded = m_options.mechanism == "aft_local" && m_u.defined();
  if (banded && window <= 0) {
    // Eq. 4 keeps no w: Eq. 5. Sums over no rows, so that u and v have the gradient 0, not none.
    const at::Tensor nothing = m_u.slice(0, 0, 0).sum() + m_v.slice(0, 0, 0).sum();
    return aftContext(keys + nothing, values, {}, AftOrder::Causal);
  }
  if (banded && 2 * window < length)
    return causalBandContext(keys, values, m_u.slice(0, 0, length), m_v.slice(0, 0, length),
                             window);
  return aftContext(keys, values, positionBias(length), AftOrder::Causal);
}

at::Tensor CausalAft::forward(const at::Tensor& tokens) {
  const at::Tensor reduced = context(m_key(tokens), m_value(tokens));
  return m_proj(m_query ? m_query(tokens).sigmoid() * reduced : reduced);
}

at::Tensor CausalAft::step(const at::Tensor& token, CausalState& state) {
  requireRoom(state, m_options.length);
  const at::Tensor reduced = advance(m_key(token), m_value(token), state);
  return m_proj(m_query ? m_query(token).sigmoid() * reduced : reduced);
}

at::Tensor CausalAft::map(const at::Tensor& tokens) {
  const at::NoGradGuard noGrad;
  const std::int64_t length = tokens.size(1);
  const at::Tensor bias =
      biased() ? positionBias(length) : at::zeros({length, length}, tokens.options());
  const at::Tensor later = at::ones_like(bias, at::kBool).triu(1);
  return aftMap(m_key(tokens), bias.masked_fill(later, -std::numeric_limits<double>::infinity()),
                /*heads=*/1);
}

std::string CausalAft::mapMeaning() const {
  return "Implicit attention of AFT (Eq. 3), causal and without its query gate: the weights of "
         "each feature's mean, averaged over all features. Each row sums to 1 over the position "
         "itself and those before it.";
}

std::int64_t CausalAft::remembered() const {
  if (!biased()) return 0;
  if (m_options.mechanism == "aft_full") return m_options.length;
  return std::min(m_options.window, m_options.length);
}

/// w of `position` with the tokens first … position, [position − first + 1].
at::Tensor CausalAft::biasRow(std::int64_t position, std::int64_t first) const {
  if (m_bias.defined()) return m_bias.select(0, position).slice(0, first, position + 1);
  return m_v.slice(0, first, position + 1).mv(m_u.select(0, position));
}

/// The context of Eq. 2 of the new token: those near it one by one, the rest by their sums, where
/// e^w is 1. All exponents are taken less their maximum per feature.
at::Tensor CausalAft::advance(const at::Tensor& key, const at::Tensor& value,
                              CausalState& state) const {
  const std::int64_t room = remembered(), position = state.position++;
  if (position == 0) {
    state.maximum = at::full_like(key, -std::numeric_limits<double>::infinity());
    state.weights = at::zeros_like(key);
    state.weighted = at::zeros_like(key);
    if (room > 0) {
      state.keys = at::empty({room, key.size(0), key.size(1)}, key.options());
      state.values = at::empty_like(state.keys);
    }
  }
  if (room == 0) {
    addFar(state, key, value);
    return state.weighted / state.weights;
  }
  const std::int64_t place = position % room,
                     first = std::max<std::int64_t>(0, position - room + 1);
  if (position >= room)  // leaves the window
    addFar(state, state.keys.select(0, place).clone(), state.values.select(0, place).clone());
  state.keys.select(0, place).copy_(key);
  state.values.select(0, place).copy_(value);

  at::Tensor row = biasRow(position, first);
  // Tokens first … position as the ring has them: turned by first mod room once it is full.
  const std::int64_t near = position - first + 1;
  if (near == room) row = row.roll({first % room}, {0});
  const at::Tensor exponents = state.keys.slice(0, 0, near) + row.view({near, 1, 1});
  const at::Tensor maximum = at::maximum(exponents.amax(0), state.maximum);
  const at::Tensor weights = (exponents - maximum).exp();
  const at::Tensor far = (state.maximum - maximum).exp();
  return ((weights * state.values.slice(0, 0, near)).sum(0) + far * state.weighted) /
         (weights.sum(0) + far * state.weights);
}

}  // namespace headlight
