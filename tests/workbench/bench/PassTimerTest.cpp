// SPDX-License-Identifier: GPL-3.0-or-later

// The clock of the benches.

#include "core/workbench/bench/PassTimer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace headlight {
namespace {

using namespace std::chrono_literals;

TEST(PassTimer, ABusyMomentOfOnePassIsNotTakenFromTheOther) {
  // Forward is slow without gradients and fast with them, as on a machine that was busy then.
  const auto run = [](const at::Tensor& x) {
    if (!at::GradMode::is_enabled()) std::this_thread::sleep_for(30ms);
    return x * x;
  };
  PassTimer timer;
  timer.measure(run, at::ones({4, 4}));
  EXPECT_GE(timer.forwardMs(), 30);
  EXPECT_GT(timer.backwardMs(), 0);
}

/// A model without classes, whose logits are empty.
TEST(PassTimer, WhatNoGradientReachesHasNoBackwardPass) {
  PassTimer timer;
  timer.measure([](const at::Tensor& x) { return x.detach(); }, at::ones({4, 4}));
  EXPECT_GT(timer.forwardMs(), 0);
  EXPECT_EQ(timer.backwardMs(), 0);
  runBothPasses([](const at::Tensor& x) { return x.detach(); }, at::ones({4, 4}));
}

TEST(PassTimer, TheMedianCounts) {
  EXPECT_EQ(median({5, 1, 100}), 5);
  EXPECT_EQ(median({4, 2}), 3);
}

}  // namespace
}  // namespace headlight
