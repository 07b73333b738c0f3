// SPDX-License-Identifier: GPL-3.0-or-later

// One warp computes one row (or, backward, one key) of one head of one image. A prefix key is
// selected by every row, so that backward a whole block computes it. Each sum is taken in a fixed
// order, without atomics: the same numbers every time.

#include <cmath>

#include "core/attention/kernels/cuda/KernelLaunch.h"
#include "core/attention/kernels/cuda/LinearHeadsKernels.h"
#include "core/attention/kernels/cuda/Warps.h"

namespace headlight::cuda {
namespace {

constexpr int kWarpsInBlock = 4;
constexpr int kWarpsOfPrefixKey = 32;
constexpr int kLanesOfDot = 8;  ///< so that a warp takes four inner products at once

/// A row or key `place` of head `task` (image × listed head) and the lane that asks.
struct Where {
  std::int64_t task, place;
  int lane;
  bool exists;  ///< false on all lanes of a warp beyond the last
};

__device__ Where whereAmI(std::int64_t tasks, std::int64_t places) {
  const std::int64_t warp = std::int64_t(blockIdx.x) * kWarpsInBlock + threadIdx.x / kLanes;
  return {warp / places, warp % places, int(threadIdx.x % kLanes), warp < tasks * places};
}

/// Where token 0 of q (0), k (1) or v (2) of a task lies in qkv; tokens are strideOf() apart.
template <typename T>
__device__ std::int64_t offsetOf(const GroupView<T>& view, std::int64_t task, int part) {
  const std::int64_t image = task / view.listed, head = view.heads[task % view.listed];
  return ((image * view.tokens * 3 + part) * view.layerHeads + head) * view.width;
}

template <typename T>
__device__ std::int64_t strideOf(const GroupView<T>& view) {
  return 3 * view.layerHeads * view.width;
}

template <typename T>
__device__ T warpMax(T value) {
  for (int apart = kLanes / 2; apart > 0; apart /= 2) {
    const T other = __shfl_xor_sync(0xffffffffu, value, apart);
    value = other > value ? other : value;
  }
  return value;
}

template <typename T>
__device__ T warpDot(const T* a, const T* b, std::int64_t width, int lane) {
  T sum = 0;
  for (std::int64_t f = lane; f < width; f += kLanes)
    sum += a[f] * b[f];
  return sumOver(kLanes, sum);
}

/// What a row selects.
struct Selected {
  const std::int32_t* columns;
  std::int64_t begin, count;  ///< of the sets' entries
};

template <typename T>
__device__ Selected selectedBy(const GroupView<T>& view, std::int64_t token) {
  const std::int64_t begin = view.rowStart[token];
  return {view.columns + begin, begin, view.rowStart[token + 1] - begin};
}

/// take(i, x · y_i) on one lane for every selected token i; `y` is token 0's q, k or v.
template <typename T, typename Take>
__device__ void eachDot(const GroupView<T>& view, const T* x, const T* y, const Selected& selected,
                        int lane, Take take) {
  const int part = lane % kLanesOfDot;
  for (std::int64_t first = 0; first < selected.count; first += kLanes / kLanesOfDot) {
    const std::int64_t i = first + lane / kLanesOfDot;
    T sum = 0;
    if (i < selected.count) {
      const T* token = y + selected.columns[i] * strideOf(view);
      for (std::int64_t f = part; f < view.width; f += kLanesOfDot)
        sum += x[f] * token[f];
    }
    sum = sumOver(kLanesOfDot, sum);  // with every lane of the warp
    if (part == 0 && i < selected.count) take(i, sum);
  }
}

/// a of a row; returns c.
template <typename T>
__device__ T rowWeights(const GroupView<T>& view, const T* q, const T* k, const Selected& selected,
                        int lane, T* a) {
  // Where nothing is outside, 0 is none of the logits.
  const bool alone = view.strict || selected.count == view.tokens;
  T highest = alone ? T(-INFINITY) : T(0);
  eachDot(view, q, k, selected, lane, [&](std::int64_t i, T dot) {
    const T s = a[i] = view.scale * dot;
    highest = s > highest ? s : highest;
  });
  highest = warpMax(highest);
  __syncwarp();
  const T outside = alone ? T(0) : exp(-highest);
  T sum = 0;
  for (std::int64_t i = lane; i < selected.count; i += kLanes)
    sum += a[i] = exp(a[i] - highest);
  const T inverse = T(1) / (sumOver(kLanes, sum) + T(view.tokens - selected.count) * outside);
  for (std::int64_t i = lane; i < selected.count; i += kLanes)
    a[i] *= inverse;
  __syncwarp();
  return outside * inverse;
}

template <typename T>
__global__ void forwardRowsKernel(GroupView<T> view, const T* valueSums, T* out, T* weights,
                                  T* rest) {
  const std::int64_t rows = view.tokens - view.prefix;
  const Where at = whereAmI(view.images * view.listed, rows);
  if (!at.exists) return;
  const std::int64_t token = view.prefix + at.place, stride = strideOf(view);
  const Selected selected = selectedBy(view, token);
  const T *q = view.qkv + offsetOf(view, at.task, 0) + token * stride,
          *k = view.qkv + offsetOf(view, at.task, 1), *v = view.qkv + offsetOf(view, at.task, 2);
  T* a = weights + at.task * view.entries + selected.begin;
  const T outside = rowWeights(view, q, k, selected, at.lane, a);
  const std::int64_t row = at.task * rows + at.place;
  if (at.lane == 0) rest[row] = outside;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    T sum = outside * valueSums[at.task * view.width + f];
    for (std::int64_t i = 0; i < selected.count; ++i)
      sum += (a[i] - outside) * v[selected.columns[i] * stride + f];
    out[row * view.width + f] = sum;
  }
}

/// dS = a ⊙ (dO·v − dO·out), dq = scale · Σ dS k.
template <typename T>
__global__ void backwardRowsKernel(GroupView<T> view, const T* out, const T* dOut, const T* weights,
                                   T* dLogits, T* dqkv) {
  const std::int64_t rows = view.tokens - view.prefix;
  const Where at = whereAmI(view.images * view.listed, rows);
  if (!at.exists) return;
  const std::int64_t token = view.prefix + at.place, stride = strideOf(view);
  const Selected selected = selectedBy(view, token);
  const T *k = view.qkv + offsetOf(view, at.task, 1), *v = view.qkv + offsetOf(view, at.task, 2);
  const std::int64_t row = at.task * rows + at.place;
  const T* dO = dOut + row * view.width;
  const T* a = weights + at.task * view.entries + selected.begin;
  T* dS = dLogits + at.task * view.entries + selected.begin;
  const T mean = warpDot(dO, out + row * view.width, view.width, at.lane);
  eachDot(view, dO, v, selected, at.lane,
          [&](std::int64_t i, T dA) { dS[i] = a[i] * (dA - mean); });
  __syncwarp();
  T* dq = dqkv + offsetOf(view, at.task, 0) + token * stride;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    T sum = 0;
    for (std::int64_t i = 0; i < selected.count; ++i)
      sum += dS[i] * k[selected.columns[i] * stride + f];
    dq[f] = view.scale * sum;
  }
}

/// What the gradients of keys and values are made of.
template <typename T>
struct KeyInputs {
  const T *dOut, *restSums, *weights, *rest, *dLogits;
};

template <typename T>
struct KeySums {
  T key, value;
};

/// Σ dS q and Σ (a − c) dO of feature `f`, over every `step`th of the rows that select the key,
/// from `from` on.
template <typename T>
__device__ KeySums<T> sumsOfKey(const GroupView<T>& view, const KeyInputs<T>& in, const Where& at,
                                std::int64_t f, int from, int step) {
  const std::int64_t rows = view.tokens - view.prefix, stride = strideOf(view);
  const T* q = view.qkv + offsetOf(view, at.task, 0);
  const T *a = in.weights + at.task * view.entries, *dS = in.dLogits + at.task * view.entries;
  const T *c = in.rest + at.task * rows, *dO = in.dOut + at.task * rows * view.width;
  KeySums<T> sums{0, 0};
  for (std::int64_t e = view.columnStart[at.place] + from; e < view.columnStart[at.place + 1];
       e += step) {
    const std::int64_t token = view.rows[e], row = token - view.prefix;
    const std::int32_t entry = view.positions[e];
    sums.key += dS[entry] * q[token * stride + f];
    sums.value += (a[entry] - c[row]) * dO[row * view.width + f];
  }
  return sums;
}

/// dk = scale · Σ dS q and dv = Σ (a − c) dO + Σ_n c_n dO_n.
template <typename T>
__device__ void writeKey(const GroupView<T>& view, const KeyInputs<T>& in, const Where& at,
                         std::int64_t f, const KeySums<T>& sums, T* dqkv) {
  const std::int64_t token = at.place * strideOf(view);
  dqkv[offsetOf(view, at.task, 1) + token + f] = view.scale * sums.key;
  dqkv[offsetOf(view, at.task, 2) + token + f] = in.restSums[at.task * view.width + f] + sums.value;
}

template <typename T>
__global__ void backwardPatchKeysKernel(GroupView<T> view, KeyInputs<T> in, T* dqkv) {
  Where at = whereAmI(view.images * view.listed, view.tokens - view.prefix);
  if (!at.exists) return;
  at.place += view.prefix;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes)
    writeKey(view, in, at, f, sumsOfKey(view, in, at, f, 0, 1), dqkv);
}

template <typename T>
__global__ void __launch_bounds__(kWarpsOfPrefixKey* kLanes)
    backwardPrefixKeysKernel(GroupView<T> view, KeyInputs<T> in, T* dqkv) {
  __shared__ KeySums<T> parts[kWarpsOfPrefixKey][kLanes];
  const int warp = int(threadIdx.x / kLanes), lane = int(threadIdx.x % kLanes);
  const Where at{blockIdx.x / view.prefix, blockIdx.x % view.prefix, lane, true};
  for (std::int64_t first = 0; first < view.width; first += kLanes) {
    const std::int64_t f = first + lane;
    if (f < view.width) parts[warp][lane] = sumsOfKey(view, in, at, f, warp, kWarpsOfPrefixKey);
    __syncthreads();
    if (warp == 0 && f < view.width) {
      KeySums<T> sums{0, 0};
      for (const auto& part : parts) {
        sums.key += part[lane].key;
        sums.value += part[lane].value;
      }
      writeKey(view, in, at, f, sums, dqkv);
    }
    __syncthreads();
  }
}

/// Blocks for one warp a place.
template <typename T>
unsigned blocksFor(const GroupView<T>& view, std::int64_t places) {
  return unsigned((view.images * view.listed * places + kWarpsInBlock - 1) / kWarpsInBlock);
}

constexpr int kThreads = kLanes * kWarpsInBlock;

}  // namespace

template <typename T>
cudaError_t forwardRows(const GroupView<T>& view, const T* valueSums, T* out, T* weights, T* rest,
                        cudaStream_t stream) {
  const unsigned blocks = blocksFor(view, view.tokens - view.prefix);
  if (blocks == 0) return cudaSuccess;
  return launch(forwardRowsKernel<T>, blocks, kThreads, stream, view, valueSums, out, weights,
                rest);
}

template <typename T>
cudaError_t backwardRows(const GroupView<T>& view, const T* out, const T* dOut, const T* weights,
                         T* dLogits, T* dqkv, cudaStream_t stream) {
  const unsigned blocks = blocksFor(view, view.tokens - view.prefix);
  if (blocks == 0) return cudaSuccess;
  return launch(backwardRowsKernel<T>, blocks, kThreads, stream, view, out, dOut, weights, dLogits,
                dqkv);
}

template <typename T>
cudaError_t backwardKeys(const GroupView<T>& view, const T* dOut, const T* restSums,
                         const T* weights, const T* rest, const T* dLogits, T* dqkv,
                         cudaStream_t stream) {
  const KeyInputs<T> in{dOut, restSums, weights, rest, dLogits};
  if (const unsigned blocks = blocksFor(view, view.tokens - view.prefix)) {
    const cudaError_t error =
        launch(backwardPatchKeysKernel<T>, blocks, kThreads, stream, view, in, dqkv);
    if (error != cudaSuccess) return error;
  }
  const auto prefixKeys = unsigned(view.images * view.listed * view.prefix);
  if (prefixKeys == 0) return cudaSuccess;
  return launch(backwardPrefixKeysKernel<T>, prefixKeys, kWarpsOfPrefixKey * kLanes, stream, view,
                in, dqkv);
}

template cudaError_t forwardRows(const GroupView<float>&, const float*, float*, float*, float*,
                                 cudaStream_t);
template cudaError_t forwardRows(const GroupView<double>&, const double*, double*, double*, double*,
                                 cudaStream_t);
template cudaError_t backwardRows(const GroupView<float>&, const float*, const float*, const float*,
                                  float*, float*, cudaStream_t);
template cudaError_t backwardRows(const GroupView<double>&, const double*, const double*,
                                  const double*, double*, double*, cudaStream_t);
template cudaError_t backwardKeys(const GroupView<float>&, const float*, const float*, const float*,
                                  const float*, const float*, float*, cudaStream_t);
template cudaError_t backwardKeys(const GroupView<double>&, const double*, const double*,
                                  const double*, const double*, const double*, double*,
                                  cudaStream_t);

}  // namespace headlight::cuda
