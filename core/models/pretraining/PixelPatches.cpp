// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/pretraining/PixelPatches.h"

#include <ATen/ATen.h>

#include "core/models/pretraining/KeptPatches.h"

namespace headlight {
namespace {

constexpr double kLeastVariance = 1e-6;

at::Tensor normalizedPatches(const at::Tensor& patches) {
  const PatchScale scale = scaleOfPatches(patches);
  return (patches - scale.mean) / scale.deviation;
}

}  // namespace

at::Tensor pixelPatches(const at::Tensor& images, int patch) {
  const std::int64_t batch = images.size(0), p = patch, rows = images.size(2) / p,
                     cols = images.size(3) / p;
  return images.contiguous()
      .view({batch, 3, rows, p, cols, p})
      .permute({0, 2, 4, 3, 5, 1})
      .reshape({batch, rows * cols, p * p * 3});
}

at::Tensor imagesOfPatches(const at::Tensor& patches, const Grid& grid, int patch) {
  const std::int64_t batch = patches.size(0), p = patch, rows = grid.rows, cols = grid.cols;
  return patches.contiguous()
      .view({batch, rows, cols, p, p, 3})
      .permute({0, 5, 1, 3, 2, 4})
      .reshape({batch, 3, rows * p, cols * p});
}

PatchScale scaleOfPatches(const at::Tensor& patches) {
  const at::Tensor mean = patches.mean({-1}, /*keepdim=*/true);
  const auto values = static_cast<double>(patches.size(-1));
  const at::Tensor variance = (patches - mean).square().sum({-1}, true) / (values - 1);
  return {mean, (variance + kLeastVariance).sqrt()};
}

at::Tensor rebuildLosses(const at::Tensor& predicted, const at::Tensor& images,
                         const at::Tensor& kept, int patch, bool normalized) {
  const at::Tensor pixels = pixelPatches(images, patch);
  const at::Tensor target = normalized ? normalizedPatches(pixels) : pixels;
  const at::Tensor errors = (predicted - target).square().mean({-1});
  const std::int64_t patches = pixels.size(1), dropped = patches - kept.size(1);
  const at::Tensor counted = droppedPatches(kept, patches).to(errors.scalar_type());
  return (errors * counted).sum({1}) / static_cast<double>(dropped);
}

}  // namespace headlight
