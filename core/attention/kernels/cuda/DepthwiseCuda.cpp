// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/cuda/DepthwiseCuda.h"

#include <c10/util/Exception.h>

#ifdef HEADLIGHT_CUDA
#include <limits>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/cuda/DepthwiseKernels.h"
#include "core/attention/kernels/cuda/DepthwiseRows.h"
#endif

namespace headlight::cuda {

#ifndef HEADLIGHT_CUDA

bool depthwiseTake(const at::Tensor&, const at::Tensor&) {
  return false;
}

at::Tensor depthwiseOnCuda(const at::Tensor&, const at::Tensor&, std::int64_t) {
  TORCH_CHECK(false, "this build has no CUDA kernels");
}

#else

bool depthwiseTake(const at::Tensor& maps, const at::Tensor& filters) {
  const at::ScalarType type = maps.scalar_type();
  return maps.is_cuda() && (type == at::kFloat || type == at::kDouble) && maps.dim() == 4 &&
         maps.numel() > 0 && maps.numel() < std::numeric_limits<std::int32_t>::max() &&
         filters.device() == maps.device() && filters.scalar_type() == type && filters.dim() == 4 &&
         filters.size(0) == maps.size(1) && filters.size(1) == 1 &&
         filters.size(2) == filters.size(3) && takesSide(filters.size(2)) &&
         precisionNow(maps.device()) == Precision::Float32;
}

at::Tensor depthwiseOnCuda(const at::Tensor& maps, const at::Tensor& filters, std::int64_t stride) {
  TORCH_CHECK(depthwiseTake(maps, filters), "float or double on a CUDA device");
  return depthwiseRows(maps, filters, stride);
}

#endif

}  // namespace headlight::cuda
