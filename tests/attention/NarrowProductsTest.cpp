// SPDX-License-Identifier: GPL-3.0-or-later

// Products in bfloat16 against a naive sum in double precision.

#include "core/attention/kernels/NarrowProducts.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace headlight::narrow::narrow_products_test {

using Half = std::uint16_t;

/// A matrix of `rows` × `columns` as it may lie: turned or not, its rows apart.
struct Operand {
  Operand(std::int64_t rows, std::int64_t columns, bool isTurned, std::int64_t gap)
      : turned(isTurned), row((turned ? rows : columns) + gap) {
    floats = at::randn({turned ? columns : rows, row});
    halves = floats.to(at::kBFloat16);
  }
  template <typename T>
  Matrix<T> as() const {
    if constexpr (std::is_same_v<T, float>)
      return {floats.data_ptr<float>(), row, turned};
    else
      return {static_cast<const Half*>(halves.data_ptr()), row, turned};
  }
  /// As it is multiplied.
  double at(std::int64_t i, std::int64_t j) const {
    const auto* data = static_cast<const Half*>(halves.data_ptr());
    const std::uint32_t bits = std::uint32_t{data[turned ? j * row + i : i * row + j]} << 16;
    return std::bit_cast<float>(bits);
  }
  bool turned;
  std::int64_t row;
  at::Tensor floats, halves;
};

/// Single precision's error of a sum of k products, by how large they are.
void expectProduct(const Sizes& sizes, float scale, const Operand& a, const Operand& b,
                   const at::Tensor& before, const at::Tensor& c) {
  const std::int64_t width = c.size(1);
  const float *was = before.data_ptr<float>(), *is = c.data_ptr<float>();
  for (std::int64_t i = 0; i < sizes.m; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      if (j >= sizes.n) {
        ASSERT_EQ(is[i * width + j], was[i * width + j]) << "beyond the product";
        continue;
      }
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < sizes.k; ++k) {
        sum += a.at(i, k) * b.at(k, j);
        size += std::abs(a.at(i, k) * b.at(k, j));
      }
      const double expected = was[i * width + j] + scale * sum;
      ASSERT_NEAR(is[i * width + j], expected, 1e-6 * (std::abs(was[i * width + j]) + size))
          << sizes.m << " x " << sizes.k << " x " << sizes.n << " at " << i << ", " << j;
    }
}

template <typename A, typename B>
void expectProducts(int count) {
  std::mt19937 numbers(7);
  const auto below = [&](int most) { return static_cast<std::int64_t>(1 + numbers() % most); };
  for (int i = 0; i < count; ++i) {
    const Sizes sizes{below(80), below(150), below(90)};
    const Operand a(sizes.m, sizes.k, numbers() % 2, numbers() % 5),
        b(sizes.k, sizes.n, numbers() % 2, numbers() % 5);
    const bool add = numbers() % 2;
    const at::Tensor c = at::randn({sizes.m, sizes.n + below(3)}), given = c.clone();
    at::Tensor before = c.clone();
    if (!add) before.slice(1, 0, sizes.n).zero_();
    product(sizes, 0.25f, a.as<A>(), b.as<B>(), add, c.data_ptr<float>(), c.size(1));
    expectProduct(sizes, 0.25f, a, b, before, c);
  }
}

class NarrowProducts : public ::testing::Test {
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "this processor has no AVX512-BF16";
    at::manual_seed(5);
  }
};

TEST_F(NarrowProducts, AreThoseOfTheRoundedNumbers) {
  expectProducts<float, float>(60);
  expectProducts<float, Half>(30);
  expectProducts<Half, float>(30);
  expectProducts<Half, Half>(60);
}

TEST_F(NarrowProducts, AnElementIsSummedAlikeWhateverElseThereIs) {
  const Operand a(70, 97, false, 0), b(97, 130, false, 0);
  const at::Tensor whole = at::empty({70, 130}), part = at::empty({5, 17});
  product({70, 130, 97}, 1.0f, a.as<float>(), b.as<float>(), false, whole.data_ptr<float>(), 130);
  Matrix<float> rows = a.as<float>(), columns = b.as<float>();
  rows.data += 61 * rows.row;
  columns.data += 100;
  product({5, 17, 97}, 1.0f, rows, columns, false, part.data_ptr<float>(), 17);
  EXPECT_TRUE(at::equal(part, whole.slice(0, 61, 66).slice(1, 100, 117)));
}

TEST_F(NarrowProducts, WhatIsNoNumberStaysNone) {
  const float a[] = {std::numeric_limits<float>::quiet_NaN(), 1, 0, 1},
              b[] = {1, std::numeric_limits<float>::infinity()};
  float c[2];
  product({2, 1, 2}, 1.0f, Matrix<float>{a, 2}, Matrix<float>{b, 1}, false, c, 1);
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_EQ(c[1], std::numeric_limits<float>::infinity());
}

}  // namespace headlight::narrow::narrow_products_test
