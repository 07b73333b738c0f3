// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/imaging/codecs/Image.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/imaging/codecs/Bytes.h"
#include "core/imaging/codecs/Decoders.h"
#include "core/imaging/codecs/ImageHeader.h"
#include "core/imaging/codecs/OptionalFormats.h"
#include "core/imaging/codecs/Orientation.h"
#include "core/imaging/codecs/Upright.h"

namespace headlight {
namespace {

bool endsLikeOneOf(const std::filesystem::path& path,
                   std::span<const std::string_view> extensions) {
  const std::string extension = lowered(path.extension().string());
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

}  // namespace

void requireImageBytes(std::string_view bytes) {
  if (bytes.size() > kMaxImageBytes)
    refuse(ErrorCode::UnsupportedFile, "is " + std::to_string(bytes.size()) +
                                           tr(" bytes; at most ") + std::to_string(kMaxImageBytes) +
                                           tr(" are read here: scale the image down"));
}

StoredPixels decodeStored(std::string_view bytes, const ImageHeader& header) {
  switch (header.format) {
    case ImageFormat::Jpeg:
      return {decodeJpeg(bytes, header)};
    case ImageFormat::Png:
      return decodePng(bytes, header);
    case ImageFormat::Tiff:
      return decodeTiff(bytes, header);
    case ImageFormat::WebP:
    case ImageFormat::Bmp:
      return decodeWithOpenCv(bytes, header);
    case ImageFormat::Pnm:
      return {decodePnm(bytes, header)};
    case ImageFormat::Heif:
      return decodeHeif(bytes, header);
    case ImageFormat::Jxl:
      return decodeJxl(bytes, header);
  }
  refuse(ErrorCode::Internal, tr("no decoder for this image format"));
}

bool swapsSides(int orientation) {
  return uprightTurn(orientation).transposed;
}

namespace {

Pixels turned(Pixels stored, const ImageHeader& header, const UprightTurn& turn) {
  if (header.orientation == 1) return stored;
  const std::int64_t width = turn.transposed ? header.height : header.width;
  const std::int64_t height = turn.transposed ? header.width : header.height;
  Pixels upright(stored.size());
  std::uint8_t* out = upright.data();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x, out += 3) {
      std::int64_t column = turn.transposed ? y : x;
      std::int64_t row = turn.transposed ? x : y;
      if (turn.mirrored) column = header.width - 1 - column;
      if (turn.upsideDown) row = header.height - 1 - row;
      std::copy_n(stored.data() + (row * header.width + column) * 3, 3, out);
    }
  return upright;
}

}  // namespace

Image uprighted(StoredPixels stored, const ImageHeader& header) {
  const UprightTurn turn = uprightTurn(header.orientation);
  Image image;
  image.width = static_cast<int>(turn.transposed ? header.height : header.width);
  image.height = static_cast<int>(turn.transposed ? header.width : header.height);
  const auto shared = [&](Pixels& pixels) {
    return std::make_shared<const Pixels>(turned(std::move(pixels), header, turn));
  };
  image.pixels = shared(stored.pixels);
  if (!stored.alphaDropped.empty()) image.alphaDropped = shared(stored.alphaDropped);
  return image;
}

void requireSize(const ImageHeader& header, std::int64_t width, std::int64_t height) {
  if (width != header.width || height != header.height)
    refuse(ErrorCode::InvalidFile,
           tr("is damaged: its header says ") + std::to_string(header.width) + " x " +
               std::to_string(header.height) + tr(" pixels, but its content has another size"));
}

Result<Image> decodeImage(std::string_view bytes, const std::string& name) {
  auto result = guarded(name, [&] {
    requireImageBytes(bytes);
    const ImageHeader header = readImageHeader(bytes);
    return uprighted(decodeStored(bytes, header), header);
  });
  if (result) return result;
  Error error = result.error();
  error.where = name;
  return error;
}

Result<Image> readImage(const std::filesystem::path& path) {
  const Result<std::string> bytes = readFile(path, kMaxImageBytes);
  if (!bytes) return bytes.error();
  return decodeImage(*bytes, path.string());
}

bool hasImageExtension(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 10> kExtensions{
      ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".webp", ".bmp", ".dib", ".tif", ".tiff"};
  constexpr std::array<std::string_view, 4> kHeifs{".heic", ".heif", ".hif", ".avif"};
  constexpr std::array<std::string_view, 1> kJxls{".jxl"};
  return endsLikeOneOf(path, kExtensions) || hasPnmExtension(path) ||
         (readsHeif() && endsLikeOneOf(path, kHeifs)) || (readsJxl() && endsLikeOneOf(path, kJxls));
}

bool hasPnmExtension(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 4> kExtensions{".ppm", ".pgm", ".pbm", ".pnm"};
  return endsLikeOneOf(path, kExtensions);
}

}  // namespace headlight
