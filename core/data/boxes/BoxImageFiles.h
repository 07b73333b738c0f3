// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the images of annotations lie. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/boxes/BoxTruth.h"

namespace headlight {

/// The file of every image, in their order. `folder` empty: looked for beside the annotations and
/// their folder, there in images and in the folder of the split ("val2017" for
/// instances_val2017.json). Throws Failure: no image, one without a name or whose name leads out of
/// the folder (InvalidFile), images that are not there (NotFound), which says how many and gives
/// `advice` ("name the folder of the images").
std::vector<std::filesystem::path> boxImageFiles(const BoxTruth& truth,
                                                 const std::filesystem::path& annotations,
                                                 const std::filesystem::path& folder,
                                                 const std::string& advice);

}  // namespace headlight
