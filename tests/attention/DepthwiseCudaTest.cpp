// SPDX-License-Identifier: GPL-3.0-or-later

// The CUDA kernels of depthwise convolutions against naive loops and LibTorch's conv2d() in double
// precision: on a device where the build has CUDA, on the CPU (cuda_on_cpu) where it has not.

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/attention/kernels/cuda/DepthwiseCuda.h"
#include "tests/attention/MaskedHeads.h"

#ifdef HEADLIGHT_CUDA_ON_CPU
#include "core/attention/kernels/cuda/DepthwiseRows.h"
#include "tests/attention/cuda_on_cpu/cuda_runtime.h"
#endif

namespace headlight::depthwise_cuda_test {

using namespace headlight::testing;

#ifdef HEADLIGHT_CUDA_ON_CPU
const at::Device kDevice = at::kCPU;
bool kernelsRun() {
  return true;
}
at::Tensor byKernels(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride) {
  return cuda::depthwiseRows(maps, filters, stride);
}
#else
const at::Device kDevice(at::kCUDA, 0);
bool kernelsRun() {
  return cudaIsAvailable() &&
         cuda::depthwiseTake(at::ones({1, 1, 3, 3}, kDevice), at::ones({1, 1, 3, 3}, kDevice));
}
at::Tensor byKernels(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride) {
  return cuda::depthwiseOnCuda(maps, filters, stride);
}
#endif

struct DepthwiseCase {
  std::int64_t images, channels, rows, cols, side, stride;

  at::Tensor maps() const {
    at::manual_seed(3);
    return at::randn({images, channels, rows, cols}, at::kDouble);
  }
  at::Tensor filters() const {
    at::manual_seed(4);
    return at::randn({channels, 1, side, side}, at::kDouble);
  }
  std::string name() const {
    return std::to_string(side) + "/" + std::to_string(stride) + " of " + std::to_string(rows) +
           " x " + std::to_string(cols);
  }
};

/// Odd and even sides, maps smaller than the filter, more values than a block has threads.
std::vector<DepthwiseCase> depthwiseCases() {
  return {{2, 3, 9, 7, 3, 1}, {2, 3, 9, 7, 3, 2}, {3, 2, 8, 10, 5, 1}, {3, 2, 8, 10, 5, 2},
          {1, 2, 1, 2, 5, 1}, {1, 1, 1, 1, 3, 2}, {1, 1, 21, 20, 5, 2}};
}

at::Tensor byConvolution(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride) {
  return at::conv2d(maps, filters, {}, stride, filters.size(2) / 2, 1, maps.size(1));
}

using Convolve = at::Tensor (*)(const at::Tensor&, const at::Tensor&, std::int64_t);

/// The output and the gradients of maps and filters.
std::vector<at::Tensor> convolvedBy(Convolve convolve, const DepthwiseCase& c,
                                    const at::TensorOptions& options) {
  const at::Tensor maps = c.maps().to(options).requires_grad_(),
                   filters = c.filters().to(options).requires_grad_();
  const at::Tensor out = convolve(maps, filters, c.stride);
  const at::Tensor upstream =
      at::linspace(-1, 1, out.numel(), at::kDouble).view(out.sizes()).to(options);
  const auto gradients = torch::autograd::grad({out}, {maps, filters}, {upstream});
  return {out.detach(), gradients[0], gradients[1]};
}

class DepthwiseCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernelsRun()) GTEST_SKIP() << "no CUDA compiler at build time or no device";
  }
};

TEST_F(DepthwiseCuda, EqualsNaiveLoops) {
  for (const DepthwiseCase& c : depthwiseCases()) {
    const auto options = at::TensorOptions(kDevice).dtype(at::kDouble);
    const at::Tensor found =
        byKernels(c.maps().to(options), c.filters().to(options), c.stride).to(at::kCPU);
    const at::Tensor maps = c.maps(), filters = c.filters();
    const auto map = maps.accessor<double, 4>(), filter = filters.accessor<double, 4>(),
               out = found.accessor<double, 4>();
    ASSERT_EQ(found.size(2), (c.rows + c.stride - 1) / c.stride);
    for (std::int64_t b = 0; b < c.images; ++b)
      for (std::int64_t k = 0; k < c.channels; ++k)
        for (std::int64_t row = 0; row < found.size(2); ++row)
          for (std::int64_t col = 0; col < found.size(3); ++col) {
            double sum = 0;
            for (std::int64_t i = 0; i < c.side; ++i)
              for (std::int64_t j = 0; j < c.side; ++j) {
                const std::int64_t y = row * c.stride + i - c.side / 2,
                                   x = col * c.stride + j - c.side / 2;
                if (y >= 0 && y < c.rows && x >= 0 && x < c.cols)
                  sum += map[b][k][y][x] * filter[k][0][i][j];
              }
            EXPECT_NEAR(out[b][k][row][col], sum, 1e-12) << c.name();
          }
  }
}

TEST_F(DepthwiseCuda, EqualsConvolutionForwardAndBackward) {
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-11}, std::pair{at::kFloat, 1e-4}})
    for (const DepthwiseCase& c : depthwiseCases()) {
      const auto found = convolvedBy(byKernels, c, at::TensorOptions(kDevice).dtype(type));
      const auto expected = convolvedBy(byConvolution, c, at::TensorOptions(at::kDouble));
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_LT(gapOf(found[i], expected[i]), tolerance) << c.name() << ", " << i;
    }
}

TEST_F(DepthwiseCuda, GradientsHaveGradients) {
  const DepthwiseCase c{2, 2, 5, 4, 3, 2};
  const auto second = [&](Convolve convolve, const at::Device& device) {
    const auto options = at::TensorOptions(device).dtype(at::kDouble);
    const at::Tensor maps = c.maps().to(options).requires_grad_(),
                     filters = c.filters().to(options).requires_grad_();
    const at::Tensor out = convolve(maps, filters, c.stride);
    const auto first = torch::autograd::grad({out.square().sum()}, {maps}, {}, true, true);
    return torch::autograd::grad({first[0].square().sum()}, {filters})[0];
  };
  EXPECT_LT(gapOf(second(byKernels, kDevice), second(byConvolution, at::kCPU)), 1e-9);
}

TEST_F(DepthwiseCuda, TakesAnyMemoryLayout) {
  const DepthwiseCase c{2, 3, 6, 5, 3, 1};
  const auto options = at::TensorOptions(kDevice).dtype(at::kFloat);
  const at::Tensor maps = c.maps().to(options), filters = c.filters().to(options);
  EXPECT_TRUE(at::equal(byKernels(maps.contiguous(at::MemoryFormat::ChannelsLast), filters, 1),
                        byKernels(maps, filters, 1)));
}

TEST_F(DepthwiseCuda, GivesTheSameBitsEveryTime) {
  const DepthwiseCase c{4, 3, 12, 12, 5, 1};
  const auto options = at::TensorOptions(kDevice).dtype(at::kFloat);
  const auto first = convolvedBy(byKernels, c, options),
             second = convolvedBy(byKernels, c, options);
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(at::equal(first[i], second[i])) << i;
}

#ifdef HEADLIGHT_CUDA_ON_CPU

TEST_F(DepthwiseCuda, DoesNotDependOnWhichLaneRunsFirst) {
  const DepthwiseCase c{2, 2, 9, 9, 5, 2};
  const auto forward = convolvedBy(byKernels, c, at::TensorOptions(at::kFloat));
  cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Backward);
  const auto backward = convolvedBy(byKernels, c, at::TensorOptions(at::kFloat));
  cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Forward);
  for (std::size_t i = 0; i < forward.size(); ++i)
    EXPECT_TRUE(at::equal(forward[i], backward[i])) << i;
}

TEST_F(DepthwiseCuda, RefusesOtherFilters) {
  EXPECT_THROW(cuda::depthwiseRows(at::ones({1, 2, 9, 9}), at::ones({2, 1, 7, 7}), 1), c10::Error);
}

#endif

}  // namespace headlight::depthwise_cuda_test
