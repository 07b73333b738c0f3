// SPDX-License-Identifier: GPL-3.0-or-later

// KernelCases.h: multi-scale deformable attention.

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <optional>

#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/cuda/SampledCuda.h"
#include "core/base/Translation.h"
#include "core/models/segmentation/SampledValues.h"
#include "core/workbench/selftest/FloatGaps.h"
#include "core/workbench/selftest/KernelCases.h"

namespace headlight {
namespace {

constexpr std::uint64_t kSamplesSeed = 7;
constexpr std::int64_t kSamplesImages = 2, kSamplesQueries = 9, kSamplesHeads = 3;

at::Tensor leafOn(const at::Tensor& drawn, const KernelSide& side) {
  return drawn.to(side.options()).requires_grad_();
}

/// [images, queries, heads, points, 2] in cells of the grid.
at::Tensor placesOn(const Grid& grid, std::int64_t points, std::uint64_t seed) {
  const at::Tensor shares =
      seededUniform({kSamplesImages, kSamplesQueries, kSamplesHeads, points, 2}, seed);
  const at::Tensor x = shares.select(-1, 0) * (grid.cols + 4) - 2,
                   y = shares.select(-1, 1) * (grid.rows + 4) - 2;
  return at::stack({x, y}, -1);
}

/// [images, queries, heads, levels, points, 2].
at::Tensor placesOfLevels(const SamplesCase& given) {
  std::vector<at::Tensor> levels;
  for (std::size_t level = 0; level < given.grids.size(); ++level)
    levels.push_back(placesOn(given.grids[level], given.points, kSamplesSeed + level));
  return at::stack(levels, 3);
}

std::int64_t levelCells(const SamplesCase& given) {
  std::int64_t cells = 0;
  for (const Grid& grid : given.grids)
    cells += grid.patches();
  return cells;
}

at::Tensor samplesRead(const at::Tensor& values, const SamplesCase& given,
                       const SampledPlaces& places, bool plain) {
  std::optional<PlainKernels> scope;
  if (plain) scope.emplace();
  return sampledValues(values, given.grids, places);
}

}  // namespace

/// Features that fill no warp, and those that fill more than one; a level of one cell.
std::vector<SamplesCase> samplesCases() {
  return {{{{2, 3, 0}, {4, 6, 0}, {8, 12, 0}}, 4, 32},
          {{{1, 7, 0}, {5, 2, 0}, {1, 1, 0}}, 3, 5},
          {{{6, 5, 0}}, 1, 37}};
}

KernelOutcome samplesOutcome(const SamplesCase& given, const KernelSide& side) {
  const auto levels = static_cast<std::int64_t>(given.grids.size());
  const at::Tensor values = leafOn(
      seededNoise({kSamplesImages, levelCells(given), kSamplesHeads, given.width}, kSamplesSeed),
      side);
  const at::Tensor places = leafOn(placesOfLevels(given), side);
  const at::Tensor weights =
      leafOn(seededNoise({kSamplesImages, kSamplesQueries, kSamplesHeads, levels, given.points},
                         kSamplesSeed + 9),
             side);
  const at::Tensor out = samplesRead(values, given, {places, weights}, side.plain);
  const at::Tensor upstream =
      at::linspace(-1, 1, out.numel(), at::kDouble).view(out.sizes()).to(side.options());
  return {{out.detach()}, torch::autograd::grad({out}, {values, places, weights}, {upstream})};
}

std::string samplesKernel(const at::Device& device) {
  if (device.is_cpu()) return tr("fused loops (CPU)");
  const at::TensorOptions options(device);
  const bool own =
      cuda::sampledTake({at::ones({1, 1, 1, 1}, options), at::ones({1, 1, 1, 1, 1, 2}, options),
                         at::ones({1, 1, 1, 1, 1}, options)});
  return own ? tr("CUDA kernels") : tr("LibTorch's grid sampler");
}

}  // namespace headlight
