// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Files of maps where commands take images: FILE stands for all of its images, FILE[2] for one.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/ModelOptions.h"
#include "core/workbench/loading/MapFile.h"

namespace headlight::cli {

struct MapInput {
  std::filesystem::path file;
  std::optional<int> image;  ///< nothing: all
};

/// Nothing where `argument` is another file, or none.
std::optional<MapInput> mapInput(const std::string& argument);
/// The same of a command's images: maps stand alone. Throws Failure naming `flag` where there is
/// more beside them, or a model or masks are given.
std::optional<MapInput> mapInput(const std::vector<std::string>& arguments,
                                 const ModelOptions& model, const std::string& flag);

/// Opens maps, and notes what was assumed of them. `model`: for the names of classes.
std::unique_ptr<InferenceSession> openMaps(const std::filesystem::path& file,
                                           const ModelOptions& model, Terminal& terminal);

/// Each image that is meant, by its address ("FILE[2]") and as the session knows it.
void forEachMapImage(const MapInput& input, InferenceSession& session,
                     const std::function<void(const std::string&, const Image&)>& use);
/// The image of a place, FILE being one where there is only one. Throws Failure.
Image mapImage(const MapInput& input, InferenceSession& session);
/// The same for a model to look at. Throws Failure also where the file has maps alone.
Image mapImage(const MapInput& input);

/// What files are named after: "FILE-2" of FILE.safetensors[2]; else `image` as it is.
std::filesystem::path imageFile(const std::filesystem::path& image);

}  // namespace headlight::cli
