// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/MapModel.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>

#include "core/base/Translation.h"
#include "core/config/Catalog.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

/// As many pixels a patch as the image has; the sides need not be multiples of it.
ModelConfig shapeOf(const MapFileInfo& maps) {
  const Grid& grid = maps.grids.front();
  ModelConfig model;
  model.name = maps.path.filename().string();
  model.mechanism = kMapsAlone;
  model.imageSize = maps.height;
  model.imageWidth = maps.width;
  model.patchSize = std::max(1, maps.height / grid.rows);
  model.cropFraction = 1;  // maps cover the whole image
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

ModelInfo makeModelInfo(const MapFileInfo& maps) {
  ModelInfo info;
  info.isPrecomputed = true;
  info.images = maps.images;
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
  info.weightsName = maps.path.filename().string();
  info.notes = maps.notes;
  return info;
}

std::optional<std::filesystem::path> mapFileIn(const ModelSource& source) {
  const std::filesystem::path file = source.model.empty() ? source.weights.string() : source.model;
  const bool alone = source.model.empty() || source.weights.empty();
  return alone && isMapFile(file) ? std::optional(file) : std::nullopt;
}

Image PrecomputedMaps::imageAt(const std::string& address, const Image& otherwise) {
  const auto place = parseMapPlace(address);
  if (!place || !isSameFile(place->file, info().path)) return otherwise;
  const auto image = m_file.image(place->image);
  if (!image) return otherwise;
  std::erase_if(m_given, [](const auto& given) { return given.first.expired(); });
  m_given.emplace_back(image->pixels, place->image);
  return *image;
}

int PrecomputedMaps::numberOf(const Image& image) const {
  for (const auto& [pixels, number] : m_given)
    if (pixels.lock() == image.pixels) return number;
  const std::string name = info().path.filename().string();
  const int last = info().images - 1;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("contains maps without a model, only for its own images; choose ") +
                     MapPlace{name, 0}.text() +
                     (last > 0 ? " to " + MapPlace{name, last}.text() : "") +
                     tr(", or open a model"),
                 info().path.string()});
}

InferenceResult PrecomputedMaps::infer(const Image& image, const MaskScheme& masks,
                                       const ModelInfo& info, std::uint64_t weights,
                                       const InferenceOptions& options,
                                       std::stop_token stop) const {
  if (masks.maskedHeads() > 0) throw Failure(needsModel(info.weights.string()));
  const int number = numberOf(image);
  const auto started = std::chrono::steady_clock::now();
  InferenceResult inference;
  inference.logits = valueOrThrow(m_file.logits(number));
  if (!inference.logits.empty())
    inference.top = rankClasses(inference.logits, info.classNames, options.topClasses);
  inference.alphas = info.alphas;
  inference.view = image;
  inference.masks = masks;
  inference.weights = weights;
  inference.kernels = "maps of a file";
  inference.maps.meaning = info.mapMeaning;
  inference.maps.isSigned = info.mapIsSigned;
  if (options.maps) inference.maps = valueOrThrow(m_file.maps(number, stop));
  for (const LayerMaps& layer : inference.maps.layers)
    inference.locality.push_back(localityScores(layer));
  inference.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  return inference;
}

}  // namespace headlight
