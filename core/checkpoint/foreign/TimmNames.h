// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Weights of other libraries under timm's names: transformers, torchvision, open_clip, OpenAI's
// CLIP, mmpretrain, and what official repositories call otherwise. Torch types: core only.

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// Renames, fuses and leaves aside what the tables of NameTables.h say, for the family whose tensors
/// the file has; any other checkpoint stays as it is. Notes say which family and what was left
/// aside; what no table knows keeps its name. Where tensors do not tell all and the metadata have
/// no `config`, it gets timm's arguments of the family. Throws Failure(InvalidFile) for tensors
/// that do not fit together.
Checkpoint inTimmNames(Checkpoint checkpoint);

}  // namespace headlight
