// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Text towers of other libraries under transformers' names. Torch types: core only.

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// The text half of open_clip's CLIP (token_embedding, transformer.resblocks, text_projection) as
/// TextTower takes it; other tensors stay as they are.
NamedTensors inTextTowerNames(NamedTensors tensors);

}  // namespace headlight
