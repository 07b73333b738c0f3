// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every causal layer must do, whatever it computes. Of layers [B, t, D] → [B, t, D]; the random
// generator is the caller's to seed.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "core/attention/softmax/CausalAttention.h"
#include "core/base/Result.h"
#include "tests/attention/Gradients.h"

namespace headlight::testing {

/// What layers are asked with.
struct CausalInput {
  std::int64_t length, width;
};

/// At which path `check` refuses; "accepted" where it does not.
template <typename Check>
std::string refusedPathOf(Check check) {
  try {
    check();
  } catch (const Failure& failure) {
    return failure.error().where;
  }
  return "accepted";
}

/// Of a layer in double precision.
inline void expectCausalGradients(CausalAttention& layer, const CausalInput& input,
                                  std::int64_t sequences) {
  const at::Tensor x =
      at::randn({sequences, input.length, input.width}, at::kDouble).requires_grad_();
  const at::Tensor weights = at::randn_like(x).detach();
  expectFiniteDifferences(layer, x, [&] { return (layer.forward(x) * weights).sum(); });
}

/// Tokens from `from` on, `size` times a normal one's, change no bit before and some at `from`.
inline void expectLaterTokensChangeNoBit(CausalAttention& layer, const CausalInput& input,
                                         std::int64_t from, double size) {
  const at::NoGradGuard noGrad;
  const at::Tensor x = at::randn({2, input.length, input.width});
  at::Tensor other = x.clone();
  other.slice(1, from).normal_(0, size);
  const at::Tensor a = layer.forward(x), b = layer.forward(other);
  EXPECT_TRUE(at::equal(a.slice(1, 0, from), b.slice(1, 0, from))) << from;
  EXPECT_FALSE(at::equal(a.slice(1, from, from + 1), b.slice(1, from, from + 1))) << from;
}

/// x [1, t, D], one token after the other.
inline void expectStepsFinite(CausalAttention& layer, const at::Tensor& x) {
  const at::NoGradGuard noGrad;
  CausalState state;
  for (std::int64_t t = 0; t < x.size(1); ++t)
    EXPECT_TRUE(layer.step(x.select(1, t), state).isfinite().all().item<bool>()) << t;
}

}  // namespace headlight::testing
