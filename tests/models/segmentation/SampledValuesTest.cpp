// SPDX-License-Identifier: GPL-3.0-or-later

// What deformable attention reads by loops of our own, in float32, against naive loops and against
// LibTorch's grid_sampler() in double precision.

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "core/attention/kernels/KernelChoice.h"
#include "core/models/segmentation/SampledValues.h"
#include "tests/models/segmentation/SegmenterSupport.h"

namespace headlight {
namespace {

/// Values, places and weights of 2 images, 19 queries, 3 heads and `points` points a level; places
/// reach up to two cells beyond every edge.
struct SampleCase {
  LevelGrids grids;
  at::Tensor values, places, weights;

  SampleCase(const LevelGrids& levels, std::int64_t points, std::int64_t width) : grids(levels) {
    seedTorch(11);
    std::int64_t cells = 0;
    std::vector<at::Tensor> ofLevels;
    for (const Grid& grid : grids) {
      cells += grid.patches();
      const at::Tensor sides = at::tensor({float(grid.cols + 4), float(grid.rows + 4)});
      ofLevels.push_back(at::rand({2, 19, 3, points, 2}) * sides - 2);
    }
    values = at::randn({2, cells, 3, width});
    places = at::stack(ofLevels, 3);
    weights = at::randn({2, 19, 3, static_cast<std::int64_t>(grids.size()), points});
  }
  at::Tensor sums() const { return sampledValues(values, grids, {places, weights}); }
};

/// Levels whose sides have nothing to do with each other, one of a single row and one of one cell;
/// features that fill no vector, and those that do.
std::vector<SampleCase> sampleCases() {
  return {{{{2, 3, 0}, {4, 6, 0}, {8, 12, 0}}, 4, 32},
          {{{1, 7, 0}, {5, 2, 0}, {1, 1, 0}, {3, 4, 0}}, 3, 5},
          {{{6, 5, 0}}, 1, 17}};
}

/// The three gradients of Σ sums · upstream, each relative to its greatest.
std::vector<at::Tensor> sampleGradients(const SampleCase& given, at::ScalarType type,
                                        const at::Tensor& upstream) {
  const auto leaf = [&](const at::Tensor& x) { return x.detach().to(type).requires_grad_(); };
  const at::Tensor values = leaf(given.values), places = leaf(given.places),
                   weights = leaf(given.weights);
  return torch::autograd::grad({sampledValues(values, given.grids, {places, weights})},
                               {values, places, weights}, {upstream.to(type)});
}

at::Tensor plainSums(const SampleCase& given) {
  const PlainKernels plain;
  return sampledValues(given.values.to(at::kDouble), given.grids,
                       {given.places.to(at::kDouble), given.weights.to(at::kDouble)});
}

TEST(SampledByLoops, EqualsNaiveReads) {
  for (const SampleCase& given : sampleCases()) {
    const at::Tensor found = given.sums(), expected = at::zeros(found.sizes(), at::kDouble),
                     values = given.values.to(at::kDouble);
    auto expects = expected.accessor<double, 3>();
    const auto place = given.places.accessor<float, 6>();
    const auto weight = given.weights.accessor<float, 5>();
    const std::int64_t width = values.size(3);
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t h = 0; h < 3; ++h) {
        const at::Tensor cells = values[b].select(1, h).contiguous();
        for (std::int64_t q = 0; q < 19; ++q)
          for (std::int64_t f = 0; f < width; ++f) {
            std::int64_t start = 0;
            for (std::int64_t l = 0; l < given.weights.size(3); ++l) {
              const Grid& grid = given.grids[static_cast<std::size_t>(l)];
              for (std::int64_t p = 0; p < given.weights.size(4); ++p)
                expects[b][q][h * width + f] +=
                    double(weight[b][q][h][l][p]) *
                    NaiveSegmenter::readAt(cells.accessor<double, 2>(), start,
                                           {grid.rows, grid.cols}, f, place[b][q][h][l][p][0],
                                           place[b][q][h][l][p][1]);
              start += grid.patches();
            }
          }
      }
    expectNear(found, expected, 1e-6, std::to_string(width));
  }
}

TEST(SampledByLoops, EqualsGridSamplerAndItsGradients) {
  for (const SampleCase& given : sampleCases()) {
    expectNear(given.sums(), plainSums(given), 1e-6, "sums");
    const at::Tensor upstream = at::randn_like(given.sums());
    const auto found = sampleGradients(given, at::kFloat, upstream),
               expected = sampleGradients(given, at::kDouble, upstream);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expectNear(found[i], expected[i], 1e-5, "gradient " + std::to_string(i));
  }
}

/// A cell's center reads that cell alone; the outermost half cells fade to 0; beyond is nothing.
TEST(SampledByLoops, ReadsCentersAndFadesAtTheEdges) {
  const LevelGrids grids{{2, 2, 0}};
  const at::Tensor values = at::tensor({1.f, 2.f, 3.f, 4.f}).view({1, 4, 1, 1});
  const auto read = [&](float x, float y) {
    return sampledValues(values, grids,
                         {at::tensor({x, y}).view({1, 1, 1, 1, 1, 2}), at::ones({1, 1, 1, 1, 1})})
        .item<float>();
  };
  EXPECT_EQ(read(0.5f, 0.5f), 1);
  EXPECT_EQ(read(1.5f, 0.5f), 2);
  EXPECT_EQ(read(0.5f, 1.5f), 3);
  EXPECT_EQ(read(1, 1), 2.5f);
  EXPECT_EQ(read(2, 1.5f), 2);
  EXPECT_EQ(read(0, 0), 0.25f);
  EXPECT_EQ(read(-0.5f, 0.5f), 0);
  EXPECT_EQ(read(2.5f, 0.5f), 0);
  EXPECT_EQ(read(-3e30f, 0.5f), 0);
  EXPECT_EQ(read(0.5f, 3e30f), 0);
}

TEST(SampledByLoops, PassesOnWhatIsNoNumber) {
  SampleCase given = sampleCases().front();
  const std::int64_t width = given.values.size(3);
  given.places[1][4][2][0][3][1] = NAN;
  given.places[0][2][0][1][0][0] = INFINITY;
  const at::Tensor odd = given.sums().isnan();
  EXPECT_TRUE(odd[1][4].narrow(0, 2 * width, width).all().item<bool>());
  EXPECT_TRUE(odd[0][2].narrow(0, 0, width).all().item<bool>());
  EXPECT_EQ(odd.sum().item<std::int64_t>(), 2 * width);
  const auto gradients = sampleGradients(given, at::kFloat, at::ones_like(given.sums()));
  EXPECT_TRUE(std::isnan(gradients[1][1][4][2][0][3][0].item<float>()));
  EXPECT_TRUE(std::isnan(gradients[2][1][4][2][0][3].item<float>()));
}

TEST(SampledByLoops, TakesAnyMemoryLayout) {
  const SampleCase given = sampleCases().front();
  const auto turned = [](const at::Tensor& x) {
    return x.transpose(0, 1).contiguous().transpose(0, 1);
  };
  const at::Tensor found = sampledValues(turned(given.values), given.grids,
                                         {turned(given.places), turned(given.weights)});
  EXPECT_TRUE(at::equal(found, given.sums()));
}

TEST(SampledByLoops, WithoutGradientsIsTheSame) {
  const SampleCase given = sampleCases().front();
  const at::Tensor learned = sampledValues(given.values.detach().requires_grad_(), given.grids,
                                           {given.places, given.weights});
  EXPECT_TRUE(learned.requires_grad());
  EXPECT_TRUE(at::equal(learned, given.sums()));
}

/// Of the weights alone: grid_sampler() has no second derivative.
TEST(SampledByLoops, GradientsHaveGradientsOfThePlainForm) {
  const SampleCase given = sampleCases().front();
  const at::Tensor upstream = at::randn_like(given.sums());
  std::vector<at::Tensor> second;
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor values = given.values.to(type),
                     weights = given.weights.to(type).detach().requires_grad_(),
                     dSums = upstream.to(type).detach().requires_grad_();
    const at::Tensor sums = sampledValues(values, given.grids, {given.places.to(type), weights});
    const auto first = torch::autograd::grad({sums}, {weights}, {dSums}, true, true);
    second.push_back(torch::autograd::grad({first[0].square().sum()}, {dSums})[0]);
  }
  expectNear(second[0], second[1], 1e-5, "second");
}

TEST(SampledByLoops, ThreadsChangeNoBit) {
  const int before = at::get_num_threads();
  const SampleCase given = sampleCases().front();
  const at::Tensor upstream = at::randn_like(given.sums());
  std::vector<at::Tensor> found;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    std::vector<at::Tensor> parts = sampleGradients(given, at::kFloat, upstream);
    parts.push_back(given.sums());
    for (at::Tensor& part : parts)
      part = part.reshape(-1);
    found.push_back(at::cat(parts));
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(found[0], found[1]));
  EXPECT_TRUE(at::equal(found[0], found[2]));
}

}  // namespace
}  // namespace headlight
