#pragma once
// What experiments of older schemas meant by what they leave out. Internal to core/config.

#include "core/config/Parameter.h"

namespace headlight {

/// The `training` section of an experiment whose schema was checked, as this program reads it.
/// Schema 1: weight decay acted on learned masks and scales (now training.decay_masks), so a run
/// that was recorded then goes on with the numbers that it began with.
Json trainingOf(const Json& experiment);

}  // namespace headlight
