// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// ImageNet's development kit of 2012: ILSVRC2012_validation_ground_truth.txt has a number for each
// validation image in the order of their names, and meta.mat says which synset a number is.

#include <optional>
#include <string>
#include <vector>

#include "core/data/files/FilePlace.h"
#include "core/data/labels/ListedFiles.h"

namespace headlight {

/// The images of the flat folder with their synsets ("n01440764"); nothing where the place has no
/// such kit. Looked for in the place, in the folder, and in a folder of the kit's usual name.
/// Failure: InvalidFile (another number of lines than images, a number that meta.mat does not
/// have, no meta.mat).
std::optional<ListedFiles> devkitLabels(const FilePlace& place, const std::string& folder);

/// Synsets by number, from 1, of a meta.mat: MATLAB's format 5, compressed or not. Failure:
/// InvalidFile.
std::vector<std::string> synsetsFromMeta(std::string_view bytes, const std::string& where);

}  // namespace headlight
