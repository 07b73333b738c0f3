// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// RandAugment (Cubuk et al. 2020), drawn as timm draws it.

#include "core/base/Random.h"
#include "core/config/RandAugmentText.h"
#include "core/data/augment/GeometryOps.h"

namespace headlight {

/// The magnitude of one operation: m, with its noise (normal, or uniform in [0, m]), clipped to
/// [0, greatest].
double drawnMagnitude(const RandAugmentSpec& spec, RandomStream& draw);

/// Applies n operations, drawn with replacement, each with probability p. Where
/// `randomInterpolation`, each moving operation is bilinear or bicubic at random; else as
/// `resampling` says. Everything random comes from `key`.
void randAugment(EditedImage& image, const RandAugmentSpec& spec, Resampling resampling,
                 bool randomInterpolation, std::uint64_t key);

}  // namespace headlight
