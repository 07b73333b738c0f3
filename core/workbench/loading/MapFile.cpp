// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/MapFile.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/FreeMemory.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/SafetensorsFile.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/maps/MapImages.h"
#include "core/workbench/maps/MapLayers.h"
#include "core/workbench/maps/MapNumbers.h"

namespace headlight {

struct MapFile::Layout {
  SafetensorsFile file;
  MapFileInfo info;
  std::vector<MapTensor> layers;
  std::optional<MapImages> images;
  std::optional<SafetensorsEntry> logits;
};

namespace {

constexpr int kPixelsOfPatch = 16;  ///< where there is no image
/// So much of a file is looked through for signs and sums when it is opened.
constexpr std::int64_t kLookedThrough = std::int64_t{1} << 30;
/// For a row's sum from 1: what rounding to the file's numbers and an exporter's own arithmetic do.
constexpr double kSumTolerance = 1e-3, kShortSumTolerance = 2e-2;

/// [T, T] of one head, as floats.
at::Tensor readMap(const SafetensorsFile& file, const MapTensor& layer, int image, int head) {
  std::vector<std::int64_t> place{head};
  if (layer.isBatched()) place.insert(place.begin(), image);
  return file.readAt(layer.entry, place).to(at::kFloat).contiguous();
}

std::int64_t bytesOfImage(const std::vector<MapTensor>& layers) {
  std::int64_t bytes = 0;
  for (const MapTensor& layer : layers)
    bytes += std::int64_t{4} * layer.heads * layer.tokens() * layer.tokens();
  return bytes;
}

/// What the rows of some maps are like.
struct CountedRows {
  bool anyNegative = false;
  double most = 0;  ///< that a sum is away from 1

  void add(const float* map, std::int64_t tokens) {
    for (std::int64_t i = 0; i < tokens; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < tokens; ++j) {
        sum += map[i * tokens + j];
        anyNegative = anyNegative || map[i * tokens + j] < 0;
      }
      if (std::isfinite(sum)) most = std::max(most, std::abs(sum - 1));
    }
  }
};

/// Throws Failure for a value that is no number.
void requireNumbers(const float* map, const MapTensor& layer, int head, const std::string& where) {
  const std::int64_t tokens = layer.tokens();
  for (std::int64_t i = 0; i < tokens; ++i)
    for (std::int64_t j = 0; j < tokens; ++j)
      if (!std::isfinite(map[i * tokens + j]))
        refuse(where, inQuotes(layer.entry.name) + ", head " + std::to_string(head) + ", row " +
                          std::to_string(i) + " contains " +
                          (std::isnan(map[i * tokens + j]) ? "NaN" : "infinity") +
                          tr("; attention must be finite. Check the program that wrote it (half "
                             "precision overflows)"));
}

void requireImage(const MapFileInfo& info, int image) {
  if (image < 0 || image >= info.images)
    refuse(info.path.string(),
           "has " + std::to_string(info.images) + (info.images == 1 ? " image" : " images") +
               tr(", counted from 0; there is no ") + std::to_string(image),
           ErrorCode::InvalidArgument);
}

std::optional<SafetensorsEntry> logitsOf(const SafetensorsFile& file, int images) {
  const SafetensorsEntry* entry = file.find("logits");
  if (!entry) return std::nullopt;
  const auto& shape = entry->shape;
  const bool whole = shape.size() == 2 && shape[0] == images && shape[1] > 0;
  const bool single = shape.size() == 1 && images == 1 && shape[0] > 0;
  if ((!whole && !single) || !c10::isFloatingType(entry->dtype))
    refuse(file.name(), tr("\"logits\" has the shape ") + shapeText(shape) + tr("; it must be [") +
                            std::to_string(images) + tr(", classes] of floating-point numbers"));
  return *entry;
}

void readClasses(const SafetensorsFile& file, const std::optional<SafetensorsEntry>& logits,
                 MapFileInfo& info) {
  info.classes =
      logits ? static_cast<int>(std::min<std::int64_t>(logits->shape.back(), 1'000'000)) : 0;
  info.classNames = namedClasses(file);
  if (logits && !info.classNames.empty() &&
      static_cast<std::int64_t>(info.classNames.size()) != logits->shape.back())
    refuse(file.name(), "\"class_names\" names " + std::to_string(info.classNames.size()) +
                            tr(" classes, but the logits have ") +
                            std::to_string(logits->shape.back()));
}

void sizeImages(const std::optional<MapImages>& images, MapFileInfo& info) {
  const Grid& grid = info.grids.front();
  info.hasImages = images.has_value();
  info.height = images ? images->height : kPixelsOfPatch * grid.rows;
  info.width = images ? images->width : kPixelsOfPatch * grid.cols;
  if (!images)
    info.notes.push_back(
        "it contains no image: maps are drawn on plain gray, and distances assume 16 pixels per "
        "patch");
}

/// Looks through as many images as kLookedThrough allows, at least one.
void lookThrough(const SafetensorsFile& file, const std::vector<MapTensor>& layers,
                 MapFileInfo& info) {
  const std::int64_t each = std::max<std::int64_t>(1, bytesOfImage(layers));
  const int images =
      static_cast<int>(std::clamp<std::int64_t>(kLookedThrough / each, 1, info.images));
  CountedRows rows;
  for (int image = 0; image < images; ++image)
    for (const MapTensor& layer : layers)
      for (int head = 0; head < layer.heads; ++head)
        rows.add(readMap(file, layer, image, head).data_ptr<float>(), layer.tokens());
  const bool isShort = c10::elementSize(layers.front().entry.dtype) < 4;
  info.isSigned = rows.anyNegative;
  info.rowsSumToOne = rows.most <= (isShort ? kShortSumTolerance : kSumTolerance);
  if (images < info.images && (!info.isSigned || info.rowsSumToOne))
    info.notes.push_back("only the first " + std::to_string(images) + " of " +
                         std::to_string(info.images) + " images were checked for signs and sums");
  if (info.isSigned)
    info.notes.push_back("maps have negative values: rollout clamps them at 0 and normalizes rows");
  else if (!info.rowsSumToOne)
    info.notes.push_back("rows of maps do not sum to 1 (up to " +
                         numberText(1e-4 * std::round(rows.most * 1e4)) +
                         " from it): rollout normalizes them");
}

std::string meaningOf(const MapFileInfo& info) {
  std::string meaning =
      "Maps as " + info.path.filename().string() + " stores them, without a model";
  if (info.isSigned)
    meaning += "; they have negative values";
  else if (!info.rowsSumToOne)
    meaning += "; their rows do not sum to 1";
  return meaning + (info.hasImages ? "" : "; there is no image, so maps are drawn on plain gray");
}

}  // namespace

const MapFileInfo& MapFile::info() const {
  return m_layout->info;
}

Result<AttentionMaps> MapFile::maps(int image, std::stop_token stop) const {
  return guarded(info().path.string(), [&] {
    requireImage(info(), image);
    requireMemory(bytesOfImage(m_layout->layers), "the maps of an image");
    AttentionMaps maps{{}, info().meaning, info().isSigned};
    for (const MapTensor& layer : m_layout->layers) {
      const std::size_t size = static_cast<std::size_t>(layer.tokens() * layer.tokens());
      auto values = std::make_shared<std::vector<float>>(size * layer.heads);
      for (int head = 0; head < layer.heads; ++head) {
        if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", ""});
        const at::Tensor map = readMap(m_layout->file, layer, image, head);
        requireNumbers(map.data_ptr<float>(), layer, head, info().path.string());
        std::copy_n(map.data_ptr<float>(), size, values->data() + size * head);
      }
      maps.layers.push_back({layer.heads, layer.grid, std::move(values)});
    }
    return maps;
  });
}

Result<Image> MapFile::image(int image) const {
  return guarded(info().path.string(), [&] {
    requireImage(info(), image);
    if (!m_layout->images) return grayGround(info().width, info().height);
    return m_layout->images->read(m_layout->file, image);
  });
}

Result<std::vector<float>> MapFile::logits(int image) const {
  return guarded(info().path.string(), [&] {
    requireImage(info(), image);
    if (!m_layout->logits) return std::vector<float>();
    const SafetensorsEntry& entry = *m_layout->logits;
    const at::Tensor own = (entry.shape.size() == 2 ? m_layout->file.readItem(entry, image)
                                                    : m_layout->file.read(entry))
                               .to(at::kFloat)
                               .contiguous();
    return std::vector<float>(own.data_ptr<float>(), own.data_ptr<float>() + own.numel());
  });
}

struct MapFile::Reading {
  /// Everything but what the values of maps are like.
  static std::shared_ptr<Layout> layoutOf(const std::filesystem::path& path) {
    auto layout = std::make_shared<MapFile::Layout>(
        MapFile::Layout{SafetensorsFile::open(path), {}, {}, {}, {}});
    MapFileInfo& info = layout->info;
    info.path = path;
    layout->layers = readMapLayers(layout->file, info.notes);
    for (const MapTensor& layer : layout->layers) {
      info.numbers.push_back(layer.number);
      info.heads.push_back(layer.heads);
      info.grids.push_back(layer.grid);
    }
    info.images = imagesOf(layout->layers, path.string());
    layout->images = readMapImages(layout->file, info.images, info.notes);
    layout->logits = logitsOf(layout->file, info.images);
    readClasses(layout->file, layout->logits, info);
    sizeImages(layout->images, info);
    return layout;
  }
};

Result<MapFile> readMapFile(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    const auto layout = MapFile::Reading::layoutOf(path);
    lookThrough(layout->file, layout->layers, layout->info);
    layout->info.meaning = meaningOf(layout->info);
    MapFile file;
    file.m_layout = layout;
    return file;
  });
}

Result<Image> readMapImage(const MapPlace& place) {
  return guarded(place.text(), [&] {
    MapFile file;
    file.m_layout = MapFile::Reading::layoutOf(place.file);
    return file.image(place.image);
  });
}

Result<int> countMapImages(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    const auto layers = layersNamedIn(SafetensorsFile::open(path).header());
    return layers.empty() ? 0 : imagesOf(layers, path.string());
  });
}

bool isMapFile(const std::filesystem::path& path) {
  if (contentOfFile(path) != FileContent::Checkpoint) return false;
  const auto named = guarded(
      path.string(), [&] { return layersNamedIn(SafetensorsFile::open(path).header()).size(); });
  return named && *named > 0;
}

std::string MapPlace::text() const {
  return file.string() + "[" + std::to_string(image) + "]";
}

std::optional<MapPlace> parseMapPlace(const std::string& text) {
  const auto open = text.rfind('[');
  if (open == std::string::npos || open == 0 || text.back() != ']') return std::nullopt;
  int image = 0;
  const char* begin = text.data() + open + 1;
  const char* end = text.data() + text.size() - 1;
  const auto read = std::from_chars(begin, end, image);
  if (read.ec != std::errc() || read.ptr != end || image < 0) return std::nullopt;
  return MapPlace{text.substr(0, open), image};
}

Error needsModel(const std::string& path) {
  return {ErrorCode::InvalidArgument,
          tr("contains maps without a model, so prediction, masks, training and evaluation are not "
             "available; open the model, or show the maps (headlight-cli attend FILE)"),
          path};
}

}  // namespace headlight
