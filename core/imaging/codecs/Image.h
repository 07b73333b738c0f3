// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A decoded image, 8-bit RGB, upright. Plain bytes: no OpenCV, Qt or torch type in sight.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/Result.h"

namespace headlight {

/// Immutable, shared. `pixels` is [height, width, 3], row-major, R first.
struct Image {
  int width = 0;
  int height = 0;
  std::shared_ptr<const std::vector<std::uint8_t>> pixels;
  /// The same with the alpha channel dropped instead of put on white; null where nothing is
  /// transparent.
  std::shared_ptr<const std::vector<std::uint8_t>> alphaDropped = {};

  bool empty() const { return width == 0 || height == 0; }
  const std::uint8_t* row(int y) const {
    return pixels->data() + static_cast<std::size_t>(y) * width * 3;
  }
};

/// What a model sees of transparent pixels: `image` over white, or its colors without their alpha.
inline Image withTransparency(const Image& image, bool dropAlpha) {
  if (!dropAlpha || !image.alphaDropped) return image;
  return {image.width, image.height, image.alphaDropped};
}

inline constexpr std::int64_t kMaxImagePixels = 64'000'000;
inline constexpr std::uintmax_t kMaxImageBytes = 512u << 20;

/// Decodes JPEG, PNG, WebP, BMP, TIFF, PNM (PPM, PGM, PBM), and where the program was built with
/// their libraries HEIC, AVIF and JPEG XL, told apart by their magic bytes. Size
/// is read from the header and refused above kMaxImagePixels before anything is decoded;
/// progressive JPEGs may have at most 100 scans; all eight EXIF orientations are applied; 16-bit,
/// gray, palette, alpha (over white) and CMYK images become 8-bit RGB. Errors: UnsupportedFile,
/// InvalidFile, NotFound, Io.
Result<Image> decodeImage(std::string_view bytes, const std::string& name);
Result<Image> readImage(const std::filesystem::path& path);

/// Whether the name ends like an image that readImage can open (case-insensitive).
bool hasImageExtension(const std::filesystem::path& path);
/// Whether it ends like a PPM, PGM, PBM or PNM, which are among these.
bool hasPnmExtension(const std::filesystem::path& path);

/// PNG bytes of an image; `text` entries become tEXt/iTXt chunks (keyword, value).
Result<std::string> encodePng(const Image& image,
                              const std::vector<std::pair<std::string, std::string>>& text = {});
/// The tEXt/iTXt chunks of a PNG; empty for any other file.
std::vector<std::pair<std::string, std::string>> readPngText(std::string_view bytes);
/// The same of a file, of which nothing but these chunks is read; empty for what cannot be read.
std::vector<std::pair<std::string, std::string>> readPngTextOf(const std::filesystem::path& path);

}  // namespace headlight
