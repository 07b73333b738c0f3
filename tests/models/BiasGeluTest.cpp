#include "core/models/BiasGelu.h"

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
