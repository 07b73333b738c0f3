// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/Input.h"

#include <unistd.h>

#include <array>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/video/VideoReader.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/loading/InputContent.h"
#include "core/workbench/loading/MapFile.h"
#include "core/workbench/loading/WeightsPlace.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuseInput(ErrorCode code, const std::string& message, const fs::path& path) {
  throw Failure({code, message, path.string()});
}

/// Throws Failure for what is neither a folder nor a file with anything in it.
void requireContent(const fs::path& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found)
    refuseInput(ErrorCode::NotFound,
                tr("does not exist. Check the name, and whether its disk is connected"), path);
  if (failed == std::errc::too_many_symbolic_link_levels)
    refuseInput(ErrorCode::NotFound, tr("is a circular symbolic link. Give the file itself"), path);
  const bool folder = fs::is_directory(status);
  if (status.type() == fs::file_type::none)
    refuseInput(ErrorCode::Io, tr("cannot be opened: ") + failed.message(), path);
  if (!folder && !fs::is_regular_file(status))
    refuseInput(ErrorCode::UnsupportedFile, tr("is not a regular file, so it is not opened"), path);
  if (::access(path.c_str(), folder ? R_OK | X_OK : R_OK) != 0)
    refuseInput(ErrorCode::Io, tr("cannot be read. Change its permissions, or copy it"), path);
  if (!folder && fs::file_size(path, failed) == 0)
    refuseInput(ErrorCode::InvalidFile, tr("is empty (0 bytes)"), path);
}

/// "FILE[2]" where FILE holds frames or maps and nothing has the whole text as its name.
std::optional<Input> addressedImage(const fs::path& path) {
  const auto place = parseMapPlace(path.string());
  if (!place || isThere(path)) return std::nullopt;
  Input input{.path = place->file, .index = place->image};
  switch (contentOfFile(place->file)) {
    case FileContent::Video:
    case FileContent::Playlist:  // the reader of videos says what it is
      input.kind = InputKind::VideoFrame;
      return input;
    case FileContent::Checkpoint:
      input.kind = InputKind::MapImage;
      return isMapFile(place->file) ? std::optional(input) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// "FILE[NAME]" where FILE holds weights.
std::optional<Input> addressedWeights(const fs::path& path) {
  const WeightsPlace place = parseWeightsPlace(path);
  if (place.take.empty() || !isThere(place.file)) return std::nullopt;
  auto input = identify(place.file);
  if (!input || input->kind != InputKind::Weights) return std::nullopt;
  input->path = path;
  return std::move(input).value();
}

}  // namespace

bool Input::isJson() const {
  return kind == InputKind::Config || kind == InputKind::Masks || kind == InputKind::Session ||
         kind == InputKind::SequenceConfig;
}

bool Input::isFolder() const {
  return kind == InputKind::HubFolder || kind == InputKind::RunFolder ||
         kind == InputKind::SequenceRun || kind == InputKind::Dataset || kind == InputKind::Folder;
}

bool Input::isImage() const {
  return kind == InputKind::Image || kind == InputKind::SessionImage ||
         kind == InputKind::VideoFrame || kind == InputKind::MapImage;
}

bool Input::holdsTensors() const {
  return !byName && (kind == InputKind::Maps || kind == InputKind::Weights ||
                     kind == InputKind::SequenceWeights);
}

std::string Input::address() const {
  return index < 0 ? path.string() : MapPlace{path, index}.text();
}

Result<Input> identify(const fs::path& path) {
  return guarded(path.string(), [&]() -> Input {
    if (auto image = addressedImage(path)) return *std::move(image);
    if (auto weights = addressedWeights(path)) return *std::move(weights);
    requireContent(path);
    std::error_code unknown;
    return fs::is_directory(path, unknown) ? folderInput(path) : fileInput(path);
  });
}

Input identifyOrGuess(const fs::path& path) {
  auto input = identify(path);
  if (input) return std::move(input).value();
  return {.kind = kindByName(path), .path = path, .byName = true, .problem = input.error()};
}

const char* toText(InputKind kind) {
  static constexpr std::array kTexts{"unknown",
                                     "an image",
                                     "an image with a session",
                                     "a frame of a video",
                                     "an image of a map file",
                                     "a video",
                                     "a map file",
                                     "weights",
                                     "weights of a sequence model",
                                     "a config",
                                     "a mask scheme",
                                     "a session",
                                     "a config of a sequence model",
                                     "a model of the Hugging Face hub",
                                     "the folder of a training run",
                                     "the folder of a sequence model's run",
                                     "a dataset",
                                     "a folder"};
  static_assert(kTexts.size() == static_cast<std::size_t>(InputKind::Folder) + 1);
  return kTexts[static_cast<std::size_t>(kind)];
}

Result<Image> readImageAt(const fs::path& address) {
  const auto image = guarded(address.string(), [&] { return addressedImage(address); });
  if (!image) return image.error();
  const std::optional<Input>& addressed = *image;
  if (!addressed) return readImage(address);
  if (addressed->kind == InputKind::VideoFrame)
    return readVideoFrame(addressed->path, addressed->index);
  return readMapImage({addressed->path, addressed->index});
}

std::string weightsOfNamedModel(const std::string& model) {
  if (model.empty() || findPublishedModel(model)) return {};
  const Input input = identifyOrGuess(model);
  if (input.kind == InputKind::HubFolder || input.holdsTensors()) return input.path.string();
  return {};
}

}  // namespace headlight
