// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which images, tokens and pairs of a query-key map are drawn: each draw is a function of the seed
// and of what it is for, never of what was drawn before.

#include <cstdint>
#include <vector>

#include "core/workbench/pairs/QueryKeyOptions.h"

namespace headlight {

/// `most` of 0 … count − 1, rising; all of them where there are no more.
std::vector<std::int64_t> drawnIndices(std::int64_t count, std::int64_t most, std::uint64_t key);

/// Images 0 … count − 1 of a map, rising: at most as many as asked for, and as the bound of points
/// allows with `options.tokens` each.
std::vector<std::int64_t> drawnImages(std::int64_t count, const QueryKeyOptions& options);
/// How many images that bound allows.
std::int64_t mostImages(const QueryKeyOptions& options);

/// Rows of one image, rising: those of `prefix` tokens, then drawn ones, at most `options.tokens`.
/// Queries and keys of the same tokens are drawn alike. `tokens`: of each row.
std::vector<std::int64_t> drawnRows(const std::vector<std::int64_t>& tokens, int prefix,
                                    std::int64_t image, const QueryKeyOptions& options);

}  // namespace headlight
