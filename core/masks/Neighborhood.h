// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The 0/1 matrices behind the masks, as plain bytes.

#include <cstdint>
#include <vector>

#include "core/masks/Grid.h"

namespace headlight {

/// M of mechanisms "Masks on softmax attention": [T, T], row-major; 1 where i or j is a prefix
/// token or where the Chebyshev distance of the patches is at most (window − 1) / 2.
std::vector<std::uint8_t> neighborhoodMask(const Grid& grid, int window);

/// The same where keys lie on a grid of their own over the same image (pooled keys): [Tq, Tk]. In
/// the key grid, a query patch stands for the cells that it covers or lies in; distances, in cells
/// of the key grid, are from the nearest of them.
std::vector<std::uint8_t> neighborhoodMask(const Grid& queries, const Grid& keys, int window);

/// Row `token` of that matrix, [Tk], without the others.
std::vector<std::uint8_t> neighborhoodRow(const Grid& queries, const Grid& keys, int window,
                                          int token);

/// As many ones in every patch row as neighborhoodMask has there, in patch columns drawn from
/// `seed`; prefix rows and columns are 1.
std::vector<std::uint8_t> randomMask(const Grid& grid, int window, std::uint64_t seed);
std::vector<std::uint8_t> randomMask(const Grid& queries, const Grid& keys, int window,
                                     std::uint64_t seed);
std::vector<std::uint8_t> randomRow(const Grid& queries, const Grid& keys, int window,
                                    std::uint64_t seed, int token);

/// What a head's random mask is drawn from: each head of each layer draws its own from one seed.
std::uint64_t randomMaskSeed(std::uint64_t seed, int layer, int head);

}  // namespace headlight
