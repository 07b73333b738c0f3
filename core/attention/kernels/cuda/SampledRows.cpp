// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/cuda/SampledRows.h"

// Without CUDA there is nothing here.
#ifdef HEADLIGHT_CUDA

#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <limits>

#include "core/attention/kernels/cuda/SampledKernels.h"

namespace headlight::cuda {
namespace {

SampledTensors contiguousOf(const SampledTensors& given) {
  return {given.values.contiguous(), given.places.contiguous(), given.weights.contiguous()};
}

/// Of contiguous tensors, which must stay as long.
template <typename T>
SampledView<T> sampledView(const SampledTensors& given, const std::vector<Grid>& grids) {
  SampledView<T> view{given.values.data_ptr<T>(),
                      given.places.data_ptr<T>(),
                      given.weights.data_ptr<T>(),
                      given.values.size(0),
                      given.values.size(1),
                      given.places.size(1),
                      given.values.size(2),
                      given.places.size(4),
                      given.values.size(3),
                      static_cast<int>(grids.size()),
                      {}};
  std::int64_t firstCell = 0;
  for (std::size_t l = 0; l < grids.size(); ++l) {
    view.level[l] = {grids[l].rows, grids[l].cols, firstCell};
    firstCell += grids[l].patches();
  }
  return view;
}

void checkSampled(const SampledTensors& given, const std::vector<Grid>& grids) {
  TORCH_CHECK(grids.size() <= kMostLevels, "at most ", kMostLevels, " levels");
  TORCH_CHECK(given.places.size(0) * given.places.size(1) * given.places.size(2) / 4 <
                  std::numeric_limits<std::int32_t>::max(),
              "the batch has too many queries for one launch; use a smaller batch");
}

/// A power of 2: the sum of all parts of a value's gradient, times it, is a whole number of less
/// than 63 bits. A value gets at most one part from each query and point, none larger than the
/// largest gradient times the largest weight.
at::Tensor scaleOfParts(const SampledTensors& given, const at::Tensor& dSums) {
  constexpr double kBits = 61, kLeast = 1e-30;
  const auto parts = static_cast<double>(given.places.size(1) * given.places.size(4));
  const at::Tensor largest =
      dSums.abs().max().to(at::kDouble) * given.weights.abs().max().to(at::kDouble);
  return (kBits - (largest.clamp_min(kLeast) * parts).log2()).floor().exp2();
}

}  // namespace

at::Tensor sampledSums(const SampledTensors& givenAnyhow, const std::vector<Grid>& grids) {
  checkSampled(givenAnyhow, grids);
  const c10::cuda::CUDAGuard guard(givenAnyhow.values.device());
  const SampledTensors given = contiguousOf(givenAnyhow);
  const std::int64_t features = given.values.size(2) * given.values.size(3);
  const at::Tensor sums =
      at::empty({given.values.size(0), given.places.size(1), features}, given.values.options());
  const auto stream = c10::cuda::getCurrentCUDAStream(given.values.get_device());
  AT_DISPATCH_FLOATING_TYPES(given.values.scalar_type(), "sampledSums", [&] {
    C10_CUDA_CHECK(forwardSamples<scalar_t>(sampledView<scalar_t>(given, grids),
                                            sums.data_ptr<scalar_t>(), stream.stream()));
  });
  return sums;
}

SampledTensors sampledSumsBack(const SampledTensors& givenAnyhow, const std::vector<Grid>& grids,
                               const at::Tensor& dSumsAnyhow) {
  checkSampled(givenAnyhow, grids);
  const c10::cuda::CUDAGuard guard(givenAnyhow.values.device());
  const SampledTensors given = contiguousOf(givenAnyhow);
  const at::Tensor dSums = dSumsAnyhow.contiguous(), scale = scaleOfParts(given, dSums);
  const at::Tensor whole = at::zeros(given.values.sizes(), given.values.options().dtype(at::kLong)),
                   dPlaces = at::empty_like(given.places), dWeights = at::empty_like(given.weights);
  const auto stream = c10::cuda::getCurrentCUDAStream(given.values.get_device());
  AT_DISPATCH_FLOATING_TYPES(given.values.scalar_type(), "sampledSumsBack", [&] {
    const SampledGradients<scalar_t> gradients{
        scale.data_ptr<double>(), whole.data_ptr<std::int64_t>(), dPlaces.data_ptr<scalar_t>(),
        dWeights.data_ptr<scalar_t>()};
    const auto view = sampledView<scalar_t>(given, grids);
    const auto* dOut = dSums.data_ptr<scalar_t>();
    C10_CUDA_CHECK(backwardSamples<scalar_t>(view, dOut, gradients, stream.stream()));
  });
  return {(whole.to(at::kDouble) / scale).to(given.values.scalar_type()), dPlaces, dWeights};
}

}  // namespace headlight::cuda

#endif
