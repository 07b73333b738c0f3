// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The config of a model from its weights alone. Torch types: core only.

#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/ModelConfig.h"

namespace headlight {

/// The shape of a model read off the names and shapes of its tensors (a .pth says nothing else) and
/// off timm's keyword arguments in the metadata ("config"): ViT and its kin, BEiT, EVA, CaiT,
/// ConViT, LeViT, MViTv2 and Swin in timm's names. `notes` says what was recognized and what had to
/// be assumed. Throws Failure naming the backbone that was recognized where the rest cannot be read
/// off; `where`, the file, is in its errors. `heads`: of a ViT whose file does not state them;
/// 0: as published models of its size have, else of a width of 64 each, else 3.
ModelConfig identifyModel(const Checkpoint& checkpoint, std::vector<std::string>& notes,
                          const std::string& where = {}, int heads = 0);

}  // namespace headlight
