// SPDX-License-Identifier: GPL-3.0-or-later

// Target.h: files of maps: their bytes, and names, shapes and metadata in a container that is
// whole.

#include <ATen/Functions.h>

#include "core/analysis/Rollout.h"
#include "core/base/files/Files.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/config/Parameter.h"
#include "core/workbench/loading/MapFile.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostMapElements = 1 << 20;

/// Everything that can be asked of the first image.
Result<void> readMaps(const fs::path& path) {
  (void)isMapFile(path);
  return readThen(readMapFile(path), [](const MapFile& file) {
    const MapFileInfo& info = file.info();
    require(info.images > 0 && info.height > 0 && info.width > 0, "maps without an image");
    require(info.heads.size() == info.grids.size() && !info.heads.empty(), "maps without layers");
    (void)file.image(0);
    (void)file.logits(0);
    const auto maps = file.maps(0);
    if (!maps) return;
    require(maps->layers.size() == info.heads.size(), "another number of layers");
    for (const LayerMaps& layer : maps->layers) {
      const auto tokens = static_cast<std::size_t>(layer.tokens());
      require(layer.values->size() == tokens * tokens * static_cast<std::size_t>(layer.heads),
              "another number of tokens");
      (void)localityScores(layer);
    }
    (void)rollout(*maps, {});
  });
}

/// {"tensors": {"attention.0": [2, 3, 10, 10]}, "metadata": {"grid": "3, 3"}} as a file.
void writeMaps(const fs::path& path, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
  if (json.is_object() && json.contains("tensors") && json["tensors"].is_object())
    for (const auto& [name, shape] : json["tensors"].items()) {
      std::vector<std::int64_t> sizes;
      std::uint64_t elements = 1;
      bool plain = shape.is_array() && shape.size() < 6;
      for (std::size_t i = 0; plain && i < shape.size(); ++i) {
        plain = shape[i].is_number_unsigned() && shape[i].get<std::uint64_t>() <= kMostMapElements;
        if (!plain) break;
        sizes.push_back(shape[i].get<std::int64_t>());
        plain = (elements *= shape[i].get<std::uint64_t>()) <= kMostMapElements;
      }
      if (plain) tensors.emplace_back(name, at::full(sizes, 0.1));
    }
  if (json.is_object() && json.contains("metadata") && json["metadata"].is_object())
    for (const auto& [key, value] : json["metadata"].items())
      metadata[key] = value.is_string() ? value.get<std::string>() : value.dump();
  (void)writeSafetensors(path, tensors, metadata);
}

}  // namespace

std::vector<Target> mapTargets(const fs::path& folder) {
  const fs::path path = folder / "maps.safetensors";
  const std::string whole = valueOrThrow(
      readFile(fs::path(HEADLIGHT_GOLDEN_DIR) / "maps_from_hook.safetensors", 1 << 24));
  const std::string named = R"({"tensors": {"attention.0": [2, 3, 13, 13],
      "attention.2": [2, 3, 13, 13], "images": [2, 3, 8, 9], "logits": [2, 2]},
      "metadata": {"grid": "3, 4", "class_names": "[\"a\", \"b\"]", "mean": "0, 0, 0",
      "grid.2": "4, 3", "std": "1, 1, 1"}})";
  return {{"maps, bytes",
           Kind::Bytes,
           {whole},
           [=](const std::string& bytes) {
             writeBytes(path, bytes);
             return readMaps(path);
           }},
          {"maps, names and metadata", Kind::Json, {named}, [=](const std::string& text) {
             writeMaps(path, text);
             return readMaps(path);
           }}};
}

}  // namespace headlight::fuzz
