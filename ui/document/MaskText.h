// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Masks in words: undo texts, tooltips, status lines.

#include <QString>

#include <vector>

#include "core/masks/HeadPlace.h"
#include "core/masks/MaskScheme.h"

namespace headlight {

/// "no mask", "hard 3×3", "soft 3×3, α 0.5", "random 3×3, seed 7", "decay, γ 0.9",
/// "strict natten 7×7, dilation 2".
QString maskText(const HeadMask& mask);

/// One sentence of what the kind does to a head.
QString maskKindHelp(MaskKind kind);

/// whyNotMaskable, for labels.
QString whyNotMaskableText(const MaskScheme& scheme);

/// "layer 2" for all its heads, "layer 2, head 1", "head 1 of every layer", "every head", else
/// "5 heads"; "… that can be masked" where only those of some layers can and all of them are meant.
QString cellsText(const MaskScheme& scheme, const std::vector<HeadPlace>& cells);

/// "hard 3×3 on layer 2", "no mask on head 1 of every layer".
QString maskEditText(const MaskScheme& scheme, const std::vector<HeadPlace>& cells,
                     const HeadMask& mask);

}  // namespace headlight
