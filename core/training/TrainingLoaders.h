// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The batches that a run trains on and is validated on, of what its parts say. Torch types.

#include <memory>

#include "core/data/Loader.h"
#include "core/training/TrainerParts.h"

namespace headlight {

/// Shuffled, repeated and augmented as parts.experiment says, keyed by its seed, and all of one size
/// (ofOneSize); of several processes the part of this one. Throws Failure(InvalidArgument), as
/// Loader does.
std::unique_ptr<Loader> trainingLoader(const TrainerParts& parts);

/// In order, every sample, without augmentation; likewise.
std::unique_ptr<Loader> validationLoader(const TrainerParts& parts);

}  // namespace headlight
