// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention maps of any model, written by any program: a safetensors file with `attention.L`, which
// opens without a model. Nothing is read of it but its header and what is asked for. No torch type
// here.
//
//   attention.L  [B, H, T, T] or [H, T, T], floating-point: layer L's maps, row = query. Layers are
//                shown in the order of their numbers, counted from 0.
//   image, images (optional)  [H, W, 3] or [3, H, W], with B before it for several images (and 1
//                in place of 3 where they are gray). U8: 0 to 255; floating-point: 0 to 1, and what
//                goes beyond is taken back by the metadata's mean and std, or stretched from its
//                least to its greatest value. `input` stands in for them.
//   grid         (optional) two whole numbers, rows and columns of patches; grid.L of one layer
//   prefix       (optional) how many tokens stand before the patches (class token, registers), and
//   registers    (optional) how many of them are registers, which stand last
//   logits       (optional) [B, classes] or [classes]
// In the metadata, as text: grid ("14, 14"), prefix, registers, class_names (a JSON list, or one a
// line), mean and std ("0.485, 0.456, 0.406"). Tensors count before them.

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/AttentionMaps.h"
#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

struct MapFileInfo {
  std::filesystem::path path;
  int images = 1;
  std::vector<int> numbers;   ///< of its layers, as in the tensors' names
  std::vector<int> heads;     ///< of each
  std::vector<Grid> grids;    ///< of each
  bool hasImages = false;     ///< else images are plain gray, 16 pixels a patch
  int height = 0, width = 0;  ///< of every image, in pixels
  std::vector<std::string> classNames;
  int classes = 0;  ///< of logits; 0: none
  bool isSigned = false;
  bool rowsSumToOne = true;        ///< of every map, to the precision of its numbers
  std::string meaning;             ///< what a map is, in words
  std::vector<std::string> notes;  ///< what was assumed, and what is unusual
};

class MapFile {
 public:
  const MapFileInfo& info() const;

  /// For one image, counted from 0. Errors: Canceled, no such image, values that are no numbers
  /// (layer, head and row are named), no memory.
  Result<AttentionMaps> maps(int image, std::stop_token stop = {}) const;
  Result<Image> image(int image) const;
  /// Empty where the file has none.
  Result<std::vector<float>> logits(int image) const;

 private:
  friend Result<MapFile> readMapFile(const std::filesystem::path& path);
  friend Result<Image> readMapImage(const struct MapPlace& place);
  struct Layout;
  struct Reading;
  std::shared_ptr<const Layout> m_layout;
};

/// Errors: a file that is damaged or has no `attention.L`, tensors of other shapes than those
/// above, tokens that are no grid (with how to give one).
Result<MapFile> readMapFile(const std::filesystem::path& path);

/// Whether a file has maps that readMapFile() is for: told by the names and shapes of its tensors.
bool isMapFile(const std::filesystem::path& path);
/// From its header alone. Errors: a damaged file, layers of other numbers of images.
Result<int> countMapImages(const std::filesystem::path& path);

/// An image of a file of maps, as people type it and the window keeps it: "FILE[2]".
struct MapPlace {
  std::filesystem::path file;
  int image = 0;
  std::string text() const;
};
/// The image alone, without a look at the maps. Errors: those of readMapFile().
Result<Image> readMapImage(const MapPlace& place);
/// Nothing for text of another form. Looks at no file.
std::optional<MapPlace> parseMapPlace(const std::string& text);

/// What a program says that was given maps where it needs a model. `path`: of the file.
Error needsModel(const std::string& path);

}  // namespace headlight
