// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Videos and cameras, and films that are written: all of it for programs.

#include <filesystem>
#include <optional>
#include <string>

#include "core/imaging/video/FilmFile.h"
#include "core/imaging/video/VideoReader.h"
#include "core/workbench/loading/MapFile.h"

namespace headlight {

/// "clip.avi[12]", as people type it and the window keeps it: frame 12, from 0. Nothing where no
/// video is there; reads its first bytes.
std::optional<MapPlace> videoPlaceOf(const std::string& address);

/// A picture, or such a frame. Errors: those of readImage() and readVideoFrame().
Result<Image> readPictureOrFrame(const std::filesystem::path& path);

}  // namespace headlight
