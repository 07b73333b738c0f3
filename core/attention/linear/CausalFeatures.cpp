// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/CausalFeatures.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/attention/base/HeadWidths.h"
#include "core/attention/linear/FeatureMapAttention.h"
#include "core/attention/linear/LinearTransformer.h"
#include "core/attention/linear/Performer.h"

namespace headlight {
namespace {

constexpr std::int64_t kPositionsOfChunk = 64;
constexpr double kZeroPower = -std::numeric_limits<double>::infinity();  // the power of 0

/// Features e^u of keys as ψ · 2^p with a whole p for each position, of its greatest exponent: p is
/// exact, and of one position no other can make ψ underflow.
struct ScaledKeys {
  at::Tensor features, powers;  ///< [B, H, T, m], [B, H, T, 1]
};
ScaledKeys scaledKeys(const at::Tensor& exponents) {
  const at::Tensor binary = exponents * (1 / std::log(2.0));
  const at::Tensor whole = binary.detach().floor();
  const at::Tensor powers = whole.amax(-1, /*keepdim=*/true);
  return {(binary - whole).exp2() * (whole - powers).exp2(), powers};
}

/// The greatest of the positions up to each, along `dim`, by doubling what each has seen: at::cummax
/// is not there on every device.
at::Tensor greatestSoFar(const at::Tensor& powers, std::int64_t dim) {
  const std::int64_t count = powers.size(dim);
  at::Tensor greatest = powers;
  for (std::int64_t seen = 1; seen < count; seen *= 2)
    greatest = at::cat(
        {greatest.narrow(dim, 0, seen), at::maximum(greatest.narrow(dim, seen, count - seen),
                                                    greatest.narrow(dim, 0, count - seen))},
        dim);
  return greatest;
}

/// What the powers of keys [.., Tk, 1] are beside what rows are divided by [.., Tq, 1]: 2^(p − r) in
/// [.., Tq, Tk], and 1 for keys after their row, which do not count.
at::Tensor powersBetween(const at::Tensor& keys, const at::Tensor& rows) {
  return (keys.transpose(-2, -1) - rows).clamp_max(0).exp2();
}

/// [B, H, T, f] → [B, H, chunks, positions, f], the last filled up.
at::Tensor inChunks(const at::Tensor& x, std::int64_t positions, double filling = 0) {
  const std::int64_t length = x.size(2), chunks = (length + positions - 1) / positions;
  return at::constant_pad_nd(x, {0, 0, 0, chunks * positions - length}, filling)
      .reshape({x.size(0), x.size(1), chunks, positions, x.size(3)});
}

/// Sums over the chunks before each.
at::Tensor sumsBefore(const at::Tensor& sums) {
  const std::int64_t chunks = sums.size(2);
  return at::constant_pad_nd(sums.cumsum(2).narrow(2, 0, chunks - 1), {0, 0, 0, 0, 1, 0});
}

/// The same of sums that are divided by 2^last, [B, H, chunks, 1, 1], each of its chunk: as a
/// greater one comes, what was there is brought to it.
at::Tensor sumsBefore(const at::Tensor& sums, const at::Tensor& last) {
  std::vector<at::Tensor> before{at::zeros_like(sums.select(2, 0))};
  for (std::int64_t c = 0; c + 1 < sums.size(2); ++c) {
    const at::Tensor own = sums.select(2, c);
    if (c == 0) {
      before.push_back(own);
      continue;
    }
    const at::Tensor keep = (last.select(2, c - 1) - last.select(2, c)).exp2();
    before.push_back(before.back() * keep + own);
  }
  return at::stack(before, 2);
}

/// Of queries, keys and values, [B, H, chunks, positions, ..].
struct Chunked {
  at::Tensor q, k, v;
};

/// φ_t Σ_{s ≤ t} ψ_s v_sᵀ.
at::Tensor causalSums(const Chunked& all) {
  const at::Tensor before = sumsBefore(at::matmul(all.k.transpose(-2, -1), all.v));
  const at::Tensor own = at::matmul(all.q, all.k.transpose(-2, -1)).tril();
  return at::matmul(all.q, before) + at::matmul(own, all.v);
}

/// The same of keys ψ · 2^p, each row less the greatest p up to it: later tokens, however large,
/// take part in none of it. `powers` likewise in chunks.
at::Tensor causalSums(const Chunked& all, const at::Tensor& powers) {
  const std::int64_t chunks = powers.size(2), positions = powers.size(3);
  const at::Tensor running = greatestSoFar(powers.flatten(2, 3), 2).view(powers.sizes()),
                   last = running.narrow(3, positions - 1, 1);
  // What the sums before each chunk are divided by; before the first there are none.
  const at::Tensor known =
      at::cat({running.narrow(2, 0, 1).narrow(3, 0, 1), last.narrow(2, 0, chunks - 1)}, 2);
  const at::Tensor keys = all.k * (powers - last).exp2();
  const at::Tensor before = sumsBefore(at::matmul(keys.transpose(-2, -1), all.v), last);
  const at::Tensor own =
      (at::matmul(all.q, all.k.transpose(-2, -1)) * powersBetween(powers, running)).tril();
  return at::matmul(all.q, before) * (known - running).exp2() + at::matmul(own, all.v);
}

}  // namespace

void checkCausalFeatures(const CausalFeatureOptions& options) {
  requireHeadsDivide(options.heads, options.width);
}

std::int64_t causalFeatureCount(const CausalFeatureOptions& options) {
  const std::int64_t width = options.width / options.heads;
  return options.mechanism == "performer" ? randomFeatureCount(options.features, width) : width;
}

std::int64_t causalChunk(std::int64_t length) {
  return std::min(kPositionsOfChunk, length);
}

at::Tensor causalFeatureMixed(const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& values, const at::Tensor& powers) {
  const std::int64_t length = query.size(2), width = values.size(3),
                     positions = causalChunk(length);
  // A column of ones, whose sums are the denominators.
  const at::Tensor ones = at::ones_like(values.narrow(3, 0, 1));
  const Chunked all{inChunks(query, positions), inChunks(key, positions),
                    inChunks(at::cat({values, ones}, 3), positions)};
  const at::Tensor sums =
      powers.defined() ? causalSums(all, inChunks(powers, positions, kZeroPower)) : causalSums(all);
  const at::Tensor mixed =
      sums.narrow(4, 0, width) / sums.narrow(4, width, 1).clamp_min(kLeastFeatureSum);
  return mixed.flatten(2, 3).narrow(2, 0, length);
}

CausalFeatures::CausalFeatures(const CausalFeatureOptions& options) : m_options(options) {
  checkCausalFeatures(options);
  const std::int64_t width = options.width;
  if (options.mechanism == "performer")
    m_random.emplace(RandomFeatures::Options{.count = causalFeatureCount(options),
                                             .width = width / options.heads,
                                             .seed = options.featureSeed,
                                             .layer = options.layer});
  m_qkv = register_module("qkv", torch::nn::Linear(width, 3 * width));
  m_proj = register_module("proj", torch::nn::Linear(width, width));
}

at::Tensor CausalFeatures::queryFeatures(const at::Tensor& queries) {
  return m_random ? performerQueries(queries, m_random->vectors(queries)) : eluFeatures(queries);
}

CausalFeatures::Features CausalFeatures::featuresOf(const at::Tensor& tokens) {
  const at::Tensor qkv = m_qkv(tokens)
                             .view({tokens.size(0), tokens.size(1), 3, m_options.heads, -1})
                             .permute({2, 0, 3, 1, 4});
  if (!m_random) return {queryFeatures(qkv[0]), eluFeatures(qkv[1]), {}, qkv[2]};
  const ScaledKeys keys = scaledKeys(featureExponents(qkv[1], m_random->vectors(qkv)));
  return {queryFeatures(qkv[0]), keys.features, keys.powers, qkv[2]};
}

at::Tensor CausalFeatures::forward(const at::Tensor& tokens) {
  const Features features = featuresOf(tokens);
  return m_proj(causalFeatureMixed(features.query, features.key, features.values, features.powers)
                    .transpose(1, 2)
                    .reshape(tokens.sizes()));
}

/// ψ [B, H, 1, m] of a key by the greatest exponent so far, to which the sums are brought.
at::Tensor CausalFeatures::stepKey(const at::Tensor& key, CausalState& state) {
  if (!m_random) return eluFeatures(key);
  const at::Tensor exponents = featureExponents(key, m_random->vectors(key));
  const at::Tensor maximum = at::maximum(state.maximum, exponents.amax({-2, -1}, /*keepdim=*/true));
  const at::Tensor keep = (state.maximum - maximum).exp();
  state.weights = state.weights * keep;
  state.weighted = state.weighted * keep;
  state.maximum = maximum;
  return (exponents - maximum).exp();
}

at::Tensor CausalFeatures::step(const at::Tensor& token, CausalState& state) {
  requireRoom(state, m_options.length);
  const std::int64_t batch = token.size(0), heads = m_options.heads,
                     width = m_options.width / heads;
  const at::Tensor qkv = m_qkv(token).view({batch, 3, heads, 1, width}).permute({1, 0, 2, 3, 4});
  if (state.position++ == 0) {
    const std::int64_t features = causalFeatureCount(m_options);
    state.maximum = at::full({batch, heads, 1, 1}, kZeroPower, qkv.options());
    state.weights = at::zeros({batch, heads, features, 1}, qkv.options());
    state.weighted = at::zeros({batch, heads, features, width}, qkv.options());
  }
  const at::Tensor key = stepKey(qkv[1], state).transpose(-2, -1), query = queryFeatures(qkv[0]);
  state.weights = state.weights + key;
  state.weighted = state.weighted + key * qkv[2];
  return m_proj((at::matmul(query, state.weighted) /
                 at::matmul(query, state.weights).clamp_min(kLeastFeatureSum))
                    .reshape({batch, m_options.width}));
}

at::Tensor CausalFeatures::map(const at::Tensor& tokens) {
  const at::NoGradGuard noGrad;
  const Features features = featuresOf(tokens);
  at::Tensor similarities = at::matmul(features.query, features.key.transpose(-2, -1));
  if (features.powers.defined())
    similarities = similarities * powersBetween(features.powers, greatestSoFar(features.powers, 2));
  similarities = similarities.tril();
  return similarities / similarities.sum(-1, /*keepdim=*/true).clamp_min(kLeastFeatureSum);
}

std::string CausalFeatures::mapMeaning() const {
  const std::string tail = "; each row sums to 1 over the position itself and those before it.";
  if (!m_random)
    return "In place of the softmax matrix, causal: products of elu(q) + 1 and elu(k) + 1 over "
           "their sum" +
           tail;
  return "In place of the softmax matrix, causal: its estimate by " +
         std::to_string(m_random->count()) + " positive orthogonal random features (FAVOR+)" + tail;
}

}  // namespace headlight
