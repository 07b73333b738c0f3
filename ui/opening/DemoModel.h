// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The trained model that comes with the program, and its replacement.

#include <QString>

#include "core/config/Experiment.h"

namespace headlight {

/// The weights of the demo model: beside the program, in the source tree or installed. Empty if
/// there are none.
QString demoWeights();
/// `path` as it should be opened here: a demo model that is not there any more, as in a session of
/// another machine, is this machine's.
QString weightsHere(const QString& path);
/// Replaces the demo model where its weights are missing: small enough to open at once.
Experiment demoStandIn();

}  // namespace headlight
