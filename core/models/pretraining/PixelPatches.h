// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pixels of patches, and how far rebuilt ones are from them (He et al. 2022, §3;
// facebookresearch/mae, models_mae.py).

#include <ATen/core/Tensor.h>

#include "core/masks/Grid.h"

namespace headlight {

/// Images [B, 3, H, W] → [B, N, p·p·3]: patches row by row, of each the pixels row by row with their
/// three colors last. H and W are multiples of p.
at::Tensor pixelPatches(const at::Tensor& images, int patch);
/// Back again.
at::Tensor imagesOfPatches(const at::Tensor& patches, const Grid& grid, int patch);

/// What the pixels of each patch are normalized by: [B, N, 1] each.
struct PatchScale {
  at::Tensor mean, deviation;  ///< √(variance + 1e-6), the variance unbiased
};
PatchScale scaleOfPatches(const at::Tensor& patches);

/// [B]: the squared error of predicted [B, N, p·p·3], mean over the dropped patches of an image. The
/// target is its pixels, or with `normalized` each patch at mean 0 and variance 1. kept: [B, K].
/// In float32.
at::Tensor rebuildLosses(const at::Tensor& predicted, const at::Tensor& images,
                         const at::Tensor& kept, int patch, bool normalized);

}  // namespace headlight
