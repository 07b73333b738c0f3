// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/Video.h"

#include "core/base/files/Files.h"
#include "core/workbench/loading/FileContent.h"

namespace headlight {

std::optional<MapPlace> videoPlaceOf(const std::string& address) {
  auto place = mapPlaceOf(address);
  if (!place || isThere(address)) return std::nullopt;
  const FileContent content = contentOfFile(place->file);
  // What a playlist is, the reader of videos says.
  if (content != FileContent::Video && content != FileContent::Playlist) return std::nullopt;
  return place;
}

Result<Image> readPictureOrFrame(const std::filesystem::path& path) {
  const auto frame = videoPlaceOf(path.string());
  return frame ? readVideoFrame(frame->file, frame->picture) : readImage(path);
}

}  // namespace headlight
