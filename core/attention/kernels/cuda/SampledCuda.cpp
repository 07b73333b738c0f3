// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/cuda/SampledCuda.h"

#include <c10/util/Exception.h>

#ifdef HEADLIGHT_CUDA
#include "core/attention/kernels/cuda/SampledKernels.h"
#endif

namespace headlight::cuda {

#ifndef HEADLIGHT_CUDA

bool sampledTake(const SampledTensors&) {
  return false;
}

at::Tensor sampledOnCuda(const SampledTensors&, const std::vector<Grid>&) {
  TORCH_CHECK(false, "this build has no CUDA kernels");
}

SampledTensors sampledBackOnCuda(const SampledTensors&, const std::vector<Grid>&,
                                 const at::Tensor&) {
  TORCH_CHECK(false, "this build has no CUDA kernels");
}

#else

bool sampledTake(const SampledTensors& given) {
  const at::ScalarType type = given.values.scalar_type();
  if (!given.values.is_cuda() || (type != at::kFloat && type != at::kDouble)) return false;
  for (const at::Tensor& tensor : {given.values, given.places, given.weights})
    if (tensor.device() != given.values.device() || tensor.scalar_type() != type ||
        tensor.numel() == 0)
      return false;
  return given.weights.size(3) <= kMostLevels;
}

at::Tensor sampledOnCuda(const SampledTensors& given, const std::vector<Grid>& grids) {
  TORCH_CHECK(sampledTake(given), "float or double on a CUDA device");
  return sampledSums(given, grids);
}

SampledTensors sampledBackOnCuda(const SampledTensors& given, const std::vector<Grid>& grids,
                                 const at::Tensor& dSums) {
  TORCH_CHECK(sampledTake(given), "float or double on a CUDA device");
  return sampledSumsBack(given, grids, dSums);
}

#endif

}  // namespace headlight::cuda
