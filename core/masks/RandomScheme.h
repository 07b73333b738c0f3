// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A control for a scheme: as many masked heads in every layer, but others, drawn from a seed.

#include <cstdint>
#include <optional>
#include <string>

#include "core/masks/MaskScheme.h"

namespace headlight {

/// The masks of each maskable layer of `scheme`, dealt out anew among the heads of that layer.
/// Which head gets which is a function of the seed, the layer and its number of heads alone.
MaskScheme dealtOut(const MaskScheme& scheme, std::uint64_t seed);

/// "random-like:sch2@7": `base` is "sch2", a missing seed 0.
struct RandomLike {
  std::string base;
  std::uint64_t seed = 0;
};
/// `base` dealt out by the seed of `like`, called `name`.
MaskScheme randomScheme(const RandomLike& like, const MaskScheme& base, const std::string& name);

/// Nothing where `name` is no such name.
std::optional<RandomLike> randomLikeFromText(const std::string& name);

}  // namespace headlight
