// The CUDA kernels against their plain form and loops in double precision. Skipped where they are
// not compiled in or there is no device.

#include "core/attention/kernels/cuda/LinearHeadsCuda.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "core/attention/kernels/GatheredHeads.h"
#include "tests/attention/MaskedHeads.h"

namespace headlight {
namespace {

using namespace headlight::testing;

class LinearCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::linearHeadsCompiled() || !cudaIsAvailable())
      GTEST_SKIP() << "no CUDA kernels or no device";
  }
  static at::TensorOptions options(at::ScalarType type) {
    return at::TensorOptions(at::Device(at::kCUDA, 0)).dtype(type);
  }
  /// Besides the cases for all, one of the size of a real layer.
  static std::vector<MaskedCase> cases() {
    auto all = maskedCases();
    all.push_back({{28, 28, 1}, 64, {"hard:3", "strict:5", "hard:3", "random:3#4"}});
    return all;
  }
};

using RunHeads = std::function<ListedHeads(const at::Tensor&, int, const std::vector<std::int64_t>&,
                                           const HeadLogits&)>;

ListedHeads byKernels(const at::Tensor& qkv, int heads, const std::vector<std::int64_t>& list,
                      const HeadLogits& logits) {
  return cuda::linearHeads(qkv, heads, list, logits, true);
}

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
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, std::pair{at::kFloat, 1e-4}})
    for (const MaskedCase& c : cases()) {
      const at::Tensor base =
          at::randn({2, c.grid.tokens(), 3 * c.width()}, at::kDouble).to(options(type));
      const auto fast = outcome(c, base, byKernels);
      const auto plain = outcome(c, base.to(at::kDouble), plainly);
      for (std::size_t i = 0; i < fast.size(); ++i)
        EXPECT_LT(gapOf(fast[i], plain[i]), tolerance) << c.name() << ", " << type << " " << i;
    }
}

TEST_F(LinearCuda, EqualsTheNaiveLoops) {
  for (const MaskedCase& c : maskedCases()) {
    const at::Tensor qkv =
        at::randn({2, c.grid.tokens(), 3 * c.width()}, at::kDouble).to(options(at::kFloat));
    std::vector<std::int64_t> list(c.heads());
    std::iota(list.begin(), list.end(), 0);
    const auto result = byKernels(qkv, c.heads(), list, logitsOf(c, qkv.options()));
    const at::Tensor maps = naiveMaps(c, qkv);
    EXPECT_LT(gapOf(result.map, maps), 1e-5) << c.name();
    EXPECT_LT(gapOf(result.output, naiveHeads(c, qkv, maps)), 1e-5) << c.name();
  }
}

TEST_F(LinearCuda, GivesTheSameBitsEveryTime) {
  const MaskedCase c = cases().back();
  const at::Tensor base =
      at::randn({2, c.grid.tokens(), 3 * c.width()}, at::kFloat).to(options(at::kFloat));
  const auto first = outcome(c, base, byKernels), second = outcome(c, base, byKernels);
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(at::equal(first[i], second[i])) << i;
}

}  // namespace
}  // namespace headlight
