// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a layer may keep for every pair of tokens, whatever the size of an image.

#include <cstdint>
#include <string>

namespace headlight {

/// Throws Failure(InvalidConfig) at `path` where a layer that keeps values for each of `rows` ×
/// `columns` pairs of tokens would be too large to hold: more pairs than 4096 tokens have (a tensor
/// of them takes 16 to 200 MB). To be called before anything of that size is allocated, and where
/// its cost is counted. `remedy`: what to do, "use larger patches or a smaller image".
void requireTokenPairsFit(std::int64_t rows, std::int64_t columns, const std::string& path,
                          const std::string& remedy);

/// The same for every pair of `patches`, of which larger patches or a smaller image give fewer.
void requireTokenPairsFit(std::int64_t patches);

}  // namespace headlight
