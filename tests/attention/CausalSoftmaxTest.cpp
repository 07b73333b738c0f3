// SPDX-License-Identifier: GPL-3.0-or-later

// Causal softmax as a layer: against loops in double precision, whole sequences against one token
// after the other, blocks of rows against the whole matrix.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/softmax/CausalSoftmax.h"
#include "core/base/Result.h"
#include "tests/attention/CausalChecks.h"

namespace headlight::causal_softmax_test {

constexpr double kSoftmaxTolerance = 1e-5;  // float32 against double
constexpr std::int64_t kLong = 2 * CausalSoftmax::kRowsAtATime + 41;

std::vector<CausalSoftmaxOptions> softmaxCases() {
  return {{.width = 6, .heads = 1, .length = 17},
          {.width = 6, .heads = 3, .length = 17},
          {.width = 8, .heads = 8, .length = 17},
          {.width = 8, .heads = 2, .length = kLong}};
}

/// With parameters large enough to matter.
std::shared_ptr<CausalSoftmax> stirredSoftmax(const CausalSoftmaxOptions& options,
                                              at::ScalarType type) {
  at::manual_seed(5);
  auto layer = std::make_shared<CausalSoftmax>(options);
  const at::NoGradGuard noGrad;
  for (auto& item : layer->named_parameters())
    item.value().normal_(0, 0.6);
  layer->to(type);
  return layer;
}

std::string softmaxName(const CausalSoftmaxOptions& options) {
  return std::to_string(options.heads) + " heads of " + std::to_string(options.width) + ", T " +
         std::to_string(options.length);
}

struct NaiveSoftmax {
  std::vector<double> output;  ///< [t, D]
  std::vector<double> map;     ///< [H, t, t]
};

/// x [t, D] by loops over plain numbers; `values` y W + b of one row.
NaiveSoftmax naiveSoftmax(const CausalSoftmax& layer, const CausalSoftmaxOptions& options,
                          const at::Tensor& x) {
  const auto numbers = [](const at::Tensor& tensor) {
    const at::Tensor all = tensor.detach().to(at::kDouble).contiguous();
    return std::vector<double>(all.data_ptr<double>(), all.data_ptr<double>() + all.numel());
  };
  const auto parameters = layer.named_parameters();
  const auto in = numbers(x), qkvWeight = numbers(parameters["qkv.weight"]),
             qkvBias = numbers(parameters["qkv.bias"]),
             projWeight = numbers(parameters["proj.weight"]),
             projBias = numbers(parameters["proj.bias"]);
  const auto width = static_cast<std::size_t>(options.width), length = in.size() / width,
             heads = static_cast<std::size_t>(options.heads), each = width / heads;
  const auto linear = [&](const double* row, const std::vector<double>& weight,
                          const std::vector<double>& bias, std::size_t f) {
    double sum = bias[f];
    for (std::size_t g = 0; g < width; ++g)
      sum += weight[f * width + g] * row[g];
    return sum;
  };
  std::vector<double> qkv(length * 3 * width), mixed(length * width);
  for (std::size_t t = 0; t < length; ++t)
    for (std::size_t f = 0; f < 3 * width; ++f)
      qkv[t * 3 * width + f] = linear(&in[t * width], qkvWeight, qkvBias, f);
  NaiveSoftmax result{std::vector<double>(length * width),
                      std::vector<double>(heads * length * length)};
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t t = 0; t < length; ++t) {
      double* row = &result.map[(h * length + t) * length];
      double sum = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        double logit = 0;
        for (std::size_t f = 0; f < each; ++f)
          logit += qkv[t * 3 * width + h * each + f] * qkv[s * 3 * width + width + h * each + f];
        sum += row[s] = std::exp(logit / std::sqrt(static_cast<double>(each)));
      }
      for (std::size_t s = 0; s <= t; ++s) {
        row[s] /= sum;
        for (std::size_t f = 0; f < each; ++f)
          mixed[t * width + h * each + f] += row[s] * qkv[s * 3 * width + 2 * width + h * each + f];
      }
    }
  for (std::size_t t = 0; t < length; ++t)
    for (std::size_t f = 0; f < width; ++f)
      result.output[t * width + f] = linear(&mixed[t * width], projWeight, projBias, f);
  return result;
}

double gapTo(const at::Tensor& x, const std::vector<double>& expected) {
  const at::Tensor values = x.detach().to(at::kDouble).contiguous();
  EXPECT_EQ(static_cast<std::size_t>(values.numel()), expected.size());
  double gap = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    gap = std::max(gap, std::abs(values.data_ptr<double>()[i] - expected[i]));
  return gap;
}

TEST(CausalSoftmax, EqualsTheNaiveReferenceAtEveryLength) {
  for (const auto& options : softmaxCases()) {
    const auto layer = stirredSoftmax(options, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, options.length, options.width});
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{4}, options.length}) {
      const at::Tensor part = x.slice(1, 0, length), y = layer->forward(part),
                       map = layer->map(part);
      ASSERT_EQ(y.sizes(), part.sizes());
      ASSERT_EQ(map.sizes(), (std::vector<std::int64_t>{2, options.heads, length, length}));
      for (int b = 0; b < 2; ++b) {
        const NaiveSoftmax expected = naiveSoftmax(*layer, options, part[b]);
        EXPECT_LT(gapTo(y[b], expected.output), kSoftmaxTolerance)
            << softmaxName(options) << " length " << length;
        EXPECT_LT(gapTo(map[b], expected.map), kSoftmaxTolerance)
            << softmaxName(options) << " length " << length;
      }
    }
  }
}

TEST(CausalSoftmax, OneTokenAfterTheOtherEqualsTheWhole) {
  for (const auto& options : softmaxCases()) {
    const auto layer = stirredSoftmax(options, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({3, options.length, options.width});
    const at::Tensor whole = layer->forward(x);
    CausalState state;
    for (std::int64_t t = 0; t < options.length; ++t) {
      const at::Tensor y = layer->step(x.select(1, t), state);
      EXPECT_LT((y - whole.select(1, t)).abs().max().item<double>(), kSoftmaxTolerance)
          << softmaxName(options) << " token " << t;
    }
    EXPECT_EQ(state.position, options.length);
    EXPECT_THROW(layer->step(x.select(1, 0), state), Failure);
  }
}

TEST(CausalSoftmax, LaterTokensChangeNoBit) {
  for (const auto& options : softmaxCases()) {
    const auto layer = stirredSoftmax(options, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({2, options.length, options.width});
    for (const std::int64_t from : {std::int64_t{9}, options.length - 3}) {
      at::Tensor other = x.clone();
      other.slice(1, from).normal_(0, 3);
      const at::Tensor a = layer->forward(x), b = layer->forward(other);
      EXPECT_TRUE(at::equal(a.slice(1, 0, from), b.slice(1, 0, from))) << softmaxName(options);
      EXPECT_FALSE(at::equal(a.slice(1, from, from + 1), b.slice(1, from, from + 1)))
          << softmaxName(options);
    }
  }
}

TEST(CausalSoftmax, LargeLogitsStayInRange) {
  for (const auto& options : softmaxCases()) {
    const auto layer = stirredSoftmax(options, at::kFloat);
    const at::NoGradGuard noGrad;
    const at::Tensor x = at::randn({1, options.length, options.width}) * 400;
    EXPECT_TRUE(layer->forward(x).isfinite().all().item<bool>());
    testing::expectStepsFinite(*layer, x);
  }
}

TEST(CausalSoftmax, GradientsAreFiniteDifferences) {
  for (const auto& options : softmaxCases()) {
    if (options.length == kLong) continue;  // below
    const auto layer = stirredSoftmax(options, at::kDouble);
    testing::expectCausalGradients(*layer, {options.length, options.width}, 2);
  }
}

/// What the fused kernels give in blocks of rows, against LibTorch's own operations and against one
/// softmax over the whole matrix.
TEST(CausalSoftmax, BlocksOfRowsEqualTheWholeMatrix) {
  const CausalSoftmaxOptions options{.width = 8, .heads = 2, .length = kLong};
  const auto layer = stirredSoftmax(options, at::kDouble);
  const at::Tensor x = at::randn({2, kLong, 8}, at::kDouble), weights = at::randn_like(x);
  const auto parameters = layer->named_parameters();
  const auto whole = [&](const at::Tensor& in) {
    const at::Tensor qkv = at::linear(in, parameters["qkv.weight"], parameters["qkv.bias"])
                               .view({2, kLong, 3, 2, 4})
                               .permute({2, 0, 3, 1, 4});
    const at::Tensor later = at::ones({kLong, kLong}, at::kBool).triu(1);
    const at::Tensor a = (at::matmul(qkv[0], qkv[1].transpose(-2, -1)) / 2)
                             .masked_fill(later, -INFINITY)
                             .softmax(-1);
    return at::linear(at::matmul(a, qkv[2]).transpose(1, 2).reshape({2, kLong, 8}),
                      parameters["proj.weight"], parameters["proj.bias"]);
  };
  const auto gradients = [&](const auto& forward) {
    layer->zero_grad();
    const at::Tensor in = x.clone().requires_grad_();
    const at::Tensor out = forward(in);
    (out * weights).sum().backward();
    std::vector<at::Tensor> all{out.detach(), in.grad()};
    for (const auto& item : parameters)
      all.push_back(item.value().grad().clone());
    return all;
  };
  const auto expected = gradients(whole);
  const auto fused = gradients([&](const at::Tensor& in) { return layer->forward(in); });
  const PlainKernels plainly;
  const auto plain = gradients([&](const at::Tensor& in) { return layer->forward(in); });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double size = 1 + expected[i].abs().max().item<double>();
    EXPECT_LT((fused[i] - expected[i]).abs().max().item<double>(), 1e-11 * size) << i;
    EXPECT_LT((plain[i] - expected[i]).abs().max().item<double>(), 1e-11 * size) << i;
  }
}

TEST(CausalSoftmax, WhatCannotBeIsRefusedByItsPath) {
  const auto pathOf = [](const CausalSoftmaxOptions& options) {
    return testing::refusedPathOf([&] { checkCausalSoftmax(options); });
  };
  EXPECT_EQ(pathOf({.width = 12, .heads = 4}), "accepted");
  EXPECT_EQ(pathOf({.width = 12, .heads = 5}), "model.heads");
  EXPECT_EQ(pathOf({.width = 12, .heads = 0}), "model.heads");
  EXPECT_EQ(pathOf({.length = 4096}), "accepted");
  EXPECT_EQ(pathOf({.length = 4097}), "model.mechanism");
}

}  // namespace headlight::causal_softmax_test
