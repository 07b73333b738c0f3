// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/layers/BranchSum.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace headlight {
namespace {

TEST(BranchSum, ABranchInBfloat16IsAddedAsItWouldBeInFloat) {
  const at::Tensor tokens = at::randn({3, 70, 200}).requires_grad_(),
                   branch = at::randn({3, 70, 200}).to(at::kBFloat16).requires_grad_(),
                   upstream = at::randn({3, 70, 200});
  const at::Tensor sum = addBranch(tokens, branch);
  EXPECT_EQ(sum.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(sum, tokens + branch.to(at::kFloat)));
  sum.backward(upstream);
  EXPECT_TRUE(at::equal(tokens.grad(), upstream));
  EXPECT_TRUE(at::equal(branch.grad(), upstream.to(at::kBFloat16)));
  const at::NoGradGuard noGrad;
  EXPECT_TRUE(at::equal(addBranch(tokens, branch), sum));
  const at::Tensor turned = branch.transpose(1, 2).contiguous().transpose(1, 2);
  EXPECT_TRUE(at::equal(addBranch(tokens, turned), sum));
}

TEST(BranchSum, WhereNobodyLearnsTheBranchsMemoryIsReused) {
  const at::NoGradGuard noGrad;
  const at::Tensor tokens = at::randn({2, 3, 4}), branch = at::randn({2, 3, 4}),
                   expected = tokens + branch;
  const at::Tensor sum = addBranch(tokens, branch);
  EXPECT_TRUE(at::equal(sum, expected));
  EXPECT_EQ(sum.data_ptr(), branch.data_ptr());
}

}  // namespace
}  // namespace headlight
