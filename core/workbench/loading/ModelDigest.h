// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A short name for what a model would make of images: equal for equal weights and config, however
// they came about. Torch types: core only.

#include <string>

#include "core/models/backbones/Model.h"

namespace headlight {

/// Sixteen digits from config, tensors, what heads learned of their α, and progress; masks are not
/// of it. Finds other weights, not intent.
std::string modelDigest(const Model& model);

}  // namespace headlight
