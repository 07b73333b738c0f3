// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/DifferentialAttention.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/FusedHeads.h"
#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr double kRmsEpsilon = 1e-5, kLambdaDeviation = 0.1;  // as the authors have them

std::int64_t halfWidth(const AttentionOptions& options) {
  const int each = options.width / options.heads;
  if (each % 2 != 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("differential attention halves its heads, and ") + std::to_string(each) +
                       tr(" features have no halves; choose heads of an even width"),
                   "model.heads"});
  return each / 2;
}

}  // namespace

double differentialLambda(int layer) {
  return 0.8 - 0.6 * std::exp(-0.3 * layer);
}

DifferentialAttention::DifferentialAttention(const AttentionOptions& options)
    : MaskedAttention(options.layer, options.heads, options.grid),
      m_options(options),
      m_lambdaInit(differentialLambda(options.layer)) {
  const int width = options.width;
  const std::int64_t half = halfWidth(options);
  m_qkv = register_module(
      "qkv", AdaptableLinear(torch::nn::LinearOptions(width, 3 * width).bias(options.qkvBias)));
  const auto drawn = [&](const char* name) {
    return register_parameter(name, at::empty({half}).normal_(0, kLambdaDeviation));
  };
  m_q1 = drawn("lambda_q1");
  m_k1 = drawn("lambda_k1");
  m_q2 = drawn("lambda_q2");
  m_k2 = drawn("lambda_k2");
  m_normWeight = register_parameter("subln_weight", at::ones({2 * half}));
  m_proj = register_module("proj", AdaptableLinear(width, width));
}

void DifferentialAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t width = options.width, tokens = options.grid.tokens(),
                     half = halfWidth(options);
  counter.linear("qkv", width, 3 * width, options.qkvBias, tokens);
  counter.macs("logits and values", 2 * tokens * tokens * width);
  counter.parameters("lambda", 4 * half);
  counter.parameters("subln_weight", 2 * half);
  counter.linear("proj", width, width, true, tokens);
}

std::string DifferentialAttention::mapMeaning() const {
  return "Differential attention: one softmax minus λ times another, signed; each row sums to "
         "1 − λ, before the output is normalized.";
}

at::Tensor DifferentialAttention::lambda() const {
  return (m_q1 * m_k1).sum().exp() - (m_q2 * m_k2).sum().exp() + m_lambdaInit;
}

std::vector<std::pair<std::string, double>> DifferentialAttention::readings() const {
  const at::NoGradGuard noGrad;
  return {{"lambda", lambda().item<double>()}};
}

at::Tensor DifferentialAttention::softmaxOfHalf(const at::Tensor& q, const at::Tensor& k,
                                                int half) {
  const std::int64_t width = q.size(-1) / 2, start = half * width;
  const at::Tensor queries = q.narrow(-1, start, width) / std::sqrt(static_cast<double>(width)),
                   keys = k.narrow(-1, start, width);
  return masked(at::matmul(queries, keys.transpose(-2, -1))).softmax(-1);
}

at::Tensor DifferentialAttention::mixed(const at::Tensor& q, const at::Tensor& k,
                                        const at::Tensor& v, AttentionHook* tap) {
  const Float32Scope exact;
  const at::Tensor weights = softmaxOfHalf(q, k, 0) - lambda() * softmaxOfHalf(q, k, 1);
  const at::Tensor y = at::matmul(weights, v);
  if (tap && tap->wants(m_options.layer)) {
    tap->take(m_options.layer, weights.detach());
    tap->follow(m_options.layer, {{{weights.detach(), v, y}}});
  }
  const at::Tensor squares = y.square().mean(-1, /*keepdim=*/true);
  return y * (squares + kRmsEpsilon).rsqrt() * m_normWeight * (1 - m_lambdaInit);
}

at::Tensor DifferentialAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const FusedHeads all = fusedHeads(m_qkv(tokens), m_options.heads);
  const at::Tensor heads = mixed(all.query, all.key, all.value, tap);
  return m_proj(throughHook(tap, headsBesideEachOther(heads)));
}

}  // namespace headlight
