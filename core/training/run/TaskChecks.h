// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether a model can learn what its data has, with what its experiment asks for. No torch type.

#include "core/config/Experiment.h"
#include "core/config/Tasks.h"

namespace headlight {

/// Throws Failure(InvalidConfig): a model with data for another task (dataTask), naming both; and of
/// a detector or a segmenter the first option that changes classes of images alone, or would not
/// move boxes and classes of pixels with the pixels. Of a masked autoencoder, which takes any data,
/// the first option that needs classes.
void checkTraining(const Experiment& experiment, Task task, Task ofData);

}  // namespace headlight
