// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An annotation of Pascal VOC (Everingham et al. 2010): an XML file for each image.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/boxes/PixelBox.h"

namespace headlight {

struct VocObject {
  std::string name;  ///< of its class, UTF-8
  PixelBox box;      ///< pixels from 0, where the file counts from 1 with both ends within
  bool difficult = false;
};

struct VocImage {
  std::string file;           ///< `filename`; may be empty, and is often wrong
  int width = 0, height = 0;  ///< `size`; 0: the file does not say
  std::vector<VocObject> objects;
};

/// Larger files are refused: an image with a thousand objects has 300 KB.
inline constexpr std::uintmax_t kMostVocBytes = std::uintmax_t{4} << 20;

/// `object` (name, bndbox with xmin, ymin, xmax, ymax; difficult, else 0), `size` and `filename`
/// of `annotation`. Entities that a file declares are not expanded. Throws Failure (InvalidFile),
/// which names the file and the object: no XML, no annotation, a name that is missing or no UTF-8,
/// a side that is missing or no number, xmax below xmin; a file beyond kMostVocBytes.
VocImage readVocXml(const std::filesystem::path& path);
/// The same of the file's text; `where` is for messages.
VocImage vocImageFromText(std::string_view text, const std::string& where);

}  // namespace headlight
