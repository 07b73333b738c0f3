// SPDX-License-Identifier: GPL-3.0-or-later

// The CUDA kernels against their plain form and loops in double precision: on a device where the
// build has CUDA, on the CPU (cuda_on_cpu) where it has not.

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <stdexcept>

#include "core/attention/kernels/cuda/LinearHeadsCuda.h"
#include "core/attention/kernels/heads/GatheredHeads.h"
#include "tests/attention/MaskedHeads.h"

#ifdef HEADLIGHT_CUDA_ON_CPU
#include "core/attention/kernels/cuda/LinearRows.h"
#include "tests/attention/cuda_on_cpu/cuda_runtime.h"
#endif

namespace headlight::linear_cuda_test {

using namespace headlight::testing;

using RunHeads = std::function<ListedHeads(const at::Tensor&, int, const std::vector<std::int64_t>&,
                                           const HeadLogits&)>;

#ifdef HEADLIGHT_CUDA_ON_CPU

const at::Device kDevice = at::kCPU;
/// Besides the cases for all: heads as wide as real ones, and a prefix whose keys take a block
/// several rounds.
const MaskedCase kLargeCase{{8, 9, 2}, 64, {"hard:3", "strict:5", "hard:3"}};

bool kernelsRun() {
  return true;
}

ListedHeads byKernels(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                      const HeadLogits& logits) {
  return byGroups(qkv, heads, list, logits, true, [&](const HeadGroup& group) {
    return cuda::linearRows(qkv, heads, group, true);
  });
}

#else

const at::Device kDevice(at::kCUDA, 0);
const MaskedCase kLargeCase{{28, 28, 1}, 64, {"hard:3", "strict:5", "hard:3", "random:3#4"}};

bool kernelsRun() {
  return cuda::linearHeadsCompiled() && cudaIsAvailable();
}

ListedHeads byKernels(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                      const HeadLogits& logits) {
  return cuda::linearHeads(qkv, heads, list, logits, true);
}

#endif

class LinearCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernelsRun()) GTEST_SKIP() << "no CUDA compiler at build time or no device";
  }
  static std::vector<MaskedCase> cases() {
    auto all = maskedCases();
    all.push_back(kLargeCase);
    return all;
  }
  static at::Tensor inputOf(const MaskedCase& c, at::ScalarType type) {
    return at::randn({2, c.grid.tokens(), 3 * c.width()}, at::kDouble)
        .to(at::TensorOptions(kDevice).dtype(type));
  }
};

ListedHeads plainly(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                    const HeadLogits& logits) {
  return gathered::forward(qkv, heads, list, logits, true);
}

/// Output, map and gradient of the heads in reverse order.
std::vector<at::Tensor> outcome(const MaskedCase& c, const at::Tensor& base, const RunHeads& run) {
  std::vector<std::int64_t> list(c.heads());
  std::iota(list.rbegin(), list.rend(), 0);
  const at::Tensor qkv = base.clone().requires_grad_();
  const ListedHeads result = run(qkv, c.heads(), list, logitsOf(c, base.options()));
  const at::Tensor upstream = at::linspace(-1, 1, result.output.numel(), base.options());
  (result.output * upstream.view_as(result.output)).sum().backward();
  return {result.output.detach(), result.map, qkv.grad()};
}

TEST_F(LinearCuda, EqualsThePlainFormForwardAndBackward) {
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, std::pair{at::kFloat, 1e-5}})
    for (const MaskedCase& c : cases()) {
      const at::Tensor base = inputOf(c, type);
      const auto fast = outcome(c, base, byKernels);
      const auto plain = outcome(c, base.to(at::kDouble), plainly);
      for (std::size_t i = 0; i < fast.size(); ++i)
        EXPECT_LT(gapOf(fast[i], plain[i]), tolerance) << c.name() << ", " << type << " " << i;
    }
}

TEST_F(LinearCuda, EqualsTheNaiveLoops) {
  for (const MaskedCase& c : maskedCases()) {
    const at::Tensor qkv = inputOf(c, at::kFloat);
    std::vector<std::int64_t> list(c.heads());
    std::iota(list.begin(), list.end(), 0);
    const auto result = byKernels(qkv, c.heads(), list, logitsOf(c, qkv.options()));
    const at::Tensor maps = naiveMaps(c, qkv);
    EXPECT_LT(gapOf(result.map, maps), 1e-5) << c.name();
    EXPECT_LT(gapOf(result.output, naiveHeads(c, qkv, maps)), 1e-5) << c.name();
  }
}

TEST_F(LinearCuda, GivesTheSameBitsEveryTime) {
  const at::Tensor base = inputOf(kLargeCase, at::kFloat);
  const auto first = outcome(kLargeCase, base, byKernels);
  const auto second = outcome(kLargeCase, base, byKernels);
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(at::equal(first[i], second[i])) << i;
}

TEST_F(LinearCuda, IsExactWhereEveryLogitIsFarBelowZero) {
  for (const MaskedCase& c : casesThatSelectAll()) {
    const at::Tensor base = farBelowZero(c).to(kDevice);
    const auto fast = outcome(c, base, byKernels);
    const auto plain = outcome(c, base, plainly);
    for (std::size_t i = 0; i < fast.size(); ++i)
      EXPECT_LT(gapOf(fast[i], plain[i]), 1e-9) << c.name() << " " << i;
  }
}

TEST_F(LinearCuda, LeavesOtherHeadsWithoutAGradient) {
  const MaskedCase c{{4, 4, 1}, 4, {"hard:3", "hard:3"}};
  const at::Tensor qkv = inputOf(c, at::kDouble).requires_grad_();
  byKernels(qkv, c.heads(), {1}, logitsOf(c, qkv.options())).output.sum().backward();
  const at::Tensor byHead = qkv.grad().view({2, c.grid.tokens(), 3, 2, 4});
  EXPECT_EQ(byHead.select(3, 0).abs().max().item<double>(), 0);
  EXPECT_GT(byHead.select(3, 1).abs().max().item<double>(), 0);
}

#ifdef HEADLIGHT_CUDA_ON_CPU

TEST_F(LinearCuda, DoesNotDependOnWhichLaneRunsFirst) {
  for (const MaskedCase& c : cases()) {
    const at::Tensor base = inputOf(c, at::kFloat);
    const auto forward = outcome(c, base, byKernels);
    cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Backward);
    const auto backward = outcome(c, base, byKernels);
    cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Forward);
    for (std::size_t i = 0; i < forward.size(); ++i)
      EXPECT_TRUE(at::equal(forward[i], backward[i])) << c.name() << " " << i;
  }
}

// The emulator itself: it must be able to fail.

TEST(CudaOnCpu, NoticesABarrierThatIsMissing) {
  int seen[2];
  for (const bool guarded : {false, true}) {
    for (const auto order : {cuda_on_cpu::LaneOrder::Forward, cuda_on_cpu::LaneOrder::Backward}) {
      int shared = 0, read = 0;
      cuda_on_cpu::setLaneOrder(order);
      const auto kernel = [&] {
        if (threadIdx.x == 0) shared = 1;
        if (guarded) __syncwarp();
        if (threadIdx.x == 7) read = shared;
      };
      cuda_on_cpu::run(kernel, 1, 32);
      seen[order == cuda_on_cpu::LaneOrder::Backward] = read;
    }
    cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Forward);
    EXPECT_EQ(seen[0], 1);
    EXPECT_EQ(seen[1], guarded ? 1 : 0);
  }
}

TEST(CudaOnCpu, RefusesABarrierThatSomeNeverReach) {
  const auto kernel = [] {
    if (threadIdx.x != 3) __syncthreads();
  };
  EXPECT_THROW(cuda_on_cpu::run(kernel, 1, 64), std::logic_error);
}

TEST(CudaOnCpu, RefusesAShuffleThatMeetsABarrier) {
  const auto kernel = [] {
    if (threadIdx.x < 16)
      __syncwarp();
    else
      __shfl_xor_sync(0xffffffffu, 1, 1);
  };
  EXPECT_THROW(cuda_on_cpu::run(kernel, 1, 32), std::logic_error);
}

TEST(CudaOnCpu, ShufflesAndCounts) {
  std::vector<int> sums(3 * 64);
  const auto before = cuda_on_cpu::blocksRun();
  const auto kernel = [&] {
    int sum = static_cast<int>(threadIdx.x + blockIdx.x);
    for (int apart = 16; apart > 0; apart /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    sums[blockIdx.x * 64 + threadIdx.x] = sum;
  };
  cuda_on_cpu::run(kernel, 3, 64);
  EXPECT_EQ(cuda_on_cpu::blocksRun() - before, 3);
  for (int block = 0; block < 3; ++block)
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(sums[block * 64 + i], 31 * 16 + 32 * (block + i / 32 * 32)) << block << " " << i;
}

#endif

}  // namespace headlight::linear_cuda_test
