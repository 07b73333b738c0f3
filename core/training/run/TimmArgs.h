// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// args.yaml: what a run began with, under the names of timm's train.py, which writes such a file
// itself and reads it back with --config. What timm has no word for (masks, mechanisms, published
// models of its own) stands in config.json alone, and so does what it knows and this program does
// not do.

#include "core/base/files/OpenFolder.h"
#include "core/config/Experiment.h"

namespace headlight {

/// Flat, by timm's names. `experiment`: resolved, with the classes that the data has.
Json timmArgs(const Experiment& experiment);

Result<void> writeTimmArgs(const OpenFolder& folder, const Experiment& experiment);

}  // namespace headlight
