#pragma once
// The 0/1 matrices behind the masks, as plain bytes.

#include <cstdint>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// M of mechanisms "Masks on softmax attention": [T, T], row-major; 1 where i or j is a prefix
/// token or where the Chebyshev distance of the patches is at most (window − 1) / 2.
std::vector<std::uint8_t> neighbourhoodMask(const Grid& grid, int window);

/// As many ones in every patch row as neighbourhoodMask has there, in patch columns drawn from
/// `seed`; prefix rows and columns are 1.
std::vector<std::uint8_t> randomMask(const Grid& grid, int window, std::uint64_t seed);

}  // namespace headlight
