// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images and folders named on the command line.

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "app/cli/terminal/Terminal.h"
#include "core/workbench/session/Images.h"

namespace headlight::cli {

/// Folders become the images in them and in their folders, in natural order; what is passed over
/// there is said. Throws Failure for a folder without any.
std::vector<std::filesystem::path> expandImages(const std::vector<std::string>& arguments);

/// The image's name without its ending, numbered where it is among `taken` already (two folders
/// hold the same name); then it is too.
std::string unusedStem(std::set<std::string>& taken, const std::filesystem::path& image);

/// Reads each image, also a sample of a dataset by its address (DatasetImages.h), and hands it to
/// `use`. A damaged one is reported and passed over, or, with
/// `strict`, ends it (Failure). Returns the exit code: that of the first damaged one.
int forEachImage(const std::vector<std::filesystem::path>& paths, bool strict, Terminal& terminal,
                 const std::function<void(const std::filesystem::path&, const Image&)>& use);

/// Made where it is missing. Throws Failure.
void makeOutputFolder(const std::filesystem::path& folder);
/// The whole path, for who did not name a folder.
std::string wholePath(const std::filesystem::path& path);

}  // namespace headlight::cli
