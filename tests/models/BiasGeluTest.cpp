// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/BiasGelu.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace headlight {
namespace {

/// z·Φ(z) and its derivative, from the C library's error function.
double gelu(double z) {
  return 0.5 * z * std::erfc(-z / std::sqrt(2.0));
}
double slope(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0)) +
         z * std::exp(-0.5 * z * z) / std::sqrt(2 * std::acos(-1.0));
}

TEST(BiasGelu, EqualsItsDefinitionForwardAndBackwardInFloat) {
  const std::int64_t rows = 201, width = 37;
  const at::Tensor products = (at::randn({3, 67, width}) * 3).requires_grad_(),
                   bias = at::randn({width}).requires_grad_(), upstream = at::randn({3, 67, width});
  const at::Tensor result = biasGelu(products, bias);
  result.backward(upstream);
  std::vector<double> dBias(width);
  for (std::int64_t n = 0; n < rows; ++n)
    for (std::int64_t f = 0; f < width; ++f) {
      const auto at = [&](const at::Tensor& t) {
        return double(t.data_ptr<float>()[n * width + f]);
      };
      const double z = at(products) + bias.data_ptr<float>()[f], d = at(upstream) * slope(z);
      ASSERT_NEAR(at(result), gelu(z), 1e-6 * (1 + std::abs(z))) << z;
      ASSERT_NEAR(at(products.grad()), d, 1e-6 * (1 + std::abs(z))) << z;
      dBias[f] += d;
    }
  for (std::int64_t f = 0; f < width; ++f)
    EXPECT_NEAR(bias.grad().data_ptr<float>()[f], dBias[f], 2e-5);
}

/// Computed in float and kept in 16 bits: as rounding the float result, within one of its last
/// bits, since the compiler may fuse other products in either.
TEST(BiasGelu, InBfloat16IsTheFloatResultRounded) {
  const at::Tensor products = (at::randn({3, 67, 37}) * 3).to(at::kBFloat16),
                   bias = at::randn({37}), upstream = at::randn({3, 67, 37}).to(at::kBFloat16);
  std::vector<at::Tensor> results, gradients, sums;
  for (const at::ScalarType type : {at::kBFloat16, at::kFloat}) {
    const at::Tensor z = products.to(type).detach().requires_grad_(),
                     b = bias.clone().requires_grad_(), result = biasGelu(z, b);
    ASSERT_EQ(result.scalar_type(), type);
    result.backward(upstream.to(type));
    results.push_back(result.detach().to(at::kBFloat16));
    gradients.push_back(z.grad().to(at::kBFloat16));
    sums.push_back(b.grad());
  }
  constexpr double kLastBit = 1.0 / 128;
  EXPECT_TRUE(at::allclose(results[0], results[1], kLastBit, 0));
  EXPECT_TRUE(at::allclose(gradients[0], gradients[1], kLastBit, 0));
  EXPECT_GT((results[0] == results[1]).to(at::kFloat).mean().item<float>(), 0.999f);
  EXPECT_TRUE(at::allclose(sums[0], sums[1], 1e-5, 1e-5));
  const at::NoGradGuard noGrad;
  EXPECT_TRUE(at::equal(biasGelu(products.clone(), bias), results[0]));
  const at::Tensor odd = at::tensor({NAN, INFINITY, 3e38f, -0.0f}).to(at::kBFloat16).view({1, 4});
  const at::Tensor kept = biasGelu(odd.clone(), at::zeros({4}));
  EXPECT_TRUE(std::isnan(kept[0][0].item<float>()));
  EXPECT_EQ(kept[0][1].item<float>(), INFINITY);
  EXPECT_EQ(kept[0][2].item<float>(), odd[0][2].item<float>());
  EXPECT_EQ(kept[0][3].item<float>(), 0.0f);
}

TEST(BiasGelu, FarFromZeroItIsTheIdentityOrNothing) {
  const std::vector<float> far{-1e30f, -100, -40, -14, 14, 40, 100, 1e30f};
  const at::Tensor z = at::tensor(far).view({1, -1});
  const at::Tensor result = biasGelu(z.clone(), at::zeros({z.size(1)}));
  for (std::int64_t i = 0; i < z.size(1); ++i)
    EXPECT_EQ(result[0][i].item<float>(), far[i] > 0 ? far[i] : 0.0f) << far[i];
}

TEST(BiasGelu, GradientsAreFiniteDifferencesInDouble) {
  constexpr double kStep = 1e-6;
  const at::Tensor products = at::randn({2, 5, 3}, at::kDouble).requires_grad_(),
                   bias = at::randn({3}, at::kDouble).requires_grad_(),
                   weights = at::randn({2, 5, 3}, at::kDouble);
  const auto loss = [&] { return (biasGelu(products, bias) * weights).sum(); };
  loss().backward();
  for (const at::Tensor& tensor : {products, bias}) {
    const at::Tensor flat = tensor.detach().view(-1), gradient = tensor.grad().view(-1);
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      const double value = flat[i].item<double>();
      flat[i].fill_(value + kStep);
      const double above = loss().item<double>();
      flat[i].fill_(value - kStep);
      const double below = loss().item<double>();
      flat[i].fill_(value);
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-8);
    }
  }
}

TEST(BiasGelu, ThreadsChangeNoBit) {
  const int before = at::get_num_threads();
  const at::Tensor products = at::randn({500, 48}).requires_grad_(),
                   bias = at::randn({48}).requires_grad_(), upstream = at::randn({500, 48});
  std::vector<at::Tensor> gradients;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    products.mutable_grad() = bias.mutable_grad() = at::Tensor();
    biasGelu(products, bias).backward(upstream);
    gradients.push_back(at::cat({products.grad().view(-1), bias.grad()}));
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
}

}  // namespace
}  // namespace headlight
