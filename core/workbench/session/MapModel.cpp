// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/MapModel.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>

#include "core/config/Catalogue.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

/// As many pixels a patch as the picture has; the sides need not be multiples of it.
ModelConfig shapeOf(const MapFileInfo& maps) {
  const Grid& grid = maps.grids.front();
  ModelConfig model;
  model.name = maps.path.filename().string();
  model.mechanism = kMapsAlone;
  model.imageSize = maps.height;
  model.imageWidth = maps.width;
  model.patchSize = std::max(1, maps.height / grid.rows);
  model.cropFraction = 1;  // maps cover the whole picture
  model.classes = maps.classes;
  model.registers = grid.registers;
  model.classToken = grid.hasClassToken();
  model.distilled = grid.prefix - grid.registers == 2;
  model.heads = *std::max_element(maps.heads.begin(), maps.heads.end());
  model.width = model.heads;
  model.depth = static_cast<int>(maps.heads.size());
  if (std::count(maps.heads.begin(), maps.heads.end(), model.heads) == model.depth) return model;
  model.depths.assign(maps.heads.size(), 1);
  model.stageHeads = model.stageWidths = maps.heads;
  return model;
}

bool isSameFile(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code unknown;
  return a == b || std::filesystem::equivalent(a, b, unknown);
}

}  // namespace

ModelInfo modelInfoOf(const MapFileInfo& maps) {
  ModelInfo info;
  info.isPrecomputed = true;
  info.pictures = maps.pictures;
  info.experiment.name = maps.path.filename().string();
  info.experiment.model = shapeOf(maps);
  info.classNames = maps.classNames;
  info.heads = maps.heads;
  info.grid = maps.grids.front();
  for (const Grid& grid : maps.grids)
    info.grid.prefix = std::max(info.grid.prefix, grid.prefix);
  info.mapMeaning = maps.meaning;
  info.mapIsSigned = maps.isSigned;
  info.mapRowsSumToOne = maps.rowsSumToOne;
  for (const int heads : maps.heads)
    info.alphas.emplace_back(heads, std::numeric_limits<float>::quiet_NaN());
  info.device = "cpu";
  info.weights = maps.path;
  info.notes = maps.notes;
  return info;
}

std::optional<std::filesystem::path> mapFileIn(const ModelSource& source) {
  const std::filesystem::path file = source.model.empty() ? source.weights.string() : source.model;
  const bool alone = source.model.empty() || source.weights.empty();
  return alone && isMapFile(file) ? std::optional(file) : std::nullopt;
}

Image PrecomputedMaps::pictureAt(const std::string& address, const Image& otherwise) {
  const auto place = mapPlaceOf(address);
  if (!place || !isSameFile(place->file, info().path)) return otherwise;
  const auto image = m_file.picture(place->picture);
  if (!image) return otherwise;
  std::erase_if(m_given, [](const auto& given) { return given.first.expired(); });
  m_given.emplace_back(image->pixels, place->picture);
  return *image;
}

int PrecomputedMaps::numberOf(const Image& image) const {
  for (const auto& [pixels, number] : m_given)
    if (pixels.lock() == image.pixels) return number;
  const std::string name = info().path.filename().string();
  const int last = info().pictures - 1;
  throw Failure({ErrorCode::InvalidArgument,
                 "holds maps without a model, of its own pictures alone; choose " +
                     MapPlace{name, 0}.text() +
                     (last > 0 ? " to " + MapPlace{name, last}.text() : "") + ", or open a model",
                 info().path.string()});
}

InferenceResult PrecomputedMaps::look(const Image& image, const MaskScheme& masks,
                                      const ModelInfo& info, std::uint64_t weights,
                                      const InferenceOptions& options, std::stop_token stop) const {
  if (masks.maskedHeads() > 0) throw Failure(needsModel(info.weights.string()));
  const int picture = numberOf(image);
  const auto started = std::chrono::steady_clock::now();
  InferenceResult look;
  look.logits = valueOrThrow(m_file.logits(picture));
  if (!look.logits.empty())
    look.top = topClassesOf(look.logits, info.classNames, options.topClasses);
  look.alphas = info.alphas;
  look.view = image;
  look.masks = masks;
  look.weights = weights;
  look.kernels = "maps of a file";
  look.maps.meaning = info.mapMeaning;
  look.maps.isSigned = info.mapIsSigned;
  if (options.maps) look.maps = valueOrThrow(m_file.maps(picture, stop));
  for (const LayerMaps& layer : look.maps.layers)
    look.locality.push_back(localityScores(layer));
  look.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  return look;
}

}  // namespace headlight
