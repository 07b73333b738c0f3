// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Masks are compared at random points in place of all pixels (PointRend, Kirillov et al. 2020;
// Mask2Former, Cheng et al. 2022, §3.3).

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace headlight {

inline constexpr std::int64_t kMostMaskPoints = 12544;  ///< 112², of a mask, by default
inline constexpr std::int64_t kCandidatesAPoint = 3;    ///< that uncertain points are chosen from
inline constexpr double kUncertainShare = 0.75;         ///< of the points of a mask

/// Of a mask of an image of so many pixels: `most`, or as many as it has pixels if that is less.
std::int64_t maskPoints(std::int64_t height, std::int64_t width,
                        std::int64_t most = kMostMaskPoints);

/// `sets` times `points` places (x, y), uniform in [0, 1): [sets, points, 2]. They are drawn in
/// float32 on the device of `options`, from `key` alone, whatever else draws; `options` says also
/// the type.
at::Tensor drawnPoints(std::uint64_t key, std::int64_t sets, std::int64_t points,
                       const at::TensorOptions& options);

/// Each map at its own points: [N, P] of maps [N, H, W] and points [N, P, 2] in [0, 1], (0, 0) the
/// upper left corner. Bilinear between the centers of pixels, zero beyond the map.
at::Tensor atOwnPoints(const at::Tensor& maps, const at::Tensor& points);
/// All maps at the same points: [N, P] of maps [N, H, W] and points [P, 2].
at::Tensor atSharedPoints(const at::Tensor& maps, const at::Tensor& points);

// What the points of uncertainPoints() are drawn for.
inline constexpr std::uint64_t kCandidatePoints = 0x63616e64ULL;  // "cand"
inline constexpr std::uint64_t kPointsAnywhere = 0x616e79ULL;     // "any"

/// Where masks are compared: [N, P, 2] for logits [N, H, W]. ¾ of the P points are the most
/// uncertain (|logit| the least) of 3 P candidates, the others lie anywhere: both drawnPoints(), of
/// the key of `key` and their purpose. Without gradients.
at::Tensor uncertainPoints(const at::Tensor& logits, std::int64_t points, std::uint64_t key);

}  // namespace headlight
