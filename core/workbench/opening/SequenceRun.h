#pragma once
// Where the weights of a run of a sequence model lie. Internal to core/workbench.

#include <filesystem>

namespace headlight {

/// A file as it is; of a folder its best.safetensors, else its last. Throws Failure(NotFound).
std::filesystem::path sequenceWeightsIn(const std::filesystem::path& runFolderOrWeights);

}  // namespace headlight
