// SPDX-License-Identifier: GPL-3.0-or-later

// The only file that knows giflib.

#include "core/imaging/video/GifFilm.h"

#include <gif_lib.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/imaging/video/GifPalette.h"

namespace headlight {

/// A file being written into memory. It stays where it is: giflib points to it.
struct GifFilm::Encoder {
  std::string bytes;
  GifFileType* file = nullptr;

  Encoder();
  ~Encoder() { end(); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Throws Failure where giflib says that it could not.
  void require(int done) const;
  void begin(int width, int height);
  void showFor(int hundredths);
  void add(const PalettedPixels& pixels, int width, int height);
  void end();
};

namespace {

[[noreturn]] void failFilm(int code) {
  const char* words = GifErrorString(code);
  throw Failure({ErrorCode::Internal,
                 std::string(tr("the film cannot be written: ")) +
                     (words ? words : tr("giflib failed")) +
                     tr("; choose smaller tiles, or fewer of them"),
                 "film"});
}

/// How many of the bytes were taken. giflib is C: nothing is thrown through it.
int keepBytes(GifFileType* file, const GifByteType* bytes, int size) {
  try {
    auto* target = static_cast<std::string*>(file->UserData);
    target->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    return size;
  } catch (const std::exception&) {
    return 0;
  }
}

/// The part of a frame that the film shows, on white.
std::vector<std::uint8_t> pixelsWithin(const Image& frame, int width, int height) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * height * 3, 255);
  const std::size_t row = static_cast<std::size_t>(std::min(width, frame.width)) * 3;
  for (int y = 0; y < std::min(height, frame.height); ++y)
    std::copy_n(frame.row(y), row, pixels.begin() + std::ptrdiff_t{3} * width * y);
  return pixels;
}

}  // namespace

GifFilm::Encoder::Encoder() {
  int code = 0;
  file = EGifOpen(&bytes, keepBytes, &code);
  if (!file) failFilm(code);
  EGifSetGifVersion(file, /*gif89=*/true);
}

void GifFilm::Encoder::require(int done) const {
  if (done != GIF_OK) failFilm(file->Error);
}

void GifFilm::Encoder::begin(int width, int height) {
  constexpr int kBitsOfChannel = 8;
  require(EGifPutScreenDesc(file, width, height, kBitsOfChannel, 0, nullptr));
  constexpr GifByteType kForEver[] = {1, 0, 0};
  require(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE));
  require(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"));
  require(EGifPutExtensionBlock(file, sizeof kForEver, kForEver));
  require(EGifPutExtensionTrailer(file));
}

void GifFilm::Encoder::showFor(int hundredths) {
  const GraphicsControlBlock control{DISPOSAL_UNSPECIFIED, false, hundredths, NO_TRANSPARENT_COLOR};
  GifByteType block[4];
  const std::size_t size = EGifGCBToExtension(&control, block);
  require(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(size), block));
}

void GifFilm::Encoder::add(const PalettedPixels& pixels, int width, int height) {
  GifColorType colors[kPaletteColors];
  for (std::size_t i = 0; i < kPaletteColors; ++i)
    colors[i] = {pixels.colors[i][0], pixels.colors[i][1], pixels.colors[i][2]};
  ColorMapObject map{kPaletteColors, 8, false, colors};
  require(EGifPutImageDesc(file, 0, 0, width, height, /*GifInterlace=*/false, &map));
  std::vector<GifPixelType> row(static_cast<std::size_t>(width));  // which giflib writes into
  for (int y = 0; y < height; ++y) {
    std::copy_n(pixels.indices.begin() + std::ptrdiff_t{y} * width, width, row.begin());
    require(EGifPutLine(file, row.data(), width));
  }
}

void GifFilm::Encoder::end() {
  int code = 0;
  if (file) EGifCloseFile(std::exchange(file, nullptr), &code);
}

GifFilm::GifFilm(double seconds)
    : m_hundredths(static_cast<int>(std::lround(std::clamp(seconds, 0.02, 600.0) * 100))) {}
GifFilm::~GifFilm() = default;

void GifFilm::add(const Image& frame) {
  if (frame.empty() || frame.width > 65535 || frame.height > 65535)
    throw Failure({ErrorCode::InvalidArgument,
                   tr("GIF frames must be 1 to 65,535 pixels wide and high; choose smaller tiles"),
                   "film"});
  if (!m_encoder) {
    m_width = frame.width;
    m_height = frame.height;
    m_encoder = std::make_unique<Encoder>();
    m_encoder->begin(m_width, m_height);
  }
  m_encoder->showFor(m_hundredths);
  m_encoder->add(withPalette(pixelsWithin(frame, m_width, m_height)), m_width, m_height);
}

std::string GifFilm::finish() {
  if (!m_encoder) return {};
  m_encoder->end();
  return std::move(std::exchange(m_encoder, nullptr)->bytes);
}

}  // namespace headlight
