// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Folders that hold models and are none themselves: the home or the cache of the Hugging Face hub,
// torch hub's, and any folder with models in it. No torch type here.

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/workbench/loading/LocalModels.h"

namespace headlight {

/// Whether a folder holds entries of the hub's cache (models--ORG--NAME), itself or in `hub`.
bool holdsHubEntries(const std::filesystem::path& folder);

/// The first `most` models in a folder and up to kDeepestLocal levels below, also those that this
/// program cannot open. Blocks; ends early where `stop` is asked for.
std::vector<LocalModel> findModelsIn(const std::filesystem::path& folder, std::size_t most,
                                     const std::stop_token& stop = {});

/// A source that names such a folder as the source of the only model in it; any other source as it
/// is. Throws Failure(InvalidArgument) where there are several that open, and names some.
ModelSource resolveModelFolder(const ModelSource& source);

}  // namespace headlight
