// SPDX-License-Identifier: GPL-3.0-or-later

// Weights that adapters start from: row by row from the stream of their key, whatever their type.

#include "core/attention/base/UniformStart.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/base/AdaptableLinear.h"
#include "core/base/Random.h"

namespace headlight {
namespace {

TEST(UniformStart, IsTheStreamOfItsKeyRowByRow) {
  const at::Tensor weight = at::zeros({3, 16}, at::kDouble);
  startUniformly(weight, 77);
  RandomStream stream(77);
  for (std::int64_t out = 0; out < 3; ++out)
    for (std::int64_t in = 0; in < 16; ++in)
      EXPECT_EQ(weight[out][in].item<double>(), stream.uniform(-0.25, 0.25)) << out << ", " << in;
  const at::Tensor narrow = at::zeros({3, 16}, at::kFloat);
  startUniformly(narrow, 77);
  EXPECT_TRUE(at::equal(narrow, weight.to(at::kFloat)));
  startUniformly(narrow, 78);
  EXPECT_FALSE(at::equal(narrow, weight.to(at::kFloat)));
}

TEST(UniformStart, IsThatOfLowRankAdditions) {
  LowRank addition(at::zeros({4, 9}, at::kFloat), 0, 4, {.rank = 2});
  addition.initialize(5);
  const at::Tensor expected = at::zeros({2, 9}, at::kFloat);
  startUniformly(expected, 5);
  EXPECT_TRUE(at::equal(addition.named_parameters()["down"].detach(), expected));
  EXPECT_FALSE(addition.named_parameters()["up"].detach().any().item<bool>());
}

}  // namespace
}  // namespace headlight
