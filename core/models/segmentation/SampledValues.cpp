// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/SampledValues.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/cuda/SampledCuda.h"
#include "core/models/segmentation/SampledLoops.h"

namespace headlight {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// [B, N', H, d] → [B·H, d, rows, cols].
at::Tensor mapsOfHeads(const at::Tensor& values, const Grid& grid) {
  return values.permute({0, 2, 3, 1})
      .reshape({values.size(0) * values.size(2), values.size(3), grid.rows, grid.cols});
}

/// Places of one level, [B, Q, H, P, 2], as grid_sampler() has them: [B·H, Q, P, 2] in [-1, 1].
at::Tensor samplerPlaces(const at::Tensor& places, const Grid& grid) {
  const at::Tensor x = places.select(-1, 0) * (2.0 / grid.cols) - 1,
                   y = places.select(-1, 1) * (2.0 / grid.rows) - 1;
  return at::stack({x, y}, -1).permute({0, 2, 1, 3, 4}).flatten(0, 1);
}

/// What one level gives, [B·H, d, Q].
at::Tensor sampledLevel(const at::Tensor& values, const Grid& grid, const at::Tensor& places,
                        const at::Tensor& weights) {
  constexpr std::int64_t kBilinear = 0, kZeros = 0;
  const at::Tensor read =
      at::grid_sampler(mapsOfHeads(values, grid), samplerPlaces(places, grid), kBilinear, kZeros,
                       /*align_corners=*/false);
  return (read * weights.permute({0, 2, 1, 3}).flatten(0, 1).unsqueeze(1)).sum(-1);
}

at::Tensor plainlySampled(const at::Tensor& values, const LevelGrids& grids,
                          const SampledPlaces& sampled) {
  at::Tensor sum;
  std::int64_t start = 0;
  for (std::size_t l = 0; l < grids.size(); ++l) {
    const auto level = static_cast<std::int64_t>(l);
    const at::Tensor part =
        sampledLevel(values.narrow(1, start, grids[l].patches()), grids[l],
                     sampled.places.select(3, level), sampled.weights.select(3, level));
    sum = sum.defined() ? sum + part : part;
    start += grids[l].patches();
  }
  return sum.reshape({values.size(0), values.size(2) * values.size(3), -1}).transpose(1, 2);
}

/// Values, places and weights as the loops take them.
struct LoopTensors {
  at::Tensor values, places, weights;

  LoopTensors(const at::Tensor& givenValues, const SampledPlaces& sampled)
      : values(givenValues.contiguous()),
        places(sampled.places.contiguous()),
        weights(sampled.weights.contiguous()) {}

  SampledSizes sizes(const LevelGrids& grids) const {
    return {grids,          values.size(0), values.size(1), places.size(1),
            values.size(2), places.size(4), values.size(3)};
  }
  SampledMemory<const float> memory() const {
    return {values.data_ptr<float>(), places.data_ptr<float>(), weights.data_ptr<float>()};
  }
};

at::Tensor sampledByLoops(const at::Tensor& values, const LevelGrids& grids,
                          const SampledPlaces& sampled) {
  const LoopTensors given(values, sampled);
  const SampledSizes sizes = given.sizes(grids);
  at::Tensor sums =
      at::empty({sizes.images, sizes.queries, sizes.heads * sizes.width}, values.options());
  sumSamples(sizes, given.memory(), sums.data_ptr<float>());
  return sums;
}

variable_list gradientsByLoops(const at::Tensor& values, const LevelGrids& grids,
                               const SampledPlaces& sampled, const at::Tensor& gradient) {
  const LoopTensors given(values, sampled);
  const at::Tensor dSums = gradient.contiguous(), dValues = at::zeros_like(given.values),
                   dPlaces = at::empty_like(given.places), dWeights = at::empty_like(given.weights);
  sumSamplesBack(
      given.sizes(grids), given.memory(), dSums.data_ptr<float>(),
      {dValues.data_ptr<float>(), dPlaces.data_ptr<float>(), dWeights.data_ptr<float>()});
  return {dValues, dPlaces, dWeights};
}

/// With a graph of their own, through the plain form.
variable_list differentiableGradients(const at::Tensor& values, const LevelGrids& grids,
                                      const SampledPlaces& sampled, const at::Tensor& gradient) {
  variable_list asked;
  for (const at::Tensor& input : {values, sampled.places, sampled.weights})
    if (input.requires_grad()) asked.push_back(input);
  const variable_list found =
      torch::autograd::grad({plainlySampled(values, grids, sampled)}, asked, {gradient},
                            /*retain_graph=*/true, /*create_graph=*/true);
  variable_list gradients;
  auto next = found.begin();
  for (const at::Tensor& input : {values, sampled.places, sampled.weights})
    gradients.push_back(input.requires_grad() ? *next++ : at::Tensor());
  return gradients;
}

/// Rows and columns of every level, which a context can keep.
std::vector<std::int64_t> sidesOf(const LevelGrids& grids) {
  std::vector<std::int64_t> sides;
  for (const Grid& grid : grids)
    sides.insert(sides.end(), {grid.rows, grid.cols});
  return sides;
}
LevelGrids gridsOf(const std::vector<std::int64_t>& sides) {
  LevelGrids grids;
  for (std::size_t i = 0; i < sides.size(); i += 2)
    grids.push_back({static_cast<int>(sides[i]), static_cast<int>(sides[i + 1]), /*prefix=*/0});
  return grids;
}

/// By the kernels of the device.
at::Tensor sampledDirectly(const at::Tensor& values, const LevelGrids& grids,
                           const SampledPlaces& sampled) {
  return values.is_cuda() ? cuda::sampledOnCuda({values, sampled.places, sampled.weights}, grids)
                          : sampledByLoops(values, grids, sampled);
}

variable_list directGradients(const at::Tensor& values, const LevelGrids& grids,
                              const SampledPlaces& sampled, const at::Tensor& gradient) {
  if (!values.is_cuda()) return gradientsByLoops(values, grids, sampled, gradient);
  const cuda::SampledTensors found =
      cuda::sampledBackOnCuda({values, sampled.places, sampled.weights}, grids, gradient);
  return {found.values, found.places, found.weights};
}

class SampledByKernels : public torch::autograd::Function<SampledByKernels> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values,
                            const at::Tensor& places, const at::Tensor& weights,
                            const LevelGrids& grids) {
    context->save_for_backward({values, places, weights});
    context->saved_data["sides"] = sidesOf(grids);
    return sampledDirectly(values, grids, {places, weights});
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const auto gradientsOf = at::GradMode::is_enabled() ? differentiableGradients : directGradients;
    variable_list found = gradientsOf(saved[0], gridsOf(context->saved_data["sides"].toIntVector()),
                                      {saved[1], saved[2]}, gradients[0]);
    found.emplace_back();  // of the grids
    return found;
  }
};

bool isForLoops(const at::Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat && tensor.numel() > 0;
}

bool hasKernels(const at::Tensor& values, const SampledPlaces& sampled) {
  if (isForLoops(values) && isForLoops(sampled.places) && isForLoops(sampled.weights)) return true;
  return cuda::sampledTake({values, sampled.places, sampled.weights});
}

}  // namespace

at::Tensor sampledValues(const at::Tensor& values, const LevelGrids& grids,
                         const SampledPlaces& sampled) {
  const auto& [places, weights] = sampled;
  if (PlainKernels::wanted() || !hasKernels(values, sampled))
    return plainlySampled(values, grids, sampled);
  const bool learns = at::GradMode::is_enabled() &&
                      (values.requires_grad() || places.requires_grad() || weights.requires_grad());
  return learns ? SampledByKernels::apply(values, places, weights, grids)
                : sampledDirectly(values, grids, sampled);
}

}  // namespace headlight
