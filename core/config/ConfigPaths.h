// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files that a config names, as it may travel with them.

#include <filesystem>

#include "core/config/Parameter.h"

namespace headlight {

/// Relative paths in an Experiment's JSON (data.path, training.weights, training.teacher,
/// training.teacher_weights) are looked for in `folder`, the config's own: one that is there is
/// replaced by its whole path, any other stays, to be looked for where the program was started.
void findPathsBeside(Json& json, const std::filesystem::path& folder);

}  // namespace headlight
