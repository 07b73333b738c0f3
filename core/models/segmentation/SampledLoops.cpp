// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/segmentation/SampledLoops.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/kernels/VectorMath.h"

namespace headlight {
namespace {

constexpr std::int64_t kQueriesAtATime = 16;
constexpr int kCorners = 4;
constexpr std::int64_t kOutside = -1;
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

/// The cells around a place: left and right above, left and right below.
struct Corners {
  std::int64_t cells[kCorners];  ///< of the level; kOutside
  float shares[kCorners];
  float right, below;  ///< how far it is on the way to those, in [0, 1)
};

/// One place: x and y count from the first cell's center, so that cells have whole numbers.
struct ReadPlace {
  float x, y;

  HEADLIGHT_INLINE explicit ReadPlace(const float* at) : x(at[0] - 0.5f), y(at[1] - 0.5f) {}
  HEADLIGHT_INLINE bool isNumber() const { return std::isfinite(x) && std::isfinite(y); }
  /// Whether some cell is beside it.
  HEADLIGHT_INLINE bool isNear(const Grid& grid) const {
    return x >= -1 && x < static_cast<float>(grid.cols) && y >= -1 &&
           y < static_cast<float>(grid.rows);
  }
};

/// Of a place that is near.
HEADLIGHT_INLINE Corners cornersOf(const ReadPlace& place, const Grid& grid) {
  const float left = std::floor(place.x), top = std::floor(place.y);
  const float right = place.x - left, below = place.y - top;
  const auto col = static_cast<std::int64_t>(left), row = static_cast<std::int64_t>(top);
  const bool inCols[] = {col >= 0, col + 1 < grid.cols}, inRows[] = {row >= 0, row + 1 < grid.rows};
  const float ofCols[] = {1 - right, right}, ofRows[] = {1 - below, below};
  Corners corners;
  for (int k = 0; k < kCorners; ++k) {
    const int down = k / 2, across = k % 2;
    corners.cells[k] =
        inRows[down] && inCols[across] ? (row + down) * grid.cols + col + across : kOutside;
    corners.shares[k] = ofRows[down] * ofCols[across];
  }
  corners.right = right;
  corners.below = below;
  return corners;
}

/// What the loops share: the memory of one query and head.
struct HeadOfQuery {
  std::int64_t firstCell, stride;  ///< in values: of the image's first cell, and between cells
  std::int64_t firstPlace, sums;   ///< in weights, and in sums

  HEADLIGHT_INLINE HeadOfQuery(const SampledSizes& sizes, std::int64_t row, std::int64_t head)
      : firstCell((row / sizes.queries * sizes.cells * sizes.heads + head) * sizes.width),
        stride(sizes.heads * sizes.width),
        firstPlace((row * sizes.heads + head) * sizes.places()),
        sums((row * sizes.heads + head) * sizes.width) {}
};

/// sums += weight · what is read at the corners. `zeros` stand for cells outside.
HEADLIGHT_INLINE void addRead(const Corners& corners, const float* cells, std::int64_t stride,
                              const float* zeros, float weight, std::int64_t width,
                              float* __restrict sums) {
  const float* from[kCorners];
  float share[kCorners];
  for (int k = 0; k < kCorners; ++k) {
    from[k] = corners.cells[k] == kOutside ? zeros : cells + corners.cells[k] * stride;
    share[k] = weight * corners.shares[k];
  }
  const float *a = from[0], *b = from[1], *c = from[2], *d = from[3];
  for (std::int64_t f = 0; f < width; ++f)
    sums[f] += (share[0] * a[f] + share[1] * b[f]) + (share[2] * c[f] + share[3] * d[f]);
}

HEADLIGHT_INLINE void sumHead(const SampledSizes& sizes, const SampledMemory<const float>& given,
                              const HeadOfQuery& head, const float* zeros, float* sums) {
  for (std::int64_t f = 0; f < sizes.width; ++f)
    sums[f] = 0;
  const float *cells = given.values + head.firstCell, *places = given.places + 2 * head.firstPlace,
              *weights = given.weights + head.firstPlace;
  for (const Grid& grid : sizes.grids) {
    for (std::int64_t p = 0; p < sizes.points; ++p, places += 2, ++weights) {
      const ReadPlace place(places);
      if (!place.isNumber()) sums[0] = kNoNumber;
      if (place.isNear(grid))
        addRead(cornersOf(place, grid), cells, head.stride, zeros, *weights, sizes.width, sums);
    }
    cells += grid.patches() * head.stride;
  }
  if (std::isnan(sums[0]))
    for (std::int64_t f = 0; f < sizes.width; ++f)
      sums[f] += sums[0];
}

HEADLIGHT_CLONES void sumRows(const SampledSizes& sizes, const SampledMemory<const float>& given,
                              const float* zeros, std::int64_t begin, std::int64_t end,
                              float* sums) {
  for (std::int64_t row = begin; row < end; ++row)
    for (std::int64_t h = 0; h < sizes.heads; ++h) {
      const HeadOfQuery head(sizes, row, h);
      sumHead(sizes, given, head, zeros, sums + head.sums);
    }
}

HEADLIGHT_INLINE void addScaled(const float* from, float scale, std::int64_t width,
                                float* __restrict to) {
  for (std::int64_t f = 0; f < width; ++f)
    to[f] += scale * from[f];
}

/// Gradients of one near place: `along` are dSums · values of its corners, 0 outside.
HEADLIGHT_INLINE void writeGradients(const Corners& corners, const float* along, float weight,
                                     float* dPlace, float* dWeight) {
  const float right = corners.right, below = corners.below;
  dPlace[0] = weight * ((1 - below) * (along[1] - along[0]) + below * (along[3] - along[2]));
  dPlace[1] = weight * ((1 - right) * (along[2] - along[0]) + right * (along[3] - along[1]));
  *dWeight = 0;
  for (int k = 0; k < kCorners; ++k)
    *dWeight += corners.shares[k] * along[k];
}

HEADLIGHT_INLINE void readBack(const Corners& corners, const float* cells, float* dCells,
                               std::int64_t stride, float weight, const float* dSums,
                               std::int64_t width, float* dPlace, float* dWeight) {
  float along[kCorners] = {};
  for (int k = 0; k < kCorners; ++k) {
    if (corners.cells[k] == kOutside) continue;
    const std::int64_t cell = corners.cells[k] * stride;
    along[k] = rows::dotProduct(dSums, cells + cell, width);
    addScaled(dSums, weight * corners.shares[k], width, dCells + cell);
  }
  writeGradients(corners, along, weight, dPlace, dWeight);
}

HEADLIGHT_INLINE void sumHeadBack(const SampledSizes& sizes,
                                  const SampledMemory<const float>& given, const HeadOfQuery& head,
                                  const float* dSums, const SampledMemory<float>& gradients) {
  const float* cells = given.values + head.firstCell;
  float* dCells = gradients.values + head.firstCell;
  std::int64_t at = head.firstPlace;
  for (const Grid& grid : sizes.grids) {
    for (std::int64_t p = 0; p < sizes.points; ++p, ++at) {
      const ReadPlace place(given.places + 2 * at);
      float *dPlace = gradients.places + 2 * at, *dWeight = gradients.weights + at;
      dPlace[0] = dPlace[1] = *dWeight = place.isNumber() ? 0 : kNoNumber;
      if (place.isNear(grid))
        readBack(cornersOf(place, grid), cells, dCells, head.stride, given.weights[at], dSums,
                 sizes.width, dPlace, dWeight);
    }
    cells += grid.patches() * head.stride;
    dCells += grid.patches() * head.stride;
  }
}

/// Of one head of an image, all queries.
HEADLIGHT_CLONES void sumQueriesBack(const SampledSizes& sizes,
                                     const SampledMemory<const float>& given, std::int64_t image,
                                     std::int64_t h, const float* dSums,
                                     const SampledMemory<float>& gradients) {
  for (std::int64_t row = image * sizes.queries; row < (image + 1) * sizes.queries; ++row) {
    const HeadOfQuery head(sizes, row, h);
    sumHeadBack(sizes, given, head, dSums + head.sums, gradients);
  }
}

}  // namespace

void sumSamples(const SampledSizes& sizes, const SampledMemory<const float>& given, float* sums) {
  const std::vector<float> zeros(static_cast<std::size_t>(sizes.width));
  at::parallel_for(0, sizes.images * sizes.queries, kQueriesAtATime,
                   [&](std::int64_t begin, std::int64_t end) {
                     sumRows(sizes, given, zeros.data(), begin, end, sums);
                   });
}

void sumSamplesBack(const SampledSizes& sizes, const SampledMemory<const float>& given,
                    const float* dSums, const SampledMemory<float>& gradients) {
  at::parallel_for(0, sizes.images * sizes.heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task)
      sumQueriesBack(sizes, given, task / sizes.heads, task % sizes.heads, dSums, gradients);
  });
}

}  // namespace headlight
