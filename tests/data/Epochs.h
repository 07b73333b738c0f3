// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A loader's batches, taken and compared.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/data/Loader.h"

namespace headlight::test {

inline std::vector<Batch> restOfEpoch(Loader& loader) {
  std::vector<Batch> batches;
  while (true) {
    auto batch = valueOrThrow(loader.next());
    if (!batch) return batches;
    batches.push_back(std::move(*batch));
  }
}

inline void expectSame(const std::vector<Batch>& a, const std::vector<Batch>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].indices, b[i].indices);
    EXPECT_TRUE(at::equal(a[i].images, b[i].images)) << "batch " << i;
    EXPECT_TRUE(at::equal(a[i].labels, b[i].labels)) << "batch " << i;
  }
}

}  // namespace headlight::test
