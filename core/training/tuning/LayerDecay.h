// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Layer-wise decay of the learning rate, in timm's groups (param_groups_layer_decay): parameters
// that come first learn slowest (BEiT, Bao et al. 2022).

#include <map>
#include <string>

#include "core/models/backbones/Model.h"

namespace headlight {

/// The layer of every parameter, from 0: patches, class token and positions, then block by block
/// (MViTv2: stage by stage, as timm has it), the norm after the last block with that block, then
/// what is left (head, registers). CaiT's class-attention blocks count beside its last blocks.
/// timm's patterns find nothing in a LeViT, whose layers here are stem and blocks, and it has no
/// detectors and segmenters: the same in their backbone, then all that follows it.
std::map<std::string, int> layerOfParameters(const Model& model);

/// The factor of every parameter's rate: decay^(last layer − its layer).
std::map<std::string, double> layerScales(const Model& model, double decay);

}  // namespace headlight
