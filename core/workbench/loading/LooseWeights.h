// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a single file of weights tells of its model: by its name, and by the names and shapes of its
// tensors. Internal to core/workbench.

#include "core/workbench/loading/LocalModels.h"

namespace headlight {

/// Whether its name says that it holds weights: .safetensors, .pth, .pth.tar, .pt, .ckpt, .bin. Of
/// shards only the first does, which stands for all.
bool isNamedAsWeights(const std::string& name);

/// torch hub's names end in eight digits of a hash: "deit_tiny_patch16_224-a1311bcf.pth" is of
/// deit_tiny_patch16_224. The name without ending and hash.
std::string stemOfWeights(const std::string& name);

/// Of torch hub's file reads at most 256 KB; of another the names and shapes of its tensors, so that
/// a model that is said to open does so, as far as can be told without its numbers.
LocalModel describeLooseWeights(const std::filesystem::path& path, LocalModel::Source source);

}  // namespace headlight
