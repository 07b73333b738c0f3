// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/foreign/ImageProcessor.h"

#include <cmath>
#include <optional>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/config/ConfigText.h"
#include "core/workbench/foreign/ConfigValues.h"

namespace headlight {
namespace {

const std::vector<double> kHalf{0.5, 0.5, 0.5};
const std::vector<double> kImageNetMean{0.485, 0.456, 0.406}, kImageNetStd{0.229, 0.224, 0.225};
const std::vector<double> kClipMean{0.48145466, 0.4578275, 0.40821073},
    kClipStd{0.26862954, 0.26130258, 0.27577711};

/// What a processor of this kind of model does where its file says nothing.
struct ProcessorDefaults {
  std::vector<double> mean = kHalf, deviation = kHalf;
  int resample = 2;  ///< Pillow's number: bilinear
  bool crops = false;
};

ProcessorDefaults defaultsOf(const std::string& type) {
  if (type.starts_with("clip")) return {kClipMean, kClipStd, 3, true};
  if (type.starts_with("siglip")) return {kHalf, kHalf, 3};
  if (type == "deit") return {kImageNetMean, kImageNetStd, 3, true};
  if (type == "beit" || type == "data2vec-vision") return {kHalf, kHalf, 3};
  if (type.starts_with("dinov2")) return {kImageNetMean, kImageNetStd, 3, true};
  if (type == "vit" || type == "ijepa") return {};
  return {kImageNetMean, kImageNetStd, type == "depth_anything" ? 3 : 2};
}

std::optional<Json> readProcessor(const std::filesystem::path& folder) {
  const auto path = folder / "preprocessor_config.json";
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return std::nullopt;
  auto json =
      valueOrThrow(parseConfigJson(valueOrThrow(readFile(path, kMaxConfigText)), path.string()));
  if (!json.is_object())
    throw Failure({ErrorCode::InvalidConfig, tr("is not a JSON object"), path.string()});
  return json;
}

/// To which size images are brought before anything is cut off; 0: not said.
struct ResizedTo {
  int height = 0, width = 0;
  bool shortSide = false;  ///< both are the short side
};

ResizedTo readSize(const ConfigValues& config, bool shortSide, ForeignModel& model) {
  const Json size = config.json().value("size", Json());
  if (!size.is_object()) {
    const auto [height, width] = config.size("size", {0, 0});
    return {height, width, shortSide && height == width};
  }
  const ConfigValues sides = config.part("size");
  if (sides.has("shortest_edge")) {
    if (sides.has("longest_edge")) {
      model.notes.push_back(
          "its images keep their proportions; here the middle is cut out of them");
      return {0, 0, true};
    }
    const int edge = sides.whole("shortest_edge", 0, 1, 4096);
    return {edge, edge, true};
  }
  return {sides.whole("height", 0, 1, 4096), sides.whole("width", 0, 1, 4096), false};
}

std::pair<int, int> readCrop(const ConfigValues& config, std::pair<int, int> otherwise) {
  const Json crop = config.json().value("crop_size", Json());
  if (!crop.is_object()) return config.size("crop_size", otherwise);
  const ConfigValues sides = config.part("crop_size");
  return {sides.whole("height", otherwise.first, 1, 4096),
          sides.whole("width", otherwise.second, 1, 4096)};
}

void setFilter(int resample, ForeignModel& model) {
  constexpr int kNearest = 0, kBilinear = 2, kBicubic = 3;
  ModelConfig& ours = model.model;
  ours.interpolation = resample == kNearest    ? "nearest"
                       : resample == kBilinear ? "bilinear"
                                               : "bicubic";
  if (resample != kNearest && resample != kBilinear && resample != kBicubic)
    model.notes.push_back("its filter for resizing (number " + std::to_string(resample) +
                          " of Pillow's) is not supported: bicubic is used");
}

/// The processor's size where the model takes any, else its own.
void setImageSize(std::pair<int, int> seen, ForeignModel& model) {
  ModelConfig& ours = model.model;
  if (seen == std::pair(ours.imageHeightPixels(), ours.imageWidthPixels())) return;
  const auto text = [](std::pair<int, int> size) {
    return std::to_string(size.first) + "×" + std::to_string(size.second);
  };
  const bool fits = seen.first > 0 && seen.second > 0 && seen.first % ours.patchSize == 0 &&
                    seen.second % ours.patchSize == 0;
  if (!model.anySize || !fits) {
    model.notes.push_back(
        "its image processor makes images of " + text(seen) + ", the model takes " +
        text({ours.imageHeightPixels(), ours.imageWidthPixels()}) + ": the model's size is used");
    return;
  }
  model.notes.push_back("images of " + text(seen) +
                        " as its image processor makes them; trained at " +
                        text({ours.imageHeightPixels(), ours.imageWidthPixels()}));
  ours.imageSize = seen.first;
  ours.imageWidth = seen.first == seen.second ? 0 : seen.second;
}

void setGeometry(const ConfigValues& config, const ProcessorDefaults& usual, ForeignModel& model) {
  ModelConfig& ours = model.model;
  const std::pair own{ours.imageHeightPixels(), ours.imageWidthPixels()};
  ResizedTo to = readSize(config, model.shortSide, model);
  if (!config.flag("do_resize", true)) to = {};
  const bool crops = config.flag("do_center_crop", usual.crops && config.has("crop_size"));
  if (to.height == 0) to = {own.first, own.second, crops || to.shortSide};
  const auto seen =
      crops ? readCrop(config, {to.height, to.width}) : std::pair(to.height, to.width);
  setImageSize(seen, model);
  ours.cropMode = to.shortSide ? "center" : "squash";
  ours.cropFraction = crops && seen.first <= to.height ? cropFractionOf(seen.first, to.height) : 1;
  if (crops && seen.first > to.height)
    model.notes.push_back(
        "its images are smaller than what is cut out of them, which is padded; "
        "here they are enlarged");
}

void setColors(const ConfigValues& config, const ProcessorDefaults& usual, ForeignModel& model) {
  if (!config.flag("do_normalize", true)) {
    model.model.mean = {0, 0, 0};
    model.model.deviation = {1, 1, 1};
    return;
  }
  model.model.mean = config.three("image_mean", usual.mean);
  model.model.deviation = config.three("image_std", usual.deviation);
  const double factor = config.number("rescale_factor", 1.0 / 255);
  if (!config.flag("do_rescale", true) || std::abs(factor - 1.0 / 255) > 1e-6)
    model.notes.push_back("its pixels are not scaled to 0 … 1; here they are");
}

}  // namespace

double cropFractionOf(int crop, int resized) {
  double fraction = static_cast<double>(crop) / resized;
  if (std::floor(crop / fraction) < resized) fraction = std::nextafter(fraction, 0.0);
  return fraction;
}

void readImageProcessor(const std::filesystem::path& folder, const std::string& type,
                        ForeignModel& model) {
  const ProcessorDefaults usual = defaultsOf(type);
  const auto json = readProcessor(folder);
  if (!json)
    model.notes.push_back(
        "no preprocessor_config.json: assuming what models of its kind expect of "
        "an image");
  const ConfigValues config(json.value_or(Json::object()),
                            (folder / "preprocessor_config.json").string());
  setFilter(config.whole("resample", usual.resample, 0, 5), model);
  setGeometry(config, usual, model);
  setColors(config, usual, model);
}

}  // namespace headlight
