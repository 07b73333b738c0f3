// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What timm's ViT, BEiT and EVA are constructed with, as configs: the published names are told so,
// and so are the files that timm writes (`model_args`, keyword arguments in a checkpoint). No torch
// type.

#include "core/config/ModelConfig.h"

namespace headlight {

/// timm's classes, which differ in what an argument is where it is not given.
enum class TimmClass { VisionTransformer, Beit, Eva };

/// What a model of this class is before any argument; everything but its name and how it takes
/// images.
void applyTimmDefaults(TimmClass kind, ModelConfig& config);

/// Changes `config` as these keyword arguments of its timm class say; the class is read off the
/// config (model.layout.names). Arguments that only matter in training (drop rates) are passed
/// over. Throws Failure(UnsupportedFile) naming an argument, or a value of one, that this program
/// cannot follow, and Failure(InvalidConfig) for one of a wrong type.
void applyTimmArguments(const Json& arguments, ModelConfig& config);

}  // namespace headlight
