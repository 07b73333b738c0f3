// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a variant of a sweep changes in the base. Internal.

#include <string>

#include "core/workbench/sweeps/Sweep.h"

namespace headlight {

/// Throws Failure(InvalidConfig); `path`: in the sweep file.
[[noreturn]] void refuseSweep(const std::string& message, const std::string& path);

/// Names first: they decide which options there are. Ranges are checked when the whole is read.
void applyOverrides(Json& experiment, const Json& overrides, const std::string& path);

}  // namespace headlight
