// SPDX-License-Identifier: GPL-3.0-or-later

// One thread computes one value of a map; of the filters' gradient one block a channel and slice of
// the images. Each sum is taken in a fixed order, without atomics.

#include "core/attention/kernels/cuda/DepthwiseKernels.h"
#include "core/attention/kernels/cuda/KernelLaunch.h"
#include "core/attention/kernels/cuda/Warps.h"

namespace headlight::cuda {
namespace {

constexpr unsigned kThreads = 128, kWarps = kThreads / kLanes;

/// A value of maps [B, C, rows, cols].
struct MapPlace {
  std::uint32_t plane, channel;  ///< plane: of [B, C]
  int row, col;
};

__device__ MapPlace mapPlace(std::uint32_t index, std::uint32_t channels, std::uint32_t rows,
                             std::uint32_t cols) {
  const std::uint32_t line = index / cols, plane = line / rows;
  return {plane, plane % channels, int(line % rows), int(index % cols)};
}

__device__ std::uint32_t indexHere() {
  return blockIdx.x * kThreads + threadIdx.x;
}

template <typename T, int kSide>
__global__ void forwardDepthwiseKernel(DepthwiseView<T> view, T* out) {
  const std::uint32_t index = indexHere();
  if (index >= view.images * view.channels * view.outRows * view.outCols) return;
  const MapPlace at = mapPlace(index, view.channels, view.outRows, view.outCols);
  const T* map = view.maps + at.plane * view.rows * view.cols;
  const T* filter = view.filters + at.channel * kSide * kSide;
  const int top = at.row * view.stride - kSide / 2, left = at.col * view.stride - kSide / 2;
  T sum = 0;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const int row = top + i, col = left + j;
      if (row >= 0 && row < int(view.rows) && col >= 0 && col < int(view.cols))
        sum += filter[i * kSide + j] * map[row * int(view.cols) + col];
    }
  out[index] = sum;
}

template <typename T, int kSide>
__global__ void backwardDepthwiseMapsKernel(DepthwiseView<T> view, const T* dOut, T* dMaps) {
  const std::uint32_t index = indexHere();
  if (index >= view.images * view.channels * view.rows * view.cols) return;
  const MapPlace at = mapPlace(index, view.channels, view.rows, view.cols);
  const T* gradient = dOut + at.plane * view.outRows * view.outCols;
  const T* filter = view.filters + at.channel * kSide * kSide;
  T sum = 0;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const int down = at.row + kSide / 2 - i, across = at.col + kSide / 2 - j;
      if (down < 0 || across < 0 || down % view.stride != 0 || across % view.stride != 0) continue;
      const int row = down / view.stride, col = across / view.stride;
      if (row < int(view.outRows) && col < int(view.outCols))
        sum += filter[i * kSide + j] * gradient[row * int(view.outCols) + col];
    }
  dMaps[index] = sum;
}

/// What one value of the output's gradient gives each tap.
template <typename T, int kSide>
__device__ void addTaps(const DepthwiseView<T>& view, const T* map, int outRow, int outCol,
                        T gradient, T* taps) {
  const int top = outRow * view.stride - kSide / 2, left = outCol * view.stride - kSide / 2;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const int row = top + i, col = left + j;
      if (row >= 0 && row < int(view.rows) && col >= 0 && col < int(view.cols))
        taps[i * kSide + j] += gradient * map[row * int(view.cols) + col];
    }
}

template <typename T, int kSide>
__global__ void backwardDepthwiseFiltersKernel(DepthwiseView<T> view, const T* dOut,
                                               std::uint32_t slices, T* parts) {
  constexpr int kTaps = kSide * kSide;
  __shared__ T ofWarps[kWarps][kTaps];
  const std::uint32_t channel = blockIdx.x % view.channels, slice = blockIdx.x / view.channels;
  const std::uint32_t places = view.outRows * view.outCols;
  T taps[kTaps] = {};
  for (std::uint32_t image = slice; image < view.images; image += slices) {
    const std::uint32_t plane = image * view.channels + channel;
    const T *map = view.maps + plane * view.rows * view.cols, *gradient = dOut + plane * places;
    for (std::uint32_t place = threadIdx.x; place < places; place += kThreads)
      addTaps<T, kSide>(view, map, int(place / view.outCols), int(place % view.outCols),
                        gradient[place], taps);
  }
  for (int t = 0; t < kTaps; ++t) {
    const T sum = sumOver(kLanes, taps[t]);
    if (threadIdx.x % kLanes == 0) ofWarps[threadIdx.x / kLanes][t] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= kTaps) return;
  T sum = 0;
  for (unsigned warp = 0; warp < kWarps; ++warp)
    sum += ofWarps[warp][threadIdx.x];
  parts[blockIdx.x * kTaps + threadIdx.x] = sum;
}

unsigned blocksFor(std::uint32_t values) {
  return (values + kThreads - 1) / kThreads;
}

}  // namespace

template <typename T>
cudaError_t forwardDepthwise(const DepthwiseView<T>& view, T* out, cudaStream_t stream) {
  const unsigned blocks = blocksFor(view.images * view.channels * view.outRows * view.outCols);
  if (blocks == 0) return cudaSuccess;
  return launch(view.side == 3 ? forwardDepthwiseKernel<T, 3> : forwardDepthwiseKernel<T, 5>,
                blocks, kThreads, stream, view, out);
}

template <typename T>
cudaError_t backwardDepthwiseMaps(const DepthwiseView<T>& view, const T* dOut, T* dMaps,
                                  cudaStream_t stream) {
  const unsigned blocks = blocksFor(view.images * view.channels * view.rows * view.cols);
  if (blocks == 0) return cudaSuccess;
  return launch(
      view.side == 3 ? backwardDepthwiseMapsKernel<T, 3> : backwardDepthwiseMapsKernel<T, 5>,
      blocks, kThreads, stream, view, dOut, dMaps);
}

template <typename T>
cudaError_t backwardDepthwiseFilters(const DepthwiseView<T>& view, const T* dOut,
                                     std::uint32_t slices, T* parts, cudaStream_t stream) {
  const unsigned blocks = view.channels * slices;
  if (blocks == 0) return cudaSuccess;
  return launch(
      view.side == 3 ? backwardDepthwiseFiltersKernel<T, 3> : backwardDepthwiseFiltersKernel<T, 5>,
      blocks, kThreads, stream, view, dOut, slices, parts);
}

template cudaError_t forwardDepthwise(const DepthwiseView<float>&, float*, cudaStream_t);
template cudaError_t forwardDepthwise(const DepthwiseView<double>&, double*, cudaStream_t);
template cudaError_t backwardDepthwiseMaps(const DepthwiseView<float>&, const float*, float*,
                                           cudaStream_t);
template cudaError_t backwardDepthwiseMaps(const DepthwiseView<double>&, const double*, double*,
                                           cudaStream_t);
template cudaError_t backwardDepthwiseFilters(const DepthwiseView<float>&, const float*,
                                              std::uint32_t, float*, cudaStream_t);
template cudaError_t backwardDepthwiseFilters(const DepthwiseView<double>&, const double*,
                                              std::uint32_t, double*, cudaStream_t);

}  // namespace headlight::cuda
