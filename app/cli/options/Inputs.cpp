// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/Inputs.h"

#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/session/DatasetImages.h"
#include "core/workbench/session/Datasets.h"

namespace headlight::cli {
namespace fs = std::filesystem;

namespace {

/// "; it is the folder of a training run"; empty for a folder of no other meaning.
std::string whatElse(const fs::path& folder) {
  const auto input = identify(folder);
  if (!input || input->kind == InputKind::Folder) return {};
  return std::string(tr("; it is ")) + toText(input->kind);
}

/// A file, an image of a file of maps, or a sample of a dataset.
Result<Image> readNamedImage(const fs::path& path, AddressedDatasets& datasets) {
  const auto address = datasetAddressFrom(path.string());
  if (!address) return readImageAt(path);
  auto sample = datasets.sample(*address);
  if (!sample) return sample.error();
  return std::move(sample->image);
}

/// Its name without an ending; of a sample its kind and number.
std::string stemOf(const fs::path& image) {
  const auto address = datasetAddressFrom(image.string());
  return address ? address->kind + "-" + std::to_string(address->index) : image.stem().string();
}

}  // namespace

std::vector<fs::path> expandImages(const std::vector<std::string>& arguments) {
  std::vector<fs::path> images;
  for (const fs::path argument : arguments) {
    std::error_code error;
    if (!fs::is_directory(argument, error)) {
      images.push_back(argument);
      continue;
    }
    const ImageFiles inside = imageFilesIn(argument);
    const std::string passedOver = inside.text();
    if (inside.images.empty())
      throw Failure(
          {ErrorCode::NotFound,
           tr("contains no images (.jpg, .png, .webp, .bmp, .tif, .ppm, .heic, .avif, .jxl)") +
               (passedOver.empty() ? "" : tr(", and ") + passedOver) + whatElse(argument) +
               tr("; give images or another folder"),
           argument});
    if (!passedOver.empty()) logWarning(argument.string() + ": " + passedOver);
    images.insert(images.end(), inside.images.begin(), inside.images.end());
  }
  return images;
}

std::string unusedStem(std::set<std::string>& taken, const std::filesystem::path& image) {
  const std::string stem = stemOf(image);
  std::string fresh = stem;
  for (int n = 2; !taken.insert(fresh).second; ++n)
    fresh = stem + "-" + std::to_string(n);
  return fresh;
}

int forEachImage(const std::vector<fs::path>& paths, bool strict, Terminal& terminal,
                 const std::function<void(const fs::path&, const Image&)>& use) {
  int exitCode = kExitOk;
  AddressedDatasets datasets;
  for (const auto& path : paths) {
    auto image = readNamedImage(path, datasets);
    if (image) {
      use(path, *image);
      continue;
    }
    if (strict) throw Failure(image.error());
    terminal.error(image.error());
    if (exitCode == kExitOk) exitCode = exitCodeFor(image.error().code, 0);
  }
  return exitCode;
}

void makeOutputFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Failure({ErrorCode::Io, tr("cannot be created: ") + error.message(), folder.string()});
}

std::string wholePath(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  return (unknown ? path : whole.lexically_normal()).string();
}

}  // namespace headlight::cli
