// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The operations of RandAugment in timm (timm/data/auto_augment.py, _RAND_TRANSFORMS and
// _RAND_INCREASING_TRANSFORMS), and what a level of magnitude means to each.

#include <span>
#include <string_view>

#include "core/data/augment/GeometryOps.h"

namespace headlight {

struct AugmentOperation {
  std::string_view name;  ///< timm's: "ShearX", "SolarizeIncreasing"
  /// The argument at `level`, 0 to 10 or more, `sign` being 1 or −1: degrees, a factor, bits, a
  /// share of the image. Null: there is none.
  double (*argument)(double level, double sign);
  void (*apply)(EditedImage& image, double argument, const Resampling& resampling);
};

/// The fifteen operations, in timm's order; `increasing`: those that grow with the level (inc1).
std::span<const AugmentOperation> augmentOperations(bool increasing);

}  // namespace headlight
