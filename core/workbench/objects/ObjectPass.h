// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One layer asked for an object. Torch types: core only.

#include <ATen/core/Tensor.h>

#include "core/models/backbones/Model.h"
#include "core/workbench/objects/DiscoverObject.h"

namespace headlight {

/// By the tokens [1, T, D] that enter the block of `layer`, which runs once. Throws Failure; see
/// discoverObject().
DiscoveredObject objectInLayer(Model& model, int layer, const at::Tensor& entering,
                               const ObjectOptions& options);

}  // namespace headlight
