// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/maps/MapLayers.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/workbench/maps/MapNumbers.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxMapLayers = 1024;
constexpr std::int64_t kMaxMapHeads = 4096, kMaxMapTokens = 65'536 + 1026;
constexpr std::int64_t kMaxMapImages = 1'000'000;
constexpr int kMaxPrefix = 1026;
/// Prefix tokens of published models: none; class; class and distillation; registers alone, or
/// behind a class token.
constexpr int kUsualPrefixes[] = {0, 1, 2, 4, 5, 8, 9};

std::optional<int> layerNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "attention.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == name.data() + name.size();
  if (!whole || number < 0 || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  return number;
}

/// [B, H, T, T] or [H, T, T].
bool isShapedAsMaps(const SafetensorsEntry& entry) {
  const auto& shape = entry.shape;
  return (shape.size() == 3 || shape.size() == 4) && shape.back() == shape[shape.size() - 2];
}

std::string nameOfLayer(const MapTensor& layer) {
  return "attention." + std::to_string(layer.number);
}

void checkLayer(const MapTensor& layer, const std::string& where) {
  const SafetensorsEntry& entry = layer.entry;
  const std::string name = inQuotes(entry.name);
  if (!c10::isFloatingType(entry.dtype))
    refuse(where, name + tr(" must hold floating-point numbers"));
  const std::int64_t heads = entry.shape[entry.shape.size() - 3];
  const std::int64_t images = layer.isBatched() ? entry.shape.front() : 1;
  if (heads < 1 || layer.tokens() < 1 || images < 1)
    refuse(where,
           name + tr(" has the shape ") + shapeText(entry.shape) + tr(": it contains no map"));
  if (heads > kMaxMapHeads || layer.tokens() > kMaxMapTokens || images > kMaxMapImages)
    refuse(where, name + tr(" has the shape ") + shapeText(entry.shape) +
                      tr(", more than can be shown; split the file"));
}

/// Behind a class token, or a class and a distillation token; four and eight stand alone.
int usualRegisters(int prefix) {
  if (prefix == 4 || prefix == 8) return prefix;
  return prefix > 2 ? prefix - 1 : 0;
}

/// Nothing where no usual number of prefix tokens leaves a square.
std::optional<Grid> squareGrid(std::int64_t tokens, int prefix) {
  if (tokens <= prefix) return std::nullopt;
  const auto side = static_cast<int>(std::lround(std::sqrt(double(tokens - prefix))));
  if (std::int64_t{side} * side != tokens - prefix) return std::nullopt;
  return Grid{side, side, prefix};  // registers: see MapGrids::of
}

std::string gridText(const Grid& grid) {
  return std::to_string(grid.rows) + " x " + std::to_string(grid.cols) + " patches after " +
         std::to_string(grid.prefix) + (grid.prefix == 1 ? " prefix token" : " prefix tokens");
}

std::string howToGiveGrid() {
  return "; give `grid` (rows, columns) and `prefix` (number of tokens before the patches) as "
         "tensors or in the metadata, such as {\"grid\": \"14, 14\", \"prefix\": \"1\"}, or "
         "`grid.L` where layers differ";
}

/// What the file says of where tokens lie.
class MapGrids {
 public:
  explicit MapGrids(const SafetensorsFile& file) : m_file(file) {
    if (const auto prefix = namedWholeNumbers(file, "prefix", 1, 0, kMaxPrefix))
      m_prefix = prefix->front();
    if (const auto registers = namedWholeNumbers(file, "registers", 1, 0, kMaxPrefix))
      m_registers = registers->front();
    m_grid = namedWholeNumbers(file, "grid", 2, 1, 65'536);
  }

  Grid of(const MapTensor& layer) {
    Grid grid = placed(layer);
    grid.registers = std::min(m_registers.value_or(usualRegisters(grid.prefix)), grid.prefix);
    return grid;
  }

  /// What was taken for granted, in words; empty where the file said it.
  const std::string& assumption() const { return m_assumption; }

 private:
  Grid placed(const MapTensor& layer) {
    const auto own =
        namedWholeNumbers(m_file, "grid." + std::to_string(layer.number), 2, 1, 65'536);
    if (own) return given(layer, *own);
    if (m_grid) return given(layer, *m_grid);
    return assumed(layer);
  }

  Grid given(const MapTensor& layer, const std::vector<int>& sides) const {
    const std::int64_t patches = std::int64_t{sides[0]} * sides[1];
    const std::int64_t rest = layer.tokens() - patches;
    if (rest < 0 || rest > kMaxPrefix || (m_prefix && rest != *m_prefix))
      refuse(m_file.name(),
             inQuotes(layer.entry.name) + " has " + std::to_string(layer.tokens()) +
                 tr(" tokens, but its grid of ") + std::to_string(sides[0]) + " x " +
                 std::to_string(sides[1]) + " patches" +
                 (m_prefix ? " after " + std::to_string(*m_prefix) + tr(" prefix tokens") : "") +
                 " has " + std::to_string(patches + m_prefix.value_or(0)) + howToGiveGrid());
    return {sides[0], sides[1], static_cast<int>(rest)};
  }

  Grid assumed(const MapTensor& layer) {
    if (m_assumedOf && m_assumedOf->tokens() != layer.tokens())
      refuse(m_file.name(), inQuotes(layer.entry.name) + " has " + std::to_string(layer.tokens()) +
                                " tokens, " + nameOfLayer(*m_assumedOf) + " has " +
                                std::to_string(m_assumedOf->tokens()) +
                                tr("; give the grid of each layer (`grid.L`: rows, columns)"));
    m_assumedOf = layer;
    std::optional<Grid> grid;
    if (m_prefix) grid = squareGrid(layer.tokens(), *m_prefix);
    for (const int prefix : kUsualPrefixes)
      if (!m_prefix && !grid) grid = squareGrid(layer.tokens(), prefix);
    if (!grid)
      refuse(m_file.name(),
             inQuotes(layer.entry.name) + " has " + std::to_string(layer.tokens()) +
                 tr(" tokens, which do not form a square of patches") +
                 (m_prefix ? " after " + std::to_string(*m_prefix) + tr(" prefix tokens") : "") +
                 howToGiveGrid());
    m_assumption = "its grid is not given; assuming " + gridText(*grid);
    return *grid;
  }

  const SafetensorsFile& m_file;
  std::optional<int> m_prefix, m_registers;
  std::optional<std::vector<int>> m_grid;
  std::optional<MapTensor> m_assumedOf;
  std::string m_assumption;
};

void noteNumbers(const std::vector<MapTensor>& layers, std::vector<std::string>& notes) {
  std::vector<std::string> numbers;
  bool gaps = false;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    numbers.push_back(std::to_string(layers[i].number));
    gaps = gaps || layers[i].number != static_cast<int>(i);
  }
  if (gaps)
    notes.push_back("its layers are " + joined(numbers, 24) + " and are numbered here from 0 to " +
                    std::to_string(layers.size() - 1) +
                    "; rollout assumes that these are all layers");
}

}  // namespace

std::vector<MapTensor> layersNamedIn(const SafetensorsHeader& header) {
  std::vector<MapTensor> layers;
  for (const SafetensorsEntry& entry : header.entries)
    if (const auto number = layerNumber(entry.name); number && isShapedAsMaps(entry))
      layers.push_back({*number, entry, 0, {}});
  std::sort(layers.begin(), layers.end(),
            [](const MapTensor& a, const MapTensor& b) { return a.number < b.number; });
  return layers;
}

std::vector<MapTensor> readMapLayers(const SafetensorsFile& file, std::vector<std::string>& notes) {
  std::vector<MapTensor> layers = layersNamedIn(file.header());
  for (const SafetensorsEntry& entry : file.header().entries)
    if (layerNumber(entry.name) && !isShapedAsMaps(entry))
      refuse(file.name(), inQuotes(entry.name) + tr(" has the shape ") + shapeText(entry.shape) +
                              tr("; maps are [B, heads, T, T] or [heads, T, T]"));
  if (layers.empty())
    refuse(file.name(), tr("has no maps: no tensor is named attention.0, attention.1, …"),
           ErrorCode::UnsupportedFile);
  if (layers.size() > kMaxMapLayers)
    refuse(file.name(), "has " + std::to_string(layers.size()) + tr(" layers; at most ") +
                            std::to_string(kMaxMapLayers) + tr(" are shown"));
  MapGrids grids(file);
  for (MapTensor& layer : layers) {
    checkLayer(layer, file.name());
    layer.heads = static_cast<int>(layer.entry.shape[layer.entry.shape.size() - 3]);
    layer.grid = grids.of(layer);
  }
  if (!grids.assumption().empty()) notes.push_back(grids.assumption());
  noteNumbers(layers, notes);
  return layers;
}

int imagesOf(const std::vector<MapTensor>& layers, const std::string& where) {
  const auto count = [](const MapTensor& layer) {
    return layer.isBatched() ? static_cast<int>(layer.entry.shape.front()) : 1;
  };
  const int images = count(layers.front());
  for (const MapTensor& layer : layers)
    if (count(layer) != images)
      refuse(where, nameOfLayer(layer) + tr(" is of ") + std::to_string(count(layer)) +
                        " images, " + nameOfLayer(layers.front()) + " of " +
                        std::to_string(images));
  return images;
}

}  // namespace headlight
