// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which keys a mask leaves inside, on the grids of a layer, for every kind of region. Where queries
// and keys lie on grids of their own, a query of a Natten or drawn region, and of a decay, stands
// in the first key cell that it covers.

#include <cstdint>
#include <vector>

#include "core/base/Result.h"
#include "core/masks/Grid.h"
#include "core/masks/HeadMask.h"

namespace headlight {

/// A window in pixels as the nearest odd number of patches, at least 1, where a patch of the layer
/// has `pixels` pixels; other masks as they are. A stride is never more than the window.
HeadMask inPatches(HeadMask mask, double pixels);

/// Ok if the mask can act on these grids. Errors (InvalidConfig) say what does not fit: a Natten
/// window or dilation larger than the grid, a global patch outside, a drawing of another size, a
/// strict mask of which a row sees nothing.
Result<void> checkRegion(const HeadMask& mask, const Grid& queries, const Grid& keys);

/// Row `token` of M, [Tk]: 1 inside. `seed` is what a random mask is drawn from (randomMaskSeed).
/// For masks of which checkRegion says Ok; of any kind but None and Decay.
std::vector<std::uint8_t> selectedRow(const HeadMask& mask, const Grid& queries, const Grid& keys,
                                      std::uint64_t seed, int token);
/// All rows, [Tq, Tk].
std::vector<std::uint8_t> selectedMask(const HeadMask& mask, const Grid& queries, const Grid& keys,
                                       std::uint64_t seed);

/// About how many patches a patch selects: what a kernel that walks them costs.
std::int64_t selectedPatches(const HeadMask& mask);

/// [Tq, Tk]: d·ln γ, d the Manhattan distance in patches of the key grid; 0 for prefix tokens.
std::vector<double> decayLogits(double gamma, const Grid& queries, const Grid& keys);
/// d of one row's patches, [rows × cols] of the keys. `patch`: of the queries.
std::vector<int> manhattanDistances(const Grid& queries, const Grid& keys, int patch);

/// The cells of one axis of `length` that NATTEN's neighborhood of cell `index` holds: `window` of
/// them, every `dilation`-th, the first given (NATTEN 0.21, its reference mask; Hassani & Shi 2022,
/// and Hassani et al. 2025 for the stride). window · dilation is at most `length`.
int nattenStart(int index, int length, int window, int dilation, int stride);

}  // namespace headlight
