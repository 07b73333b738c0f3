// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/RelativeLoops.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "core/attention/kernels/VectorMath.h"

namespace headlight {
namespace {

constexpr std::int64_t kColumns = 7;  // of sums in registers; 7, 14, 28 and 56 are sides of grids
constexpr std::int64_t kTaps = 6;     // of gradients in registers
constexpr std::int64_t kCells = 2048, kFewestRows = 4;  // 128 KB of float32

std::int64_t roundedUp(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

/// Cells of a row with its margins: those of taps, and of columns and taps that are computed only
/// to be left out.
std::int64_t cellsOfRow(const RelativeSizes& sizes) {
  return roundedUp(sizes.cols, kColumns) + roundedUp(sizes.wide, kTaps);
}

template <typename T>
struct alignas(64) Lanes {
  T at[kRelativeLanes];
};

/// The rows [first, end) of one image and chunk, and `from` the first row that they see.
struct Task {
  std::int64_t first, end, from, to;
  std::int64_t lanes;  ///< features of this chunk
};

template <typename T>
HEADLIGHT_INLINE void take(const T* from, std::int64_t lanes, T* to) {
  if (lanes == kRelativeLanes)
    for (std::int64_t k = 0; k < kRelativeLanes; ++k)
      to[k] = from[k];
  else
    for (std::int64_t k = 0; k < lanes; ++k)
      to[k] = from[k];
}

/// The rows that a task sees, into a field whose margins are 0.
template <typename T>
HEADLIGHT_INLINE void gather(const RelativeSizes& sizes, const Task& task, const T* x,
                             Lanes<T>* field) {
  const std::int64_t stride = cellsOfRow(sizes), left = sizes.wide / 2;
  for (std::int64_t r = task.from; r < task.to; ++r)
    for (std::int64_t c = 0; c < sizes.cols; ++c)
      take(x + (r * sizes.cols + c) * sizes.features, task.lanes,
           field[(r - task.from) * stride + left + c].at);
}

/// Taps [first, last) of a column lead from row r into the grid.
struct Reach {
  std::int64_t first, last;
};
HEADLIGHT_INLINE Reach reachOf(const RelativeSizes& sizes, std::int64_t r) {
  const std::int64_t top = sizes.tall / 2;
  return {std::max<std::int64_t>(0, top - r), std::min(sizes.tall, sizes.rows + top - r)};
}

template <typename T>
HEADLIGHT_INLINE void sumRows(const RelativeSizes& sizes, const Task& task, const Lanes<T>* field,
                              const Lanes<T>* filter, T* out) {
  const std::int64_t stride = cellsOfRow(sizes), top = sizes.tall / 2;
  for (std::int64_t r = task.first; r < task.end; ++r)
    for (std::int64_t c = 0; c < sizes.cols; c += kColumns) {
      const Reach reach = reachOf(sizes, r);
      T sum[kColumns][kRelativeLanes] = {};
      for (std::int64_t i = reach.first; i < reach.last; ++i) {
        const Lanes<T>* cell = field + (r + i - top - task.from) * stride + c;
        const Lanes<T>* tap = filter + i * sizes.wide;
        for (std::int64_t j = 0; j < sizes.wide; ++j, ++cell, ++tap)
          for (std::int64_t n = 0; n < kColumns; ++n)
            for (std::int64_t k = 0; k < kRelativeLanes; ++k)
              sum[n][k] += tap->at[k] * cell[n].at[k];
      }
      const std::int64_t columns = std::min(kColumns, sizes.cols - c);
      for (std::int64_t n = 0; n < columns; ++n)
        take(sum[n], task.lanes, out + (r * sizes.cols + c + n) * sizes.features);
    }
}

template <typename T>
HEADLIGHT_INLINE void tapsOfRows(const RelativeSizes& sizes, const Task& task,
                                 const Lanes<T>* field, const Lanes<T>* gradient, Lanes<T>* taps) {
  const std::int64_t stride = cellsOfRow(sizes), top = sizes.tall / 2;
  for (std::int64_t i = 0; i < sizes.tall; ++i)
    for (std::int64_t j = 0; j < sizes.wide; j += kTaps) {
      T sum[kTaps][kRelativeLanes] = {};
      const std::int64_t first = std::max(task.first, top - i),
                         end = std::min(task.end, sizes.rows + top - i);
      for (std::int64_t r = first; r < end; ++r) {
        const Lanes<T>* cell = field + (r + i - top - task.from) * stride + j;
        const Lanes<T>* incoming = gradient + (r - task.first) * sizes.cols;
        for (std::int64_t c = 0; c < sizes.cols; ++c, ++cell, ++incoming)
          for (std::int64_t n = 0; n < kTaps; ++n)
            for (std::int64_t k = 0; k < kRelativeLanes; ++k)
              sum[n][k] += incoming->at[k] * cell[n].at[k];
      }
      const std::int64_t columns = std::min(kTaps, sizes.wide - j);
      for (std::int64_t n = 0; n < columns; ++n)
        take(sum[n], kRelativeLanes, taps[i * sizes.wide + j + n].at);
    }
}

/// The gradients of a task's rows, side by side.
template <typename T>
HEADLIGHT_INLINE void gatherGradient(const RelativeSizes& sizes, const Task& task,
                                     const T* gradient, Lanes<T>* to) {
  const std::int64_t first = task.first * sizes.cols, cells = task.end * sizes.cols - first;
  for (std::int64_t n = 0; n < cells; ++n)
    take(gradient + (first + n) * sizes.features, task.lanes, to[n].at);
}

template <typename T>
HEADLIGHT_INLINE void sumTask(const RelativeSizes& sizes, const Task& task, const T* x,
                              Lanes<T>* field, const Lanes<T>* filter, T* out) {
  gather(sizes, task, x, field);
  sumRows(sizes, task, field, filter, out);
}
HEADLIGHT_CLONES void run(const RelativeSizes& sizes, const Task& task, const float* x,
                          Lanes<float>* field, const Lanes<float>* filter, float* out) {
  sumTask(sizes, task, x, field, filter, out);
}
void run(const RelativeSizes& sizes, const Task& task, const double* x, Lanes<double>* field,
         const Lanes<double>* filter, double* out) {
  sumTask(sizes, task, x, field, filter, out);
}

template <typename T>
HEADLIGHT_INLINE void tapTask(const RelativeSizes& sizes, const Task& task, const T* x,
                              Lanes<T>* field, const T* gradient, Lanes<T>* incoming,
                              Lanes<T>* taps) {
  gather(sizes, task, x, field);
  gatherGradient(sizes, task, gradient, incoming);
  tapsOfRows(sizes, task, field, incoming, taps);
}
HEADLIGHT_CLONES void run(const RelativeSizes& sizes, const Task& task, const float* x,
                          Lanes<float>* field, const float* gradient, Lanes<float>* incoming,
                          Lanes<float>* taps) {
  tapTask(sizes, task, x, field, gradient, incoming, taps);
}
void run(const RelativeSizes& sizes, const Task& task, const double* x, Lanes<double>* field,
         const double* gradient, Lanes<double>* incoming, Lanes<double>* taps) {
  tapTask(sizes, task, x, field, gradient, incoming, taps);
}

template <typename T>
std::vector<Lanes<T>> fieldFor(const RelativeSizes& sizes) {
  const std::int64_t rows = std::min(sizes.rows, sizes.rowsOfBand() + sizes.tall - 1);
  return std::vector<Lanes<T>>(rows * cellsOfRow(sizes));
}

/// Calls body(task, number of it, its first value of x) with a field to work in.
template <typename T, typename Body>
void forEachTask(const RelativeSizes& sizes, Body body) {
  const std::int64_t chunks = sizes.chunks(), bands = sizes.bands(), rows = sizes.rowsOfBand(),
                     above = sizes.tall / 2;
  at::parallel_for(0, sizes.images * bands * chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Lanes<T>> field = fieldFor<T>(sizes);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t chunk = i % chunks, image = i / chunks / bands,
                         first = i / chunks % bands * rows,
                         last = std::min(first + rows, sizes.rows),
                         feature = chunk * kRelativeLanes;
      const Task task{first, last, std::max<std::int64_t>(0, first - above),
                      std::min(sizes.rows, last + above),
                      std::min(kRelativeLanes, sizes.features - feature)};
      body(task, i, image * sizes.rows * sizes.cols * sizes.features + feature, field.data());
    }
  });
}

template <typename T>
void allSums(const RelativeSizes& sizes, const T* x, const T* filter, T* out) {
  const auto* filters = reinterpret_cast<const Lanes<T>*>(filter);
  forEachTask<T>(sizes, [&](const Task& task, std::int64_t i, std::int64_t offset,
                            Lanes<T>* field) {
    run(sizes, task, x + offset, field, filters + i % sizes.chunks() * sizes.taps(), out + offset);
  });
}

template <typename T>
void allTaps(const RelativeSizes& sizes, const T* x, const T* gradient, T* taps) {
  auto* all = reinterpret_cast<Lanes<T>*>(taps);
  forEachTask<T>(sizes, [&](const Task& task, std::int64_t i, std::int64_t offset,
                            Lanes<T>* field) {
    std::vector<Lanes<T>> incoming((task.end - task.first) * sizes.cols);
    run(sizes, task, x + offset, field, gradient + offset, incoming.data(), all + i * sizes.taps());
  });
}

}  // namespace

std::int64_t RelativeSizes::rowsOfBand() const {
  return std::min(rows, std::max(kFewestRows, kCells / cellsOfRow(*this) - (tall - 1)));
}

void relativeLoops(const RelativeSizes& sizes, const float* x, const float* filter, float* out) {
  allSums(sizes, x, filter, out);
}
void relativeLoops(const RelativeSizes& sizes, const double* x, const double* filter, double* out) {
  allSums(sizes, x, filter, out);
}

void relativeTaps(const RelativeSizes& sizes, const float* x, const float* gradient, float* taps) {
  allTaps(sizes, x, gradient, taps);
}
void relativeTaps(const RelativeSizes& sizes, const double* x, const double* gradient,
                  double* taps) {
  allTaps(sizes, x, gradient, taps);
}

}  // namespace headlight
