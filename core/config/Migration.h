// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What experiments of older schemas meant by what they leave out. Internal to core/config.

#include "core/config/Catalog.h"
#include "core/config/Parameter.h"

namespace headlight {

/// The `training` section of an experiment whose schema was checked, as this program reads it.
/// Schema 1: weight decay acted on learned masks and scales (now training.decay_masks), so a run
/// that was recorded then goes on with the numbers that it began with.
Json readTrainingSection(const Json& experiment);

/// The same of its `model` section. Schemas 1 and 2: LSLA's windows were padded after the shift
/// (now model.attention.padding), and the fit of learned masks ended at an absolute error (now
/// model.attention.fit).
Json modelOf(const Json& experiment, const ModelCatalog& catalog);

}  // namespace headlight
