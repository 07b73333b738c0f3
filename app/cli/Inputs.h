#pragma once
// Pictures named on the command line.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/Terminal.h"
#include "core/workbench/Pictures.h"

namespace headlight::cli {

/// Folders become the pictures in them, sorted by name. Throws Failure for a folder without any.
std::vector<std::filesystem::path> expandPictures(const std::vector<std::string>& arguments);

/// Reads each picture and hands it to `use`. A damaged one is reported and passed over, or, with
/// `strict`, ends it (Failure). Returns the exit code: that of the first damaged one.
int forEachPicture(const std::vector<std::filesystem::path>& paths, bool strict, Terminal& terminal,
                   const std::function<void(const std::filesystem::path&, const Image&)>& use);

}  // namespace headlight::cli
