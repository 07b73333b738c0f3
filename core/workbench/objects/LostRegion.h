// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// LOST (Siméoni et al. 2021, "Localizing Objects with Self-Supervised Transformers and no Labels",
// §3): patches that resemble few others are more likely of an object than of the background. No
// torch type here.

#include "core/workbench/objects/PatchRegion.h"

namespace headlight {

/// Patches p and q are connected where f_p · f_q > 0. The seed p* is the patch of lowest degree (of
/// equals the first). It is joined by those of the `seeds` patches of lowest degree that are
/// connected with it; a patch q is of the object where Σ_s f_q · f_s > 0 over them, which is its
/// score. Throws Failure: as requireComparable(), NotFound where the seed's features are all 0.
PatchRegion lostRegion(const PatchFeatures& features, int seeds);

}  // namespace headlight
