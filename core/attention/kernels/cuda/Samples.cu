// SPDX-License-Identifier: GPL-3.0-or-later

// One warp computes one query of one head of one image; its lanes are features.

#include <cmath>

#include "core/attention/kernels/cuda/KernelLaunch.h"
#include "core/attention/kernels/cuda/SampledKernels.h"
#include "core/attention/kernels/cuda/Warps.h"

namespace headlight::cuda {
namespace {

constexpr int kWarpsInBlock = 4, kCorners = 4;
constexpr std::int64_t kOutside = -1;

/// A query and head, and the lane that asks.
struct SampledTask {
  std::int64_t firstCell, firstPlace, firstSum;  ///< in memory
  int lane;
  bool exists;  ///< false on all lanes of a warp beyond the last
};

template <typename T>
__device__ SampledTask taskHere(const SampledView<T>& view) {
  const std::int64_t warp = std::int64_t(blockIdx.x) * kWarpsInBlock + threadIdx.x / kLanes;
  const std::int64_t head = warp % view.heads, row = warp / view.heads, image = row / view.queries;
  return {(image * view.cells * view.heads + head) * view.width, warp * view.levels * view.points,
          warp * view.width, int(threadIdx.x % kLanes), image < view.images};
}

template <typename T>
__device__ bool isNumber(T value) {
  return value - value == T(0);
}

/// The cells around a place: left and right above, left and right below.
template <typename T>
struct ReadCorners {
  std::int64_t cells[kCorners];  ///< of all levels; kOutside
  T shares[kCorners];
  T right, below;  ///< how far it is on the way to those, in [0, 1)
  bool isNumber, isNear;
};

template <typename T>
__device__ ReadCorners<T> cornersAt(const T* place, const SampledLevel& level) {
  ReadCorners<T> corners{};
  const T x = place[0] - T(0.5), y = place[1] - T(0.5);
  corners.isNumber = isNumber(x) && isNumber(y);
  corners.isNear = x >= T(-1) && x < T(level.cols) && y >= T(-1) && y < T(level.rows);
  if (!corners.isNear) return corners;
  const T left = floor(x), top = floor(y);
  const std::int64_t col = std::int64_t(left), row = std::int64_t(top);
  corners.right = x - left;
  corners.below = y - top;
  for (int k = 0; k < kCorners; ++k) {
    const int down = k / 2, across = k % 2;
    const std::int64_t r = row + down, c = col + across;
    const bool inside = r >= 0 && r < level.rows && c >= 0 && c < level.cols;
    corners.cells[k] = inside ? level.firstCell + r * level.cols + c : kOutside;
    corners.shares[k] =
        (down ? corners.below : 1 - corners.below) * (across ? corners.right : 1 - corners.right);
  }
  return corners;
}

template <typename T>
__global__ void forwardSamplesKernel(SampledView<T> view, T* sums) {
  const SampledTask at = taskHere(view);
  if (!at.exists) return;
  const std::int64_t stride = view.heads * view.width;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    const T* values = view.values + at.firstCell + f;
    std::int64_t place = at.firstPlace;
    T sum = 0;
    for (int l = 0; l < view.levels; ++l)
      for (std::int64_t p = 0; p < view.points; ++p, ++place) {
        const ReadCorners<T> corners = cornersAt(view.places + 2 * place, view.level[l]);
        if (!corners.isNumber) sum = T(NAN);
        if (!corners.isNear) continue;
        T read = 0;
        for (int k = 0; k < kCorners; ++k)
          if (corners.cells[k] != kOutside)
            read += corners.shares[k] * values[corners.cells[k] * stride];
        sum += view.weights[place] * read;
      }
    sums[at.firstSum + f] = sum;
  }
}

/// dSums · the values of a corner, over the features; 0 outside. The same on all lanes.
template <typename T>
__device__ T alongCorner(const SampledView<T>& view, const SampledTask& at, const T* dSums,
                         std::int64_t cell) {
  T sum = 0;
  if (cell != kOutside) {
    const T* values = view.values + at.firstCell + cell * view.heads * view.width;
    for (std::int64_t f = at.lane; f < view.width; f += kLanes)
      sum += dSums[f] * values[f];
  }
  return sumOver(kLanes, sum);
}

template <typename T>
__device__ void addToCorner(const SampledView<T>& view, const SampledTask& at, const T* dSums,
                            std::int64_t cell, T share, const SampledGradients<T>& gradients) {
  std::int64_t* values = gradients.values + at.firstCell + cell * view.heads * view.width;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    const long long part = llrint(double(share) * double(dSums[f]) * *gradients.scale);
    atomicAdd(reinterpret_cast<unsigned long long*>(values + f),
              static_cast<unsigned long long>(part));
  }
}

template <typename T>
__device__ void readBack(const SampledView<T>& view, const SampledTask& at, const T* dSums,
                         std::int64_t place, const ReadCorners<T>& corners,
                         const SampledGradients<T>& gradients) {
  const T weight = view.weights[place], right = corners.right, below = corners.below;
  T along[kCorners], ofWeight = 0;
  for (int k = 0; k < kCorners; ++k) {
    along[k] = alongCorner(view, at, dSums, corners.cells[k]);
    ofWeight += corners.shares[k] * along[k];
    if (corners.cells[k] != kOutside)
      addToCorner(view, at, dSums, corners.cells[k], weight * corners.shares[k], gradients);
  }
  if (at.lane != 0) return;
  gradients.weights[place] = ofWeight;
  T* ofPlace = gradients.places + 2 * place;
  ofPlace[0] = weight * ((1 - below) * (along[1] - along[0]) + below * (along[3] - along[2]));
  ofPlace[1] = weight * ((1 - right) * (along[2] - along[0]) + right * (along[3] - along[1]));
}

template <typename T>
__global__ void backwardSamplesKernel(SampledView<T> view, const T* dSums,
                                      SampledGradients<T> gradients) {
  const SampledTask at = taskHere(view);
  if (!at.exists) return;
  std::int64_t place = at.firstPlace;
  for (int l = 0; l < view.levels; ++l)
    for (std::int64_t p = 0; p < view.points; ++p, ++place) {
      const ReadCorners<T> corners = cornersAt(view.places + 2 * place, view.level[l]);
      if (corners.isNear) {  // so for the whole warp
        readBack(view, at, dSums + at.firstSum, place, corners, gradients);
      } else if (at.lane == 0) {
        const T nothing = corners.isNumber ? T(0) : T(NAN);
        gradients.places[2 * place] = gradients.places[2 * place + 1] = nothing;
        gradients.weights[place] = nothing;
      }
    }
}

template <typename T>
unsigned blocksOf(const SampledView<T>& view) {
  return unsigned((view.images * view.queries * view.heads + kWarpsInBlock - 1) / kWarpsInBlock);
}

constexpr int kThreads = kLanes * kWarpsInBlock;

}  // namespace

template <typename T>
cudaError_t forwardSamples(const SampledView<T>& view, T* sums, cudaStream_t stream) {
  const unsigned blocks = blocksOf(view);
  if (blocks == 0) return cudaSuccess;
  return launch(forwardSamplesKernel<T>, blocks, kThreads, stream, view, sums);
}

template <typename T>
cudaError_t backwardSamples(const SampledView<T>& view, const T* dSums,
                            const SampledGradients<T>& gradients, cudaStream_t stream) {
  const unsigned blocks = blocksOf(view);
  if (blocks == 0) return cudaSuccess;
  return launch(backwardSamplesKernel<T>, blocks, kThreads, stream, view, dSums, gradients);
}

template cudaError_t forwardSamples(const SampledView<float>&, float*, cudaStream_t);
template cudaError_t forwardSamples(const SampledView<double>&, double*, cudaStream_t);
template cudaError_t backwardSamples(const SampledView<float>&, const float*,
                                     const SampledGradients<float>&, cudaStream_t);
template cudaError_t backwardSamples(const SampledView<double>&, const double*,
                                     const SampledGradients<double>&, cudaStream_t);

}  // namespace headlight::cuda
