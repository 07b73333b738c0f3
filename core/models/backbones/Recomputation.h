// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Blocks that keep only what goes in, and are computed again in the backward pass (Chen et al.
// 2016, "Training Deep Nets with Sublinear Memory Cost"): less memory for a second forward pass.

#include "core/models/backbones/Model.h"

namespace headlight {

/// Model::block with gradients. The numbers are those of the block itself, bit for bit, also what
/// is drawn in it; of what it computes only the result is kept. Where nothing needs a gradient, the
/// block itself.
at::Tensor recomputedBlock(Model& model, int layer, const at::Tensor& tokens);

/// Whether a forward pass changes anything of the model that another one must not see: batch norms.
bool canRecompute(const Model& model);

}  // namespace headlight
