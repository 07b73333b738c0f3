// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Random erasing (Zhong et al. 2020) as in timm: boxes of a normalized image are overwritten.

#include <cstdint>
#include <span>

namespace headlight {

enum class ErasingMode {
  Constant,  ///< 0 after normalization: the mean color
  Color,     ///< one normally drawn color a box
  Pixel,     ///< normally drawn, each value for itself
};

struct ErasingOptions {
  double probability = 0;  ///< that an image is erased at all; 0: none
  ErasingMode mode = ErasingMode::Pixel;
  std::int64_t count = 1;  ///< boxes of an image, 1 to this; they share the area
  double minArea = 0.02;   ///< of the image, all boxes together
  double maxArea = 1.0 / 3;
  double minRatio = 0.3;  ///< height / width; the greatest is its inverse
};

/// `planes` is [3, height, width], normalized. Everything random comes from `key`.
void eraseBoxes(std::span<float> planes, int height, int width, const ErasingOptions& options,
                std::uint64_t key);

}  // namespace headlight
