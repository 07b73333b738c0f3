// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Layers × heads, layers × tokens and head × head tables as images, for files and for the window.

#include "core/imaging/codecs/Image.h"
#include "core/workbench/interventions/HeadComposition.h"
#include "core/workbench/interventions/Interventions.h"

namespace headlight {

/// A strip for every layer, the first above; colors are effects, diverging about 0; gray: no such
/// part. `model`: for the title. Throws Failure for a sweep without columns.
Image sweepImage(const InterventionSweep& sweep, const std::string& model);
/// A cell for every pair of heads: rows read, columns write; colors from chance on.
Image compositionImage(const HeadComposition& composition, CompositionInput input,
                       const std::string& model);

}  // namespace headlight
