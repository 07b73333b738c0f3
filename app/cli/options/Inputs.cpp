// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/Inputs.h"

#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Log.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/Video.h"

namespace headlight::cli {
namespace fs = std::filesystem;

std::vector<fs::path> expandPictures(const std::vector<std::string>& arguments) {
  std::vector<fs::path> pictures;
  for (const fs::path argument : arguments) {
    std::error_code error;
    if (!fs::is_directory(argument, error)) {
      pictures.push_back(argument);
      continue;
    }
    const ImageFiles inside = imageFilesIn(argument);
    const std::string passedOver = inside.text();
    if (inside.images.empty())
      throw Failure({ErrorCode::NotFound,
                     "has no image in it (.jpg, .png, .webp, .bmp, .tif, .ppm)" +
                         (passedOver.empty() ? "" : ", and " + passedOver) +
                         "; name images or another folder",
                     argument});
    if (!passedOver.empty()) logWarning(argument.string() + ": " + passedOver);
    pictures.insert(pictures.end(), inside.images.begin(), inside.images.end());
  }
  return pictures;
}

std::string unusedStem(std::set<std::string>& taken, const std::filesystem::path& picture) {
  const std::string stem = picture.stem().string();
  std::string fresh = stem;
  for (int n = 2; !taken.insert(fresh).second; ++n)
    fresh = stem + "-" + std::to_string(n);
  return fresh;
}

int forEachPicture(const std::vector<fs::path>& paths, bool strict, Terminal& terminal,
                   const std::function<void(const fs::path&, const Image&)>& use) {
  int exitCode = kExitOk;
  for (const auto& path : paths) {
    auto image = readPictureOrFrame(path);
    if (image) {
      use(path, *image);
      continue;
    }
    if (strict) throw Failure(image.error());
    terminal.error(image.error());
    if (exitCode == kExitOk) exitCode = exitCodeOf(image.error().code, 0);
  }
  return exitCode;
}

void makeOutputFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure({ErrorCode::Io, "cannot be made: " + error.message(), folder.string()});
}

std::string wholePath(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  return (unknown ? path : whole.lexically_normal()).string();
}

}  // namespace headlight::cli
