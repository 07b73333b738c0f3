// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The config of a run that somebody else may be writing. Internal to core/workbench.

#include "core/base/files/OpenFolder.h"
#include "core/config/Parameter.h"

namespace headlight {

/// config.json unchanged, for any kind of run. Throws Failure: NotFound, InvalidConfig.
Json runConfigIn(const OpenFolder& run);

}  // namespace headlight
