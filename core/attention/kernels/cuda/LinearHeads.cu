// One warp computes one row (or, backward, one key) of one head of one image. Each sum is taken by
// one warp in a fixed order, without atomics: the same numbers every time. A prefix key is selected
// by every row, so that its warp is the longest of the backward pass; there are at most a few.

#include <cmath>

#include "core/attention/kernels/cuda/LinearHeadsKernels.h"

namespace headlight::cuda {
namespace {

constexpr int kLanes = 32, kWarpsInBlock = 4;

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

/// On every lane the same: partners add the same two numbers.
template <typename T>
__device__ T warpSum(T value) {
  for (int apart = kLanes / 2; apart > 0; apart /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, apart);
  return value;
}

template <typename T>
__device__ T warpDot(const T* a, const T* b, std::int64_t width, int lane) {
  T sum = 0;
  for (std::int64_t f = lane; f < width; f += kLanes)
    sum += a[f] * b[f];
  return warpSum(sum);
}

/// Logits of a row into `a`, then a itself; returns c.
template <typename T>
__device__ T rowWeights(const GroupView<T>& view, const T* q, const T* k,
                        const std::int32_t* columns, std::int64_t selected, int lane, T* a) {
  T highest = view.strict ? T(-INFINITY) : T(0);
  for (std::int64_t i = 0; i < selected; ++i) {
    const T s = view.scale * warpDot(q, k + columns[i] * strideOf(view), view.width, lane);
    if (lane == 0) a[i] = s;
    highest = s > highest ? s : highest;
  }
  __syncwarp();
  const T outside = view.strict ? T(0) : exp(-highest);
  T sum = 0;
  for (std::int64_t i = lane; i < selected; i += kLanes)
    sum += a[i] = exp(a[i] - highest);
  const T inverse = T(1) / (warpSum(sum) + T(view.tokens - selected) * outside);
  for (std::int64_t i = lane; i < selected; i += kLanes)
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
  const std::int64_t begin = view.rowStart[token], selected = view.rowStart[token + 1] - begin;
  const std::int32_t* columns = view.columns + begin;
  const T *q = view.qkv + offsetOf(view, at.task, 0) + token * stride,
          *k = view.qkv + offsetOf(view, at.task, 1), *v = view.qkv + offsetOf(view, at.task, 2);
  T* a = weights + at.task * view.entries + begin;
  const T outside = rowWeights(view, q, k, columns, selected, at.lane, a);
  const std::int64_t row = at.task * rows + at.place;
  if (at.lane == 0) rest[row] = outside;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    T sum = outside * valueSums[at.task * view.width + f];
    for (std::int64_t i = 0; i < selected; ++i)
      sum += (a[i] - outside) * v[columns[i] * stride + f];
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
  const std::int64_t begin = view.rowStart[token], selected = view.rowStart[token + 1] - begin;
  const std::int32_t* columns = view.columns + begin;
  const T *k = view.qkv + offsetOf(view, at.task, 1), *v = view.qkv + offsetOf(view, at.task, 2);
  const std::int64_t row = at.task * rows + at.place;
  const T* dO = dOut + row * view.width;
  const T* a = weights + at.task * view.entries + begin;
  T* dS = dLogits + at.task * view.entries + begin;
  const T mean = warpDot(dO, out + row * view.width, view.width, at.lane);
  for (std::int64_t i = 0; i < selected; ++i) {
    const T dA = warpDot(dO, v + columns[i] * stride, view.width, at.lane);
    if (at.lane == 0) dS[i] = a[i] * (dA - mean);
  }
  __syncwarp();
  T* dq = dqkv + offsetOf(view, at.task, 0) + token * stride;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    T sum = 0;
    for (std::int64_t i = 0; i < selected; ++i)
      sum += dS[i] * k[columns[i] * stride + f];
    dq[f] = view.scale * sum;
  }
}

/// dk = scale · Σ dS q and dv = Σ (a − c) dO + Σ_n c_n dO_n, over the rows that select the key.
template <typename T>
__global__ void backwardKeysKernel(GroupView<T> view, const T* dOut, const T* restSums,
                                   const T* weights, const T* rest, const T* dLogits, T* dqkv) {
  const std::int64_t rows = view.tokens - view.prefix;
  const Where at = whereAmI(view.images * view.listed, view.tokens);
  if (!at.exists) return;
  const std::int64_t stride = strideOf(view);
  const std::int64_t begin = view.columnStart[at.place], end = view.columnStart[at.place + 1];
  const T* q = view.qkv + offsetOf(view, at.task, 0);
  const T *a = weights + at.task * view.entries, *dS = dLogits + at.task * view.entries;
  const T *c = rest + at.task * rows, *dO = dOut + at.task * rows * view.width;
  T* dk = dqkv + offsetOf(view, at.task, 1) + at.place * stride;
  T* dv = dqkv + offsetOf(view, at.task, 2) + at.place * stride;
  for (std::int64_t f = at.lane; f < view.width; f += kLanes) {
    T keySum = 0, valueSum = restSums[at.task * view.width + f];
    for (std::int64_t e = begin; e < end; ++e) {
      const std::int64_t token = view.rows[e], row = token - view.prefix;
      const std::int32_t entry = view.positions[e];
      keySum += dS[entry] * q[token * stride + f];
      valueSum += (a[entry] - c[row]) * dO[row * view.width + f];
    }
    dk[f] = view.scale * keySum;
    dv[f] = valueSum;
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
  forwardRowsKernel<T><<<blocks, kThreads, 0, stream>>>(view, valueSums, out, weights, rest);
  return cudaGetLastError();
}

template <typename T>
cudaError_t backwardRows(const GroupView<T>& view, const T* out, const T* dOut, const T* weights,
                         T* dLogits, T* dqkv, cudaStream_t stream) {
  const unsigned blocks = blocksFor(view, view.tokens - view.prefix);
  if (blocks == 0) return cudaSuccess;
  backwardRowsKernel<T><<<blocks, kThreads, 0, stream>>>(view, out, dOut, weights, dLogits, dqkv);
  return cudaGetLastError();
}

template <typename T>
cudaError_t backwardKeys(const GroupView<T>& view, const T* dOut, const T* restSums,
                         const T* weights, const T* rest, const T* dLogits, T* dqkv,
                         cudaStream_t stream) {
  const unsigned blocks = blocksFor(view, view.tokens);
  if (blocks == 0) return cudaSuccess;
  backwardKeysKernel<T>
      <<<blocks, kThreads, 0, stream>>>(view, dOut, restSums, weights, rest, dLogits, dqkv);
  return cudaGetLastError();
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
