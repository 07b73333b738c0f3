// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a run is computed with, beside what its config says. A sum in another order ends in another
// last bit: the same run is the same, bit for bit, with the same of these.

#include <c10/core/Device.h>

#include <string>

#include "core/config/Parameter.h"

namespace headlight {

/// {"threads": 2, "blas": "SkylakeX", "library": "LibTorch 1.13.0", "device": "cpu"}, of the
/// calling thread.
Json surroundings(const c10::Device& device);

/// What differs, and what it means: a sentence for the person. Empty where nothing does, or `then`
/// is unknown.
std::string surroundingsNote(const Json& then, const Json& now);

}  // namespace headlight
