// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The paths in an Experiment.

#include <string>

#include "core/config/Experiment.h"
#include "core/config/SequenceExperiment.h"

namespace headlight {

/// An empty path stays as it is.
void makePathAbsolute(std::string& path);

/// Data, weights and teacher by paths that do not depend on where the program is started, as a run
/// needs them that is resumed from elsewhere. Published names and empty paths stay as they are.
void makePathsAbsolute(Experiment& experiment);
void makeSequencePathsAbsolute(SequenceExperiment& experiment);

}  // namespace headlight
