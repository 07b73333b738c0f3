// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mixup (Zhang et al. 2018) and CutMix (Yun et al. 2019) as DeiT's recipe has them: one draw for a
// batch, every image mixed with the one that stands where it would in the reversed batch.

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/base/Random.h"
#include "core/config/TrainingConfig.h"

namespace headlight {

/// How one batch is mixed. As it stands here: not at all.
struct Mix {
  double share = 1;  ///< λ in [0, 1], of each image's own label; its partner's has 1 − λ
  bool cut = false;  ///< CutMix: the partner's box [top, bottom) × [left, right); else Mixup
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;  ///< in pixels

  bool mixes() const { return share < 1; }
};

/// λ ~ Beta(α, α) in [0, 1]; α > 0, however small.
double symmetricBeta(RandomStream& stream, double alpha);

/// CutMix's box for λ = `share` (its Eq. 2): each side √(1 − λ) of the image's, around the center
/// (y, x), clipped at the borders. λ then is what the box leaves: 1 − its area / the image's.
Mix cutAround(double share, std::int64_t y, std::int64_t x, std::int64_t height,
              std::int64_t width);

/// The mix of a batch of images height × width; a function of `key` alone. Where both parameters
/// are on either is taken with probability ½; where none is, nothing is mixed.
Mix drawMix(const TrainingConfig& config, std::int64_t height, std::int64_t width,
            std::uint64_t key);

/// x̃ = λ x + (1 − λ) x′, or x with the box of x′, where x′ is the reversed batch: [B, 3, H, W]
/// like `images`, which stay as they are and are returned themselves where nothing is mixed.
at::Tensor mixedImages(const at::Tensor& images, const Mix& mix);

/// A batch as the model sees it and what it is to say of it.
struct MixedBatch {
  at::Tensor images;    ///< [B, 3, H, W], x̃
  at::Tensor labels;    ///< [B], y
  at::Tensor partners;  ///< [B], y′, the reversed labels; undefined where nothing is mixed
  double share = 1;     ///< λ
  /// Of a teacher's file, [B, ·]: what it says of the images and of those mixed into them;
  /// undefined: there is none, or nothing is mixed.
  at::Tensor wanted = {}, wantedPartners = {};

  void addWanted(const at::Tensor& rows);
  std::int64_t size() const { return labels.size(0); }
  MixedBatch part(std::int64_t first, std::int64_t count) const;
};
MixedBatch mixedBatch(const at::Tensor& images, const at::Tensor& labels, const Mix& mix = {});

/// The cross-entropy with λ q(y) + (1 − λ) q(y′), both smoothed, and logits [B, C]; a scalar, the
/// mean over the batch.
at::Tensor mixedCrossEntropy(const at::Tensor& logits, const MixedBatch& batch, double smoothing);

}  // namespace headlight
