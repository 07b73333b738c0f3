// SPDX-License-Identifier: GPL-3.0-or-later

// How much memory a training takes at most.

#include "core/training/step/MemoryMeter.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/base/ResidentMemory.h"

namespace headlight {
namespace {

constexpr std::int64_t kMegabytes = 64;

at::Tensor touched() {
  return at::ones({kMegabytes << 20}, at::kByte);
}

TEST(MemoryMeter, OnTheCpuIsTheMostOfTheProcess) {
  const MemoryMeter meter(at::kCPU, {});
  const std::int64_t before = residentBytes();
  if (before == 0) GTEST_SKIP() << "the system does not say";
  EXPECT_GE(meter.peakBytes(), before);
  touched();
  EXPECT_GE(meter.peakBytes(), before + (kMegabytes << 20) * 9 / 10);
  if (!restartPeakResident()) GTEST_SKIP() << "the system keeps one mark alone";
  const MemoryMeter next(at::kCPU, {});
  EXPECT_LT(next.peakBytes(), before + (kMegabytes << 20) / 2) << "what the run before it took";
}

/// Where there are tensors: what is there already counts too.
TEST(MemoryMeter, ElsewhereIsWhatTensorsHold) {
  const NamedTensors held{{"a", at::empty({1000}, at::device(at::kMeta).dtype(at::kFloat))},
                          {"b", at::empty({1000}, at::kFloat)}};
  const MemoryMeter meter(at::Device(at::kMeta), {&held, &held});
  EXPECT_EQ(meter.peakBytes(), 8000);
}

}  // namespace
}  // namespace headlight
