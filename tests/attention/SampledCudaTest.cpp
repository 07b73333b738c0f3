// SPDX-License-Identifier: GPL-3.0-or-later

// The CUDA kernels of multi-scale deformable attention against naive loops and LibTorch's
// grid_sampler() in double precision: on a device where the build has CUDA, on the CPU
// (cuda_on_cpu) where it has not.

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "core/attention/kernels/cuda/SampledCuda.h"
#include "tests/attention/MaskedHeads.h"

#ifdef HEADLIGHT_CUDA_ON_CPU
#include "tests/attention/cuda_on_cpu/cuda_runtime.h"
#endif

namespace headlight::sampled_cuda_test {

using namespace headlight::testing;
using cuda::SampledTensors;
using Grids = std::vector<Grid>;

#ifdef HEADLIGHT_CUDA_ON_CPU
const at::Device kDevice = at::kCPU;
bool kernelsRun() {
  return true;
}
at::Tensor sumsByKernels(const SampledTensors& given, const Grids& grids) {
  return cuda::sampledSums(given, grids);
}
SampledTensors gradientsByKernels(const SampledTensors& given, const Grids& grids,
                                  const at::Tensor& dSums) {
  return cuda::sampledSumsBack(given, grids, dSums);
}
#else
const at::Device kDevice(at::kCUDA, 0);
bool kernelsRun() {
  return cudaIsAvailable() &&
         cuda::sampledTake({at::ones({1, 1, 1, 1}, kDevice), at::ones({1, 1, 1, 1, 1, 2}, kDevice),
                            at::ones({1, 1, 1, 1, 1}, kDevice)});
}
at::Tensor sumsByKernels(const SampledTensors& given, const Grids& grids) {
  return cuda::sampledOnCuda(given, grids);
}
SampledTensors gradientsByKernels(const SampledTensors& given, const Grids& grids,
                                  const at::Tensor& dSums) {
  return cuda::sampledBackOnCuda(given, grids, dSums);
}
#endif

/// 2 images, 9 queries, 3 heads; places reach up to two cells beyond every edge.
struct SampledCase {
  Grids grids;
  SampledTensors tensors;

  SampledCase(const Grids& levels, std::int64_t points, std::int64_t width) : grids(levels) {
    at::manual_seed(7);
    std::int64_t cells = 0;
    std::vector<at::Tensor> places;
    for (const Grid& grid : grids) {
      cells += grid.patches();
      const at::Tensor x = at::rand({2, 9, 3, points}, at::kDouble) * (grid.cols + 4) - 2,
                       y = at::rand({2, 9, 3, points}, at::kDouble) * (grid.rows + 4) - 2;
      places.push_back(at::stack({x, y}, -1));
    }
    const auto count = static_cast<std::int64_t>(grids.size());
    tensors = {at::randn({2, cells, 3, width}, at::kDouble), at::stack(places, 3),
               at::randn({2, 9, 3, count, points}, at::kDouble)};
  }
  SampledTensors as(at::ScalarType type) const {
    const auto options = at::TensorOptions(kDevice).dtype(type);
    return {tensors.values.to(options), tensors.places.to(options), tensors.weights.to(options)};
  }
};

/// Features that fill no warp, and those that fill more than one; a level of one cell.
std::vector<SampledCase> sampledCases() {
  return {{{{2, 3, 0}, {4, 6, 0}, {8, 12, 0}}, 4, 32},
          {{{1, 7, 0}, {5, 2, 0}, {1, 1, 0}}, 3, 5},
          {{{6, 5, 0}}, 1, 37}};
}

/// One feature of one cell; 0 outside.
double cellValue(const at::Tensor& values, const Grid& grid, std::int64_t first, int row, int col) {
  if (row < 0 || row >= grid.rows || col < 0 || col >= grid.cols) return 0;
  return values[first + row * grid.cols + col].item<double>();
}

double naiveRead(const at::Tensor& values, const Grid& grid, std::int64_t first, double x,
                 double y) {
  const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
  double sum = 0;
  for (int down = 0; down < 2; ++down)
    for (int across = 0; across < 2; ++across)
      sum += (1 - std::abs(y - 0.5 - top - down)) * (1 - std::abs(x - 0.5 - left - across)) *
             cellValue(values, grid, first, static_cast<int>(top) + down,
                       static_cast<int>(left) + across);
  return sum;
}

double naiveSum(const SampledCase& given, int image, int query, int head, int feature) {
  const at::Tensor values = given.tensors.values[image].select(1, head).select(1, feature);
  double sum = 0;
  std::int64_t first = 0;
  for (std::size_t l = 0; l < given.grids.size(); ++l) {
    const at::Tensor places =
                         given.tensors.places[image][query][head][static_cast<std::int64_t>(l)],
                     weights =
                         given.tensors.weights[image][query][head][static_cast<std::int64_t>(l)];
    for (std::int64_t p = 0; p < places.size(0); ++p)
      sum += weights[p].item<double>() * naiveRead(values, given.grids[l], first,
                                                   places[p][0].item<double>(),
                                                   places[p][1].item<double>());
    first += given.grids[l].patches();
  }
  return sum;
}

/// The sums through LibTorch, a level at a time.
at::Tensor sumsByGridSampler(const SampledTensors& given, const Grids& grids) {
  const std::int64_t images = given.values.size(0), heads = given.values.size(2),
                     width = given.values.size(3);
  at::Tensor sum;
  std::int64_t first = 0;
  for (std::size_t l = 0; l < grids.size(); ++l) {
    const Grid& grid = grids[l];
    const auto level = static_cast<std::int64_t>(l);
    const at::Tensor maps = given.values.narrow(1, first, grid.patches())
                                .permute({0, 2, 3, 1})
                                .reshape({images * heads, width, grid.rows, grid.cols});
    const at::Tensor at = given.places.select(3, level).permute({0, 2, 1, 3, 4}).flatten(0, 1);
    const at::Tensor places =
        at::stack({at.select(-1, 0) * (2.0 / grid.cols), at.select(-1, 1) * (2.0 / grid.rows)}, -1);
    const at::Tensor read = at::grid_sampler(maps, places - 1, 0, 0, false);
    const at::Tensor weights =
        given.weights.select(3, level).permute({0, 2, 1, 3}).flatten(0, 1).unsqueeze(1);
    const at::Tensor part = (read * weights).sum(-1);
    sum = sum.defined() ? sum + part : part;
    first += grid.patches();
  }
  return sum.reshape({images, heads * width, -1}).transpose(1, 2);
}

std::vector<at::Tensor> gradientsByGridSampler(const SampledCase& given, const at::Tensor& dSums) {
  SampledTensors leaves;
  leaves.values = given.tensors.values.clone().requires_grad_();
  leaves.places = given.tensors.places.clone().requires_grad_();
  leaves.weights = given.tensors.weights.clone().requires_grad_();
  return torch::autograd::grad({sumsByGridSampler(leaves, given.grids)},
                               {leaves.values, leaves.places, leaves.weights}, {dSums});
}

at::Tensor upstreamOf(const SampledCase& given) {
  return at::linspace(-1, 1, 2 * 9 * 3 * given.tensors.values.size(3), at::kDouble)
      .view({2, 9, -1});
}

class SampledCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kernelsRun()) GTEST_SKIP() << "no CUDA compiler at build time or no device";
  }
  static void expectClose(const at::Tensor& found, const at::Tensor& expected, double tolerance,
                          const std::string& what) {
    EXPECT_LT(gapOf(found, expected), tolerance * (1 + expected.abs().max().item<double>()))
        << what;
  }
};

TEST_F(SampledCuda, EqualsNaiveReads) {
  for (const SampledCase& given : sampledCases()) {
    const at::Tensor found = sumsByKernels(given.as(at::kDouble), given.grids).to(at::kCPU);
    const int width = static_cast<int>(given.tensors.values.size(3));
    for (int image = 0; image < 2; ++image)
      for (const int query : {0, 4, 8})
        for (int head = 0; head < 3; ++head)
          for (const int feature : {0, width - 1})
            EXPECT_NEAR(found[image][query][head * width + feature].item<double>(),
                        naiveSum(given, image, query, head, feature), 1e-12);
  }
}

TEST_F(SampledCuda, EqualsGridSamplerAndItsGradients) {
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-10}, std::pair{at::kFloat, 1e-5}})
    for (const SampledCase& given : sampledCases()) {
      const SampledTensors tensors = given.as(type);
      expectClose(sumsByKernels(tensors, given.grids),
                  sumsByGridSampler(given.tensors, given.grids), tolerance, "sums");
      const at::Tensor dSums = upstreamOf(given);
      const SampledTensors found =
          gradientsByKernels(tensors, given.grids, dSums.to(tensors.values));
      const auto expected = gradientsByGridSampler(given, dSums);
      expectClose(found.values, expected[0], tolerance, "values");
      expectClose(found.places, expected[1], tolerance, "places");
      expectClose(found.weights, expected[2], tolerance, "weights");
    }
}

/// Of tiny gradients beside large values, too.
TEST_F(SampledCuda, KeepsSmallGradients) {
  const SampledCase given = sampledCases().front();
  const at::Tensor dSums = upstreamOf(given) * 1e-12;
  const SampledTensors tensors = given.as(at::kFloat);
  const at::Tensor found =
      gradientsByKernels(tensors, given.grids, dSums.to(tensors.values)).values.to(at::kDouble);
  const at::Tensor expected = gradientsByGridSampler(given, dSums)[0];
  EXPECT_LT(gapOf(found * 1e12, expected * 1e12), 1e-4);
}

TEST_F(SampledCuda, GivesTheSameBitsEveryTime) {
  const SampledCase given = sampledCases().front();
  const SampledTensors tensors = given.as(at::kFloat);
  const at::Tensor dSums = upstreamOf(given).to(tensors.values);
  const SampledTensors first = gradientsByKernels(tensors, given.grids, dSums),
                       second = gradientsByKernels(tensors, given.grids, dSums);
  EXPECT_TRUE(at::equal(first.values, second.values));
  EXPECT_TRUE(at::equal(first.places, second.places));
  EXPECT_TRUE(at::equal(first.weights, second.weights));
}

TEST_F(SampledCuda, PassesOnWhatIsNoNumber) {
  const SampledCase given = sampledCases().front();
  SampledTensors tensors = given.as(at::kFloat);
  tensors.places[1][4][2][0][3][1].fill_(NAN);
  const at::Tensor odd = sumsByKernels(tensors, given.grids).isnan();
  EXPECT_TRUE(odd[1][4].narrow(0, 2 * 32, 32).all().item<bool>());
  EXPECT_EQ(odd.sum().item<std::int64_t>(), 32);
  const at::Tensor dSums = upstreamOf(given).to(tensors.values);
  const SampledTensors gradients = gradientsByKernels(tensors, given.grids, dSums);
  EXPECT_TRUE(std::isnan(gradients.places[1][4][2][0][3][0].item<float>()));
  EXPECT_TRUE(std::isnan(gradients.weights[1][4][2][0][3].item<float>()));
  dSums[0][0][0].fill_(INFINITY);
  EXPECT_FALSE(gradientsByKernels(given.as(at::kFloat), given.grids, dSums)
                   .values.isfinite()
                   .any()
                   .item<bool>());
}

#ifdef HEADLIGHT_CUDA_ON_CPU

TEST_F(SampledCuda, DoesNotDependOnWhichLaneRunsFirst) {
  for (const SampledCase& given : sampledCases()) {
    const SampledTensors tensors = given.as(at::kFloat);
    const at::Tensor dSums = upstreamOf(given).to(tensors.values);
    const std::int64_t before = cuda_on_cpu::blocksRun();
    const SampledTensors forward = gradientsByKernels(tensors, given.grids, dSums);
    EXPECT_GT(cuda_on_cpu::blocksRun(), before);
    cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Backward);
    const SampledTensors backward = gradientsByKernels(tensors, given.grids, dSums);
    cuda_on_cpu::setLaneOrder(cuda_on_cpu::LaneOrder::Forward);
    EXPECT_TRUE(at::equal(forward.values, backward.values));
    EXPECT_TRUE(at::equal(forward.places, backward.places));
    EXPECT_TRUE(at::equal(forward.weights, backward.weights));
  }
}

#endif

}  // namespace headlight::sampled_cuda_test
