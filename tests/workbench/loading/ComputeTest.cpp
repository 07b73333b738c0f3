// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {
namespace {

TEST(TorchRuntime, NoMoreThreadsThanTheCoresCanServe) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  configureCompute(100'000);
  EXPECT_EQ(at::get_num_threads(), 8 * cores);
  configureCompute(3);
  EXPECT_EQ(at::get_num_threads(), 3);
  configureCompute(0);
  EXPECT_EQ(at::get_num_threads(), cores);
}

}  // namespace
}  // namespace headlight
