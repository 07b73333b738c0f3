// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a single file of weights tells of its model without being read: by its name and its first
// bytes. Internal to core/workbench.

#include "core/workbench/loading/LocalModels.h"

namespace headlight {

/// Whether its name says that it holds weights: .safetensors, .pth, .pt.
bool isNamedAsWeights(const std::string& name);

/// torch hub's names end in eight digits of a hash: "deit_tiny_patch16_224-a1311bcf.pth" is of
/// deit_tiny_patch16_224. The name without ending and hash.
std::string stemOfWeights(const std::string& name);

/// Reads at most 256 KB of it.
LocalModel describeLooseWeights(const std::filesystem::path& path, LocalModel::Source source);

}  // namespace headlight
