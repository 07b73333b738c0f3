#pragma once
// The paths in an Experiment.

#include "core/config/Experiment.h"

namespace headlight {

/// Data, weights and teacher by paths that do not depend on where the program is started, as a run
/// needs them that is resumed from elsewhere. Published names and empty paths stay as they are.
void makePathsAbsolute(Experiment& experiment);

}  // namespace headlight
