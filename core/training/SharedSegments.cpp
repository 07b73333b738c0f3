// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/SharedSegments.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace headlight {
namespace {

/// [whole, 2]: width and height of the true segments of each row; zeros where there are none.
at::Tensor sharedExtents(const Batch& here, Processes& processes) {
  at::Tensor extents = at::zeros({here.whole, 2}, at::kLong);
  auto* values = extents.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < here.truth.size(); ++i) {
    const ClassImage& truth = here.truth[i].segments;
    if (truth.empty()) continue;
    values[2 * here.rows[i]] = truth.width;
    values[2 * here.rows[i] + 1] = truth.height;
  }
  processes.sum(extents);
  return extents;
}

/// Each row is one process's; the others have zeros there.
at::Tensor sharedPixels(const Batch& here, std::int64_t most, Processes& processes) {
  at::Tensor pixels = at::zeros({here.whole, most}, at::kInt);
  for (std::size_t i = 0; i < here.truth.size(); ++i) {
    const std::vector<std::uint8_t>& truth = here.truth[i].segments.classes;
    std::copy(truth.begin(), truth.end(), pixels.data_ptr<int>() + here.rows[i] * most);
  }
  processes.sum(pixels);
  return pixels;
}

}  // namespace

at::Tensor sharedSegments(const Batch& here, Processes& processes) {
  if (!processes.any(here.segments.defined())) return {};
  const at::Tensor& images = here.images;
  at::Tensor whole = at::zeros({here.whole, images.size(2), images.size(3)}, at::kInt);
  for (std::size_t i = 0; i < here.rows.size(); ++i)
    whole[here.rows[i]].copy_(here.segments[static_cast<std::int64_t>(i)]);
  processes.sum(whole);
  return whole.to(at::kByte);
}

std::vector<ClassImage> sharedTrueSegments(const Batch& here, Processes& processes) {
  const at::Tensor extents = sharedExtents(here, processes);
  const std::int64_t most = extents.prod(1).max().item<std::int64_t>();
  if (most == 0) return {};
  const at::Tensor pixels = sharedPixels(here, most, processes);
  std::vector<ClassImage> all;
  for (std::int64_t row = 0; row < here.whole; ++row) {
    const int width = extents[row][0].item<int>(), height = extents[row][1].item<int>();
    const int* first = pixels.data_ptr<int>() + row * most;
    all.push_back({width, height, {first, first + std::int64_t(width) * height}});
  }
  return all;
}

}  // namespace headlight
