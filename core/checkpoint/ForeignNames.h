// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files whose tensors are those of timm under the names of who trained them. Internal.

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// DINOv2's and DINOv3's own files (torch hub's) under timm's names, as timm reads them: register
/// or storage tokens, the position that DINOv2 with registers adds to its class token, gated MLPs,
/// DINOv3's LayerScale and its bias, whose keys count nothing; without what only their training
/// needs. Blocks that a trainer counted in chunks ("blocks.0.3.") are counted once, and a ViT's
/// "head.fc" becomes its head. Notes say so. Any other checkpoint stays as it is.
void useTimmNames(Checkpoint& checkpoint);

/// Under timm's names: patches of one channel are spread over three, so that the model sees the
/// brightness (ITU-R BT.601) of a color image: 0.299 red, 0.587 green, 0.114 blue. A note says so.
void spreadGrayPatches(Checkpoint& checkpoint);

}  // namespace headlight
